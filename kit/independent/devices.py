"""Frame of three floors with devices between any two of them: the equations of each law and of each integrator as the
literature has them.

Command: python3 devices.py
Lines: method-frame, then at each of TICKS the displacements (m) of the floors and the forces (N) of the devices.
Test: model/integrate/devices_independent_test.go.

Laws: Symans and Constantinou 1998 (viscous); Maxwell with a power law in its dashpot; Christensen 1982, chapter 1
(viscoelastic); Canudas de Wit et al. 1995 (LuGre); Simo and Hughes 1998, section 1.4 (bilinear, friction); Galmez 2021,
eqs 7.13-7.18 (Bouc-Wen). Integrators: Chopra, Dynamics of Structures, chapters 5 and 16. With central differences C has
the damping that a law has at every speed; the rest of its force has the rate by backward differences of order 2. States
go along the straight line between the deformations of two steps by the classical Runge-Kutta method in parts of
lambda h <= 0.1 (lambda at 0.5 m/s), those of LuGre in closed form: within 2e-8 of lines in finer parts.
"""

import math

import numpy as np

FAST = 0.5  # m/s


class Law:
    size, damping, fastest = 0, 0.0, 0.0  # states; N s/m at every speed; 1/s

    def rate(self, v, z):
        return np.zeros(self.size)

    def mapped(self, d, z):
        return z

    def line(self, z, d0, d1, h):
        parts = max(1, math.ceil(self.fastest * h / 0.1))
        v, dt = (d1 - d0) / h, h / parts
        for _ in range(parts):
            k1 = self.rate(v, z)
            k2 = self.rate(v, z + dt / 2 * k1)
            k3 = self.rate(v, z + dt / 2 * k2)
            k4 = self.rate(v, z + dt * k3)
            z = z + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return self.mapped(d1, z)


class Viscous(Law):
    def __init__(self, c, alpha, v0, k):
        self.c, self.alpha, self.v0, self.k = c, alpha, v0, k

    def force(self, d, v, z):
        return self.c * v * (v * v + self.v0**2) ** ((self.alpha - 1) / 2) + self.k * d


class Maxwell(Law):
    size = 1

    def __init__(self, k, c, alpha):
        self.k, self.c, self.alpha = k, c, alpha
        self.fastest = k * FAST ** (1 - alpha) / (alpha * c)

    def force(self, d, v, z):
        return z[0]

    def rate(self, v, z):
        return np.array([self.k * (v - np.sign(z[0]) * (abs(z[0]) / self.c) ** (1 / self.alpha))])


class Viscoelastic(Law):
    def __init__(self, k, c, branches):
        self.k, self.damping = k, c
        self.stiff, self.decay = (np.array(x) for x in zip(*branches))
        self.size, self.fastest = len(branches), self.decay.max()

    def force(self, d, v, z):
        return self.k * d + self.damping * v + z.sum()

    def rate(self, v, z):
        return self.stiff * v - self.decay * z


class LuGre(Law):
    size = 1

    def __init__(self, s0, s1, s2, fc, fs, vs):
        self.s0, self.s1, self.damping, self.fc, self.fs, self.vs = s0, s1, s2, fc, fs, vs

    def g(self, v):
        return self.fc + (self.fs - self.fc) * math.exp(-abs(v) / self.vs)

    def force(self, d, v, z):
        return self.s0 * z[0] + self.s1 * self.rate(v, z)[0] + self.damping * v

    def rate(self, v, z):
        return np.array([v - self.s0 * abs(v) / self.g(v) * z[0]])

    def line(self, z, d0, d1, h):
        v = (d1 - d0) / h
        end = np.sign(v) * self.g(v) / self.s0
        return end + (z - end) * math.exp(-self.s0 * abs(d1 - d0) / self.g(v))


class Stop(Law):
    def __init__(self, k, travel):
        self.k, self.travel = k, travel

    def force(self, d, v, z):
        return self.k * (max(d - self.travel, 0) + min(d + self.travel, 0))


class BoucWen(Law):
    size = 2  # z (N), H (J)

    def __init__(self, k, a, fy, n, eta1, eta2, alpha, beta, kh):
        self.k, self.a, self.fy, self.n, self.eta1, self.eta2 = k, a, fy, n, eta1, eta2
        self.alpha, self.beta, self.kh = alpha, beta, kh
        self.fastest = n * FAST * (1 - a) * k / fy * (eta1 + eta2) ** (1 / n)

    def force(self, d, v, z):
        return self.a * self.k * d + z[0] + self.kh * d**3

    def rate(self, v, z):
        k = (math.exp(-self.alpha * z[1]) - self.a) * self.k
        fy = self.fy / (1 + self.beta * z[1])
        dz = k * (1 - abs(z[0] / fy) ** self.n * (self.eta1 * np.sign(z[0] * v) + self.eta2)) * v
        return np.array([dz, z[0] * (v - dz / k)])


class Bilinear(Law):
    size = 1

    def __init__(self, k0, k2, dy):
        self.k0, self.k2, self.dy = k0, k2, dy

    def force(self, d, v, z):
        return self.k2 * d + (self.k0 - self.k2) * min(max(d - z[0], -self.dy), self.dy)

    def mapped(self, d, z):
        over = abs(d - z[0]) - self.dy
        return z + np.sign(d - z) * max(over, 0)


class Friction(Bilinear):
    def __init__(self, k, mu, n):
        super().__init__(k, 0.0, mu * n / k)


# Floors below and above a device, 0 is the ground, and its law.
FRAMES = {
    "first": [(0, 1, Viscous(3e3, 0.4, 5e-3, 1e4)), (1, 3, Maxwell(3e5, 5e3, 0.6)),
              (3, 2, LuGre(4e5, 2e3, 100.0, 800.0, 1000.0, 0.05)), (0, 2, Stop(2e5, 0.004))],
    "second": [(1, 3, Viscoelastic(5e4, 2e3, [(1e5, 8.0), (5e4, 60.0)])), (0, 2, Bilinear(2e5, 2e4, 0.002)),
               (3, 2, BoucWen(2e5, 0.1, 600.0, 2.5, 0.8, 0.3, 1e-4, 1e-3, 5e7)), (2, 1, Friction(4e5, 0.1, 8e3))],
}
TICKS = (256, 600, 1111, 1800)  # of 1/RATE s
RATE, FINER = 1024, 16
MASS, FLOOR = np.diag([1000.0, 900, 800]), 1  # the specimen acts on the second floor
DAMP = np.array([[1100.0, -400, 0], [-400, 900, -300], [0, -300, 500]])
STIFF = np.array([[7e5, -3e5, 0], [-3e5, 5e5, -2e5], [0, -2e5, 2e5]])


def ground(t):
    return (1 - math.exp(-4 * t * t)) * (2 * math.sin(8.2 * t) + 1.5 * math.sin(26 * t + 1))


def specimen_force(t):
    return 500 * math.sin(17 * t) * (1 - math.exp(-9 * t * t))


class Frame:
    def __init__(self, devices, part=(20.0, 150.0, 5e4)):  # specimen: mass, damping, stiffness
        self.laws = [law for _, _, law in devices]
        self.b = np.zeros((len(devices), 3))
        for row, (below, above, _) in zip(self.b, devices):
            row[above - 1] = 1
            if below:
                row[below - 1] = -1
        self.m, self.c, self.k = MASS.copy(), DAMP.copy(), STIFF.copy()
        for matrix, share in zip((self.m, self.c, self.k), part):
            matrix[FLOOR, FLOOR] -= share
        self.z = [np.zeros(law.size) for law in self.laws]

    def load(self, t, force):
        p = -np.diag(MASS) * ground(t)
        p[FLOOR] -= force
        return p

    def forces(self, d, v, z):
        return np.array([law.force(*of) for law, *of in zip(self.laws, d, v, z)])

    def moved(self, d0, d1, h):
        return [law.line(z, a, b, h) for law, z, a, b in zip(self.laws, self.z, d0, d1)]


def central(f, h, steps, force=specimen_force):
    always = np.array([law.damping for law in f.laws])
    c = f.c + f.b.T @ np.diag(always) @ f.b
    x, old = np.zeros(3), np.zeros(3)
    d1 = d2 = np.zeros(len(f.laws))
    for i in range(steps):
        outside, d = force(i * h), f.b @ x  # outside may change laws (learning.py)
        v = (3 * d - 4 * d1 + d2) / (2 * h)
        inside = f.forces(d, v, f.z)
        yield x, inside
        p = f.load(i * h, outside) - f.k @ x - f.b.T @ (inside - always * v)
        new = np.linalg.solve(f.m / h**2 + c / (2 * h), p + f.m @ (2 * x - old) / h**2 + c @ old / (2 * h))
        f.z = f.moved(d, f.b @ new, h)
        x, old, d1, d2 = new, x, d, d1


def average(f, h, steps):
    x, v, a = np.zeros(3), np.zeros(3), np.zeros(3)
    left = np.linalg.inv(f.k + 4 / h**2 * f.m + 2 / h * f.c)
    for i in range(steps):  # from t[i-1] to t[i]
        p, new, change = f.load(i * h, specimen_force(i * h)), x, 1.0
        while np.abs(change).max() > 1e-18 + 1e-15 * np.abs(new).max():
            a1 = 4 / h**2 * (new - x) - 4 / h * v - a
            v1 = 2 / h * (new - x) - v
            z = f.moved(f.b @ x, f.b @ new, h)
            inside = f.forces(f.b @ new, f.b @ v1, z)
            change = left @ (p - f.m @ a1 - f.c @ v1 - f.k @ new - f.b.T @ inside)
            new = new + change
        x, v, a, f.z = new, v1, a1, z
        yield x, inside


def reference(f, h, steps):
    """Runge-Kutta with the force of the specimen at each stage, and return maps at the end of the step."""
    inverse = np.linalg.inv(f.m)
    ends = np.cumsum([6] + [law.size for law in f.laws])
    parts = [slice(a, b) for a, b in zip(ends, ends[1:])]

    def rate(t, y):
        d, v = f.b @ y[:3], f.b @ y[3:6]
        inside = f.forces(d, v, [y[at] for at in parts])
        a = inverse @ (f.load(t, specimen_force(t)) - f.c @ y[3:6] - f.k @ y[:3] - f.b.T @ inside)
        return np.concatenate([y[3:6], a] + [law.rate(r, y[at]) for law, r, at in zip(f.laws, v, parts)]), inside

    y = np.zeros(ends[-1])
    for i in range(steps):
        t = i * h
        k1, inside = rate(t, y)
        yield y[:3], inside
        k2 = rate(t + h / 2, y + h / 2 * k1)[0]
        k3 = rate(t + h / 2, y + h / 2 * k2)[0]
        k4 = rate(t + h, y + h * k3)[0]
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        d = f.b @ y[:3]
        for law, at, of in zip(f.laws, parts, d):
            y[at] = law.mapped(of, y[at])


def main():
    for name, devices in FRAMES.items():
        for method, finer in ((reference, FINER), (central, 1), (average, 1)):
            out = []
            for k, (x, inside) in enumerate(method(Frame(devices), 1 / RATE / finer, TICKS[-1] * finer + 1)):
                if k % finer == 0 and k // finer in TICKS:
                    out += [*x, *inside]
            print(method.__name__ + "-" + name, *("%.16g" % v for v in out))


if __name__ == "__main__":
    main()
