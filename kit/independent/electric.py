"""The servo motor with ball screw, by a stiff solver with events: numbers of model/plant/electric_independent_test.go.

    python3 kit/independent/electric.py name=a mass=200 stiffness=6e4 amplitude=0.03 lead_mm=10 ...

From the equations in the comment of plant.Electric alone: after every 16th sample of 1/4096 s displacements (m) as
name/x and forces (N) as name/f, of SECONDS. Motor and nut stand in angles and torques here, not in the travel of the
rod. Every sample is a new start, because the command jumps; DOP853 of scipy goes over it to 1e-10, and stops at
every event: the limits of speed, current and voltage, the stop of the integral, the sides of the play, the turn of
speed and nut force. Between two events the equations are smooth. The friction decays in the time g/(σ₀ |v|): in
samples where this is short Radau takes its place.
Needs numpy and scipy (Debian: python3-scipy).
"""

import sys
from math import copysign, exp, pi, sin, sqrt

from scipy.integrate import solve_ivp

TICK = 1 / 4096
SECONDS = 0.5
I, Q, Z, TH, OM, X, V = range(7)


class Actuator:
    def __init__(self, given):
        def of(key, unit=1.0):
            return float(given.get(key, 0)) * unit

        self.kv, self.ff, self.ks = of("position_gain"), of("feedforward"), of("speed_gain")
        self.ti, self.vmax = of("integral_time_ms", 1e-3), of("speed_limit_m_s")
        self.imax, self.tau, self.umax = of("current_limit_a"), of("current_tau_ms", 1e-3), of("voltage_limit_v")
        self.ohm, self.ind, self.kt = of("resistance_ohm"), of("inductance_mh", 1e-3), of("torque_constant")
        self.j, self.r, self.eta = of("inertia_kg_cm2", 1e-4), of("lead_mm", 1e-3) / (2 * pi), of("efficiency")
        self.k, self.c, self.half = of("screw_stiffness"), of("screw_damping"), of("nut_play_um", 1e-6) / 2
        self.m, self.fc, self.fs = of("moving_mass_kg"), of("coulomb_force_n"), of("static_force_n")
        self.vs, self.s0 = of("stribeck_speed_m_s"), of("coulomb_force_n") / of("presliding_um", 1e-6)
        self.s1, self.s2 = of("bristle_damping"), of("viscous_damping")
        self.ms, self.ksp = of("mass"), of("stiffness")
        self.csp = 2 * 0.02 * sqrt(self.ksp * self.ms)
        self.amplitude, self.u, self.du = of("amplitude"), 0.0, 0.0
        self.mode = {}

    def asked(self, y):
        return self.kv * (self.u - self.r * y[TH]) + self.ff * self.du

    def loop(self, y):
        """The raw current of the velocity loop, and its error, in the mode of the speed limit."""
        side = self.mode["speed"]
        e = (self.asked(y) if side == 0 else side * self.vmax) - self.r * y[OM]
        return self.ks * (e + y[Q]), e

    def wanted(self, y):
        side = self.mode["current"]
        return self.loop(y)[0] if side == 0 else side * self.imax

    def voltage(self, y):
        """What the current loop asks for."""
        return self.ind * (self.wanted(y) - y[I]) / self.tau + self.ohm * y[I] + self.kt * y[OM]

    def gap(self, y):
        return self.r * y[TH] - y[X]

    def nut(self, y):
        side = self.mode["play"]
        over = 0.0 if side == 0 and self.half else self.gap(y) - side * self.half
        return self.k * over + self.c * (self.r * y[OM] - y[V])

    def rates(self, _, y):
        d = [0.0] * 7
        side = self.mode["voltage"]
        volts = self.voltage(y) if side == 0 else side * self.umax
        d[I] = (volts - self.ohm * y[I] - self.kt * y[OM]) / self.ind
        e = self.loop(y)[1]
        d[Q] = e / self.ti if self.ti and self.mode["winds"] else 0.0
        nut, v = self.nut(y), self.r * y[OM]
        speed = self.mode["turn"] * v  # below 0 in trials of a step alone
        g = self.fc + (self.fs - self.fc) * exp(min(-speed / self.vs, 9)) + (1 / self.eta - 1) * self.mode["load"] * nut
        d[Z] = v - self.s0 * speed / g * y[Z]
        torque = self.kt * y[I] - self.r * (self.s0 * y[Z] + self.s1 * d[Z] + self.s2 * v + nut)
        d[TH], d[OM] = y[OM], torque / self.j
        d[X] = y[V]
        d[V] = (nut - self.csp * y[V] - self.ksp * y[X]) / (self.m + self.ms)
        return d

    def sides(self, y):
        """The mode at a state: each choice follows from those before it."""
        def side(value, limit):
            return 0 if abs(value) <= limit else int(copysign(1, value))

        mode = self.mode = {}
        mode["speed"] = side(self.asked(y), self.vmax)
        raw, e = self.loop(y)
        mode["current"] = side(raw, self.imax)
        mode["winds"] = mode["current"] == 0 or mode["current"] * e < 0
        mode["voltage"] = side(self.voltage(y), self.umax)
        mode["play"] = side(self.gap(y), self.half)
        mode["turn"] = 1 if y[OM] >= 0 else -1
        mode["load"] = 1 if self.nut(y) >= 0 else -1
        return mode

    def events(self, y):
        """Those that may come: what is 0 now does not leave it before the command changes."""
        out = [lambda t, y: abs(self.asked(y)) - self.vmax, lambda t, y: abs(self.loop(y)[0]) - self.imax,
               lambda t, y: abs(self.voltage(y)) - self.umax, lambda t, y: self.r * y[OM], lambda t, y: self.nut(y)]
        if self.half:
            out.append(lambda t, y: abs(self.gap(y)) - self.half)
        if self.mode["current"]:
            out.append(lambda t, y: self.loop(y)[1])
        out = [event for event in out if event(0, y) != 0]
        for event in out:
            event.terminal = True
        return out

    def step(self, y):
        t = 0.0
        atol = [1e-12 * size for size in (self.imax, self.vmax, 1e-6, 100, 300, 0.1, 1)]
        while TICK - t > 1e-9:
            # Past an event its sign is that of the rates: a step of 1e-10 s, with an error of 1e-20 s², tells the side.
            self.sides(y)
            t, y = t + 1e-10, [a + 1e-10 * b for a, b in zip(y, self.rates(0, y))]
            self.sides(y)
            slow = self.s0 * abs(self.r * y[OM]) / self.fc * TICK < 300
            r = solve_ivp(self.rates, (t, TICK), y, method="DOP853" if slow else "Radau", rtol=1e-10,
                          atol=atol, events=self.events(y))
            if not r.success:
                raise SystemExit(r.message)
            t, y = r.t[-1], r.y[:, -1].tolist()
        return y

    def run(self):
        y, out = [0.0] * 7, []
        for n in range(round(SECONDS / TICK)):
            s = n * TICK
            u = self.amplitude * (sin(2 * pi * 2 * s) + 0.1 * sin(2 * pi * 11 * s))
            self.du, self.u = (u - self.u) / TICK, u
            y = self.step(y)
            if (n + 1) % 16 == 0:
                self.sides(y)
                felt = self.ms * self.rates(0, y)[V] + self.csp * y[V] + self.ksp * y[X]
                out.append((y[X], felt))
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
