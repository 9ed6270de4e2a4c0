"""The shake tables of scenarios/shake-table-acceleration.yaml and shake-table-payload.yaml under three-variable control,
without sensor noise, on a ground that shakes at 3 Hz: the numbers of scenario/tvc_independent_test.go.

    python3 kit/independent/tvc.py

Needs numpy and scipy (Debian: python3-scipy); 10 s. Lines: NAME_a, the coefficients of the inverse D; NAME_error, the rms
of the acceleration error over the rms of the target's, %, and the largest displacement error, m. NAME is second (the
second-order table), payload (the servo-hydraulic one), other (the second-order table, where the law was made for it and
the table is another one), learnt (the same with recursive least squares; then NAME_a is what it has learnt).

Sources: the equations of motion in the comments of model/plant/simple.go, servo_hydraulic.go and tmd.go; matrices of the
building from docs/reference/benchmark-siso.md; the law from the comments of method/compensate/tvc.go and tvc_rls.go.
Table and payload are held exactly by the matrix exponential. The frequency of the payload is that of its mass and spring,
where the program has to find it in the response.
"""

import numpy as np
from scipy.linalg import expm
from scipy.signal import butter

H, SECONDS = 1 / 2048, 6
FEEDBACK, CROSSOVER, LEARN, BAND, MEMORY = 5.0, 1.0, 5.0, 50.0, 20.0

K = np.array([[26054883.879603837, -23133938.877108198, 5937035.463339146],
              [-23133938.877108198, 32560774.186380334, -14419970.777236981],
              [5937035.463339146, -14419970.777236985, 9267275.506224312]])
C = np.array([[14084.275745299876, -7873.031460913151, 440.4514988426247],
              [-7873.031460913151, 14943.622937895665, -6348.672096305331],
              [440.45149884262497, -6348.672096305332, 7223.101316804461]])
MASS = 1000.0


def held(a, b):
    n = len(a)
    e = expm(np.block([[a, b], [np.zeros((1, n + 1))]]) * H)
    return e[:n, :n], e[:n, n]


def payload(m, k, c):
    """Rows of the payload: its displacement relative to the table and its velocity; force on the table as a row over
    (table's velocity, relative displacement, velocity)."""
    return np.array([[-1, 0, 1], [c / m, -k / m, -c / m]]), np.array([c, -k, -c])


class SecondOrder:
    def __init__(self, omega=150.0, zeta=0.8, gain=1.0):
        rows, force = payload(60.0, 29710.0, 224.0)
        a = np.zeros((4, 4))
        a[0, 1], a[1, 0], a[1, 1] = 1, -omega**2, -2 * zeta * omega
        a[2:, 1:] = rows
        self.phi, self.gamma = held(a, np.array([[0], [gain * omega**2], [0], [0]]))
        self.x, self.v = np.eye(4)[0], np.eye(4)[1]
        self.f = np.concatenate([[0], force])
        self.mode, self.terms = None, 4


class Hydraulic:
    def __init__(self):
        tau, area, oil, leak = 3e-3, 2.5e-3, 4 * 6.9e8 / 6e-4, 3.3e-11
        base, m, k, c = 100.0, 60.0, 341000.0, 181.0
        rows, force = payload(m, k, c)
        flow = 1000 * 1.75e-4
        a = np.zeros((6, 6))  # flow, force of the actuator, x, v, payload
        a[0, 0], a[0, 2] = -1 / tau, -flow / tau
        a[1, 0], a[1, 1], a[1, 3] = oil * area, -oil * leak, -oil * area**2
        a[2, 3] = 1
        a[3, 1] = 1 / base
        a[3, 3:] -= force / base
        a[4:, 3:] = rows
        self.phi, self.gamma = held(a, np.array([[flow / tau], [0], [0], [0], [0], [0]]))
        self.x, self.v = np.eye(6)[2], np.eye(6)[3]
        self.f = np.eye(6)[1]  # what the table feels: base and payload
        w = np.sqrt(k / m)
        self.mode, self.terms = (w, c / (2 * m * w)), 6


def fit(table):
    """Coefficients of D by least squares of H D - 1 at 201 frequencies up to 50 Hz, the command leading by a sample."""
    rows, right, scale = [], [], None
    f = np.linspace(0, BAND, 201)
    z = np.exp(2j * np.pi * f * H)
    s, d = 2j * np.pi * f, (1 - 1 / z) / H
    t = [np.ones_like(s), s] + [s * d**(i - 1) for i in range(2, table.terms)]
    if table.mode:
        w, zeta = table.mode
        p = 2j / H * np.tan(np.pi * f * H)
        q = w**2 / (p**2 + 2 * zeta * w * p + w**2) * s * d
        t += [q, q * p]
    t = np.array(t)
    h = np.array([table.x @ np.linalg.solve(v * np.eye(len(table.phi)) - table.phi, table.gamma) for v in z]) * z
    a = (t * h).T
    scale = np.abs(a).max(axis=0)
    a = a / scale
    out = np.linalg.lstsq(np.vstack([a.real, a.imag]), np.concatenate([np.ones(len(f)), np.zeros(len(f))]), rcond=None)
    return out[0] / scale


class Terms:
    def __init__(self, table):
        self.n, self.mode = table.terms, table.mode
        self.past, self.q, self.p, self.pp = np.zeros(8), 0.0, 0.0, 0.0

    def of(self, x, v, a):
        out, now = [x, v], a
        for i in range(2, self.n):
            out.append(now)
            now, self.past[i] = (now - self.past[i]) / H, now
        if self.mode:
            w, zeta = self.mode
            # trapezoidal rule of q'' = w^2 (a - q) - 2 zeta w q'
            m = np.array([[1, -H / 2, 0], [0, 1, -H / 2], [w**2, 2 * zeta * w, 1]])
            r = np.array([self.q + H / 2 * self.p, self.p + H / 2 * self.pp, w**2 * a])
            self.q, self.p, self.pp = np.linalg.solve(m, r)
            out += [self.q, self.p]
        return np.array(out)


class Law:
    def __init__(self, table, coefficients, learns):
        self.theta, self.reference, self.deviation = coefficients, Terms(table), Terms(table)
        p = np.exp(-2 * np.pi * CROSSOVER * H)
        self.g = np.array([1 - p**3, 1.5 * (1 - p)**2 * (1 + p) / H, (1 - p)**3 / H**2])
        self.step = np.array([[1, H, H * H / 2], [0, 1, H], [0, 0, 1]])
        self.state = np.zeros(3)
        self.wanted, self.velocity, self.feedback, self.before = (0.0, 0.0), 0.0, 0.0, None
        self.learns = learns
        n = len(coefficients)
        if learns:
            b, a = zip(butter(2, LEARN, "high", fs=1 / H), butter(4, BAND, fs=1 / H))
            self.b, self.a = np.convolve(*b), np.convolve(*a)
            self.z = np.zeros((6, n + 1))
            sd = 0.1 * np.abs(self.theta) + np.concatenate([[0], H / 2 * np.abs(self.theta[:-1])])
            self.p, self.least = np.diag(sd**2) / 1e-18, 1e-18
            self.low, self.high = self.theta - 5 * sd, self.theta + 5 * sd
            self.estimate, self.loud, self.count = self.theta.copy(), 0.0, 0

    def command(self, x, v, read, acceleration):
        target = (v - self.velocity) / H
        e, ea = self.wanted[0] - read, self.wanted[1] - acceleration
        state = self.step @ self.state + np.array([H * H / 2, H, 0]) * ea
        self.state = state + self.g * (e - state[0])
        phi_e = self.deviation.of(self.state[0], self.state[1], ea + self.state[2])
        self.feedback += 2 * np.pi * FEEDBACK * H * (self.theta @ phi_e)
        phi = self.reference.of(x, v, target)
        u = self.theta @ phi + self.feedback
        if self.learns:
            before = self.before or (np.zeros_like(phi), 0.0)
            self.learn(np.concatenate([before[0] - phi_e, [before[1]]]))
        self.wanted, self.velocity, self.before = (x, target), v, (phi, u)
        return u

    def learn(self, w):
        y = self.b[0] * w + self.z[0]
        for i in range(6):
            self.z[i] = self.b[i + 1] * w - self.a[i + 1] * y + (self.z[i + 1] if i < 5 else 0)
        phi, u = y[:-1], y[-1]
        self.loud += H / 0.5 * (u * u - self.loud)
        self.count += 1
        if self.count == 1 or not self.loud > 100 * self.least:
            return  # no command aimed at the first reading
        forget = 1 - H / MEMORY
        g = self.p @ phi
        k = g / (forget + phi @ g)
        self.estimate = self.estimate + k * (u - phi @ self.estimate)
        self.p = (self.p - np.outer(k, g)) / forget
        self.theta = np.clip(self.estimate, self.low, self.high)


def test(name, table, model, learns=False):
    law = Law(model, fit(model), learns)
    ground = lambda t: np.interp(t, times, values)
    times = np.arange(0, SECONDS + 1, 1 / 512)
    values = 0.5 * np.sin(2 * np.pi * 3 * times)
    a = np.block([[np.zeros((3, 3)), np.eye(3)], [-K / MASS, -C / MASS]])

    def rate(z, g, f):
        return a @ z - np.concatenate([np.zeros(3), g + np.array([0, 0, f / MASS])])

    z, p, xg, vg = np.zeros(6), np.zeros(len(table.phi)), 0.0, 0.0
    acc, velocities, errors, wants, largest, last = 0.0, [0.0, 0.0], [], [], 0.0, 0.0
    for k in range(int(SECONDS / H)):
        t, f, x = k * H, table.f @ p, table.x @ p
        if k >= 2:
            want = (velocities[0] - velocities[1]) / H
            errors.append(acc - want)
            wants.append(want)
        largest = max(largest, abs(x - last))
        g0, g1, g2 = ground(t), ground(t + H / 2), ground(t + H)
        k1 = rate(z, g0, f)
        k2 = rate(z + H / 2 * k1, g1, f)
        k3 = rate(z + H / 2 * k2, g1, f)
        k4 = rate(z + H * k3, g2, f)
        z = z + H / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        xg += H * vg + H * H * (2 * g0 + g2) / 6
        vg += H * (g0 + g2) / 2
        last, v = z[2] + xg, z[5] + vg
        u = law.command(last, v, x, acc)
        velocities = [v, velocities[0]]
        before = table.v @ p
        p = table.phi @ p + table.gamma * u
        acc = (table.v @ p - before) / H
    rms = lambda s: np.sqrt(np.mean(np.square(s)))
    print(name + "_a", *(repr(float(c)) for c in law.theta))
    print(name + "_error", repr(float(100 * rms(errors) / rms(wants))), repr(float(largest)))


test("second", SecondOrder(), SecondOrder())
test("payload", Hydraulic(), Hydraulic())
test("other", SecondOrder(157.5, 0.8, 1.03), SecondOrder())
test("learnt", SecondOrder(157.5, 0.8, 1.03), SecondOrder(), True)
