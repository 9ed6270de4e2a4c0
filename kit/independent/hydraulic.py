"""The servo-hydraulic actuator as built, by a stiff solver: numbers of model/plant/hydraulic_independent_test.go.

    python3 kit/independent/hydraulic.py name=a seconds=0.5 mass=60 stiffness=5e5 amplitude=0.02 rated_flow_l_min=38 ...

From the equations in the comment of plant.Hydraulic, apart from hydraulic.c, with the same arguments and the same
output: after every 16th sample of 1/4096 s displacements (m) as name/x and forces (N) as name/f. Every sample is
integrated by LSODA of scipy to 1e-11 from a new start, because the command jumps. It takes some 10 s for a second:
hydraulic.c does the long runs.
Needs numpy and scipy (Debian: python3-scipy).
"""

import sys
from math import copysign, exp, expm1, inf, pi, sin, sqrt

from scipy.integrate import odeint

TICK = 1 / 4096
X, V, XV, WV, INT, MEAN, A, B, Z, PS, XB, VB, XS, VS = range(14)


class Actuator:
    def __init__(self, given):
        def of(key, unit=1.0):
            return float(given.get(key, 0)) * unit

        self.kp, self.ki, self.kd = of("proportional_gain"), of("integral_gain"), of("derivative_gain")
        self.kv, self.kdp, self.corner = of("feedforward"), of("pressure_gain", 1e-5), of("pressure_corner_hz", 2 * pi)
        self.every = 1 / of("controller_rate_hz") if of("controller_rate_hz") else 0
        self.rated, self.w, self.order = of("rated_flow_l_min", 1e-3 / 60), of("valve_hz", 2 * pi), of("valve_order")
        self.zeta, self.slew, self.lap = of("valve_damping"), of("valve_slew") or inf, of("valve_overlap")
        self.set, self.pump = of("supply_pressure_bar", 1e5), of("pump_flow_l_min", 1e-3 / 60)
        self.gas, self.pre, self.n = of("accumulator_l", 1e-3), of("precharge_bar", 1e5), of("gas_exponent")
        self.a, self.b = of("piston_area_cm2", 1e-4), of("rod_side_area_cm2", 1e-4)
        self.oil, self.beta = of("oil_volume_cm3", 1e-6), of("bulk_modulus_mpa", 1e6)
        self.leak, self.m = of("leakage_l_min", 1e-3 / 60) / 70e5, of("moving_mass_kg")
        self.fc, self.fs = of("coulomb_force_n"), of("static_force_n") or of("coulomb_force_n")
        self.vs, self.soft = of("stribeck_speed_m_s"), of("presliding_um", 1e-6)
        self.s1, self.s2 = of("bristle_damping"), of("viscous_damping")
        self.fk, self.fm = of("frame_stiffness"), of("frame_mass_kg")
        self.fd = 2 * of("frame_damping_ratio") * sqrt(self.fk * self.fm)
        self.ck, self.cd, self.play = of("clevis_stiffness"), of("clevis_damping"), of("clevis_play_mm", 1e-3)
        self.ms, self.k = of("mass"), of("stiffness")
        self.c = 2 * 0.02 * sqrt(self.k * self.ms)
        self.amplitude, self.ticks = of("amplitude"), round(of("seconds") / TICK)
        self.start = [0.0] * 14
        self.start[PS] = self.set
        if self.b:
            self.start[A], self.start[B] = self.b * self.set / (self.a + self.b), self.a * self.set / (self.a + self.b)

    def flow(self, opening, drop):
        """Of an edge: the rated flow at 35 bar, laminar below 1 bar."""
        root = sqrt(abs(drop)) if abs(drop) >= 1e5 else sqrt(1e5) * abs(drop) / 1e5 * (1.25 - 0.25 * (drop / 1e5) ** 2)
        return self.rated * min(max(opening - self.lap, 0), 1) * copysign(root, drop) / sqrt(35e5)

    def drop(self, y):
        return y[A] - y[B] * self.b / self.a

    def output(self, y, x, v):
        raw = self.kp * (self.u - x) + y[INT] + self.kv * self.du - self.kd * v - self.kdp * (self.drop(y) - y[MEAN])
        i = min(max(raw, -1), 1)
        return i, (0 if abs(raw) >= 1 and i * (self.u - x) >= 0 else self.ki * (self.u - x))

    def rates(self, y, _):
        d = [0.0] * 14
        x, v, spool, p = y[X] - y[XB], y[V] - y[VB], y[XV], y[PS]
        i = self.i
        if not self.every:
            i, d[INT] = self.output(y, x, v)
            d[MEAN] = self.corner * (self.drop(y) - y[MEAN])
        if self.order == 1:
            d[XV] = min(max(self.w * (i - spool), -self.slew), self.slew)
        else:
            d[XV], d[WV] = y[WV], self.w**2 * (i - spool) - 2 * self.zeta * self.w * y[WV]
            if abs(y[WV]) >= self.slew and y[WV] * d[WV] > 0:
                d[WV] = 0.0
        if self.b:
            va, vb = self.oil * self.a / (self.a + self.b), self.oil * self.b / (self.a + self.b)
            over = self.leak * (y[A] - y[B] - self.start[A] + self.start[B])
            used = [self.flow(spool, p - y[A]), self.flow(-spool, p - y[B])]
            d[A] = self.beta / (va + self.a * x) * (used[0] - self.flow(-spool, y[A]) - self.a * v - over)
            d[B] = self.beta / (vb - self.b * x) * (used[1] - self.flow(spool, y[B]) + self.b * v + over)
        else:
            used = [self.flow(spool, (p - y[A]) / 2), self.flow(-spool, (p + y[A]) / 2)]
            d[A] = 4 * self.beta / self.oil * (used[0] - used[1] - self.a * v - self.leak * y[A])
        if self.gas:
            loss = sum(used) - self.pump * min(max((self.set - p) / (0.05 * self.set), 0), 1)
            if p >= self.pre:
                d[PS] = -self.n * p / (self.gas * (self.pre / p) ** (1 / self.n)) * loss
            else:
                d[PS] = -100 * self.n * self.pre / self.gas * loss
        push = self.a * self.drop(y) - self.s2 * v
        if self.fc:
            g = self.fc + (self.fs - self.fc) * exp(-abs(v) / self.vs)
            d[Z] = v - self.fc / self.soft * abs(v) / g * y[Z]
            push -= self.fc / self.soft * y[Z] + self.s1 * d[Z]
        if self.fk:
            d[XB], d[VB] = y[VB], (-push - self.fk * y[XB] - self.fd * y[VB]) / self.fm
        d[X] = y[V]
        if self.ck:
            d[V], d[XS] = (push - self.clevis(y)) / self.m, y[VS]
            d[VS] = (self.clevis(y) - self.c * y[VS] - self.k * y[XS]) / self.ms
        else:
            d[V] = (push - self.c * y[V] - self.k * y[X]) / (self.m + self.ms)
        return d

    def clevis(self, y):
        gap = y[X] - y[XS]
        return self.ck * copysign(max(abs(gap) - self.play / 2, 0), gap) + self.cd * (y[V] - y[VS])

    def measured(self, y):
        if self.ck:
            return y[XS], self.clevis(y)
        return y[X], self.ms * self.rates(y, 0)[V] + self.c * y[V] + self.k * y[X]

    def run(self):
        y, self.u, before, self.i, out = self.start, 0.0, 0.0, 0.0, []
        sizes = [0.1, 1, 1, self.w, 1] + 3 * [self.set] + [self.soft, self.set, 0.001, 0.1, 0.1, 1]
        for t in range(self.ticks):
            s = t * TICK
            u = self.amplitude * (sin(2 * pi * 2 * s) + 0.1 * sin(2 * pi * 11 * s))
            self.du, self.u = (u - self.u) / TICK, u
            for _ in range(round(TICK / self.every) if self.every else 1):
                if self.every:
                    x, drop = y[X] - y[XB], self.drop(y)
                    self.i, wind = self.output(y, x, (x - before) / self.every)
                    before = x
                    y[INT] += wind * self.every
                    y[MEAN] -= (drop - y[MEAN]) * expm1(-self.corner * self.every)
                atol = [1e-12 * size for size in sizes]
                y = odeint(self.rates, y, [0, self.every or TICK], rtol=1e-11, atol=atol, mxstep=100000)[-1].tolist()
            if (t + 1) % 16 == 0:
                out.append(self.measured(y))
        return out


def main():
    given = {}
    for arg in sys.argv[1:] + ["name="]:
        key, _, value = arg.partition("=")
        if key == "name" and given:
            out = Actuator(given).run()
            for j, what in enumerate("xf"):
                print(given["name"] + "/" + what, *(repr(pair[j]) for pair in out))
            given = {}
        given[key] = value


main()
