"""Shear frame of three storeys that yield, by eight integrators, written out directly:
the force of every storey is that of its law, there is no stiffness at rest beside it.

Command: python3 yielding.py
Lines: method-frame, then displacements (m) of the three floors at every 16th step, then the
hysteretic force or plastic drift of each storey at the end.
Test: model/integrate/yielding_independent_test.go.

Sources: Chopra, Dynamics of Structures, ch. 5 and 16 (central differences, Newmark);
Zhu et al. 2014, eqs 2-4 (Gui-lambda, CR is lambda = 4); Simo and Hughes 1998, section 1.4
(bilinear); Kolay and Ricles 2014 and 2019, as in Malik et al. 2025, eqs 4-10, with beta of
the generalised-alpha method (KR-alpha, MKR-alpha); Galmez 2021, eqs 7.13-7.18 (Bouc-Wen). Average acceleration is solved here by
iteration with the stiffness at rest, until nothing changes.
"""

import math
import numpy as np


class Linear:
    def __init__(self, k):
        self.k0, self.z = k, np.zeros(0)

    def force(self, d, z):
        return self.k0 * d

    def rate(self, d, v, z):
        return np.zeros(0)

    def mapped(self, d, z):
        return z

    def along(self, z, d0, d1, h):
        return z


class Bilinear(Linear):
    def __init__(self, k, ratio, dy):
        self.k0, self.k2, self.dy, self.z = k, ratio * k, dy, np.zeros(1)

    def force(self, d, z):
        return self.k2 * d + (self.k0 - self.k2) * np.clip(d - z[0], -self.dy, self.dy)

    def rate(self, d, v, z):
        return np.zeros(1)

    def mapped(self, d, z):
        return np.array([d - np.clip(d - z[0], -self.dy, self.dy)])

    def along(self, z, d0, d1, h):
        return self.mapped(d1, z)


class BoucWen(Linear):
    def __init__(self, k, a, dy, n=2.0, eta1=0.5, eta2=0.5, alpha=0.0, beta=0.0, kh=0.0):
        self.k0, self.a, self.fy, self.n = k, a, (1 - a) * k * dy, n
        self.eta1, self.eta2, self.alpha, self.beta, self.kh = eta1, eta2, alpha, beta, kh
        self.z = np.zeros(2)  # hysteretic force, energy

    def force(self, d, z):
        return self.a * self.k0 * d + self.kh * d**3 + z[0]

    def rate(self, d, v, z):
        k = max(math.exp(-self.alpha * z[1]) - self.a, 0) * self.k0
        fy = self.fy / (1 + self.beta * z[1])
        s = 1 if z[0] * v > 0 else -1
        full = min(abs(z[0] / fy) ** self.n, 2 / (self.eta1 + self.eta2))
        q = full * (self.eta1 * s + self.eta2)
        return np.array([k * (1 - q) * v, z[0] * q * v])

    def along(self, z, d0, d1, h):
        """Classical Runge-Kutta along the line from d0 to d1, in parts with lambda h <= 0.1
        at 0.5 m/s, lambda = N 0.5 (1 - a) k/fy (eta1 + eta2)^(1/N)."""
        fastest = self.n * 0.5 * (1 - self.a) * self.k0 / self.fy * (self.eta1 + self.eta2) ** (1 / self.n)
        parts = max(1, math.ceil(fastest * h / 0.1))
        dx = (d1 - d0) / parts
        for _ in range(parts):
            k1 = self.rate(0, dx, z)
            k2 = self.rate(0, dx, z + k1 / 2)
            k3 = self.rate(0, dx, z + k2 / 2)
            k4 = self.rate(0, dx, z + k3)
            z = z + (k1 + 2 * k2 + 2 * k3 + k4) / 6
        return z


MASS = np.array([1000.0, 900.0, 800.0])
STIFF = [4e5, 3e5, 2e5]
DAMP = np.array([[1100.0, -400, 0], [-400, 900, -300], [0, -300, 500]])
SPECIMEN = (20.0, 150.0, 5e4)  # mass, damping, stiffness: taken out at floor 1


def frames():
    yield "first", 1 / 512, [Linear(STIFF[0]), Bilinear(STIFF[1], 0.1, 0.006), BoucWen(STIFF[2], 0.05, 0.004)]
    yield "second", 1 / 200, [
        Bilinear(STIFF[0], 0.3, 0.009),
        BoucWen(STIFF[1], 0.15, 0.005, 3.5, 0.8, 0.3, 2e-4, 1e-3, 5e7),
        BoucWen(STIFF[2], 0.1, 0.003, 1.0, 0.4, 0.6, 0.0, 5e-3),
    ]


def ground(t):
    return min(t, 1) * (2.0 * math.sin(8.2 * t) + 1.5 * math.sin(26 * t + 1) + 0.8 * math.sin(3.1 * t * t))


def specimen_force(t):
    return 300 * math.sin(17 * t) + 100 * math.cos(41 * t)


class Frame:
    def __init__(self, storeys):
        m, c, k = SPECIMEN
        self.s = storeys
        self.m = np.diag(MASS - np.array([m, 0, 0]))
        self.c = DAMP - np.diag([c, 0, 0])
        self.ks = k
        self.k = np.zeros((3, 3))  # at rest
        for i, s in enumerate(storeys):
            b = self.b(i)
            self.k += s.k0 * np.outer(b, b)
        self.k[0, 0] -= k
        self.z = [s.z for s in storeys]

    def b(self, i):
        b = np.zeros(3)
        b[i] = 1
        if i:
            b[i - 1] = -1
        return b

    def restoring(self, x, z):
        r = np.zeros(3)
        for i, s in enumerate(self.s):
            r += self.b(i) * s.force(self.b(i) @ x, z[i])
        r[0] -= self.ks * x[0]
        return r

    def moved(self, x0, x1, h):
        return [s.along(self.z[i], self.b(i) @ x0, self.b(i) @ x1, h) for i, s in enumerate(self.s)]

    def load(self, t, force):
        return -MASS * ground(t) - np.array([force, 0, 0])


def central(f, h, steps):
    x, old = np.zeros(3), np.zeros(3)
    left = f.m / h**2 + f.c / (2 * h)
    for i in range(steps):
        yield x
        p = f.load(i * h, specimen_force(i * h)) - f.restoring(x, f.z)
        new = np.linalg.solve(left, p + f.m @ (2 * x - old) / h**2 + f.c @ old / (2 * h))
        f.z = f.moved(x, new, h)
        x, old = new, x


def newmark(f, h, steps):
    x, v, a = np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(steps):
        known = v + h / 2 * a
        p = f.load(i * h, specimen_force(i * h)) - f.restoring(x, f.z)
        a = np.linalg.solve(f.m + h / 2 * f.c, p - f.c @ known)
        v = known + h / 2 * a
        yield x
        new = x + h * v + h * h / 2 * a
        f.z = f.moved(x, new, h)
        x = new


def gui(lam):
    def steps_of(f, h, steps):
        alpha = 2 * lam * np.linalg.inv(2 * lam * f.m + lam * h * f.c + 2 * h * h * f.k) @ f.m
        u, v = np.zeros(3), np.zeros(3)
        for i in range(steps):
            yield u
            a = np.linalg.solve(f.m, f.load(i * h, specimen_force(i * h)) - f.c @ v - f.restoring(u, f.z))
            new = u + h * v + h * h * alpha @ a
            v = v + h * alpha @ a
            f.z = f.moved(u, new, h)
            u = new

    return steps_of


def kr(modified, rho):
    af = rho / (rho + 1)
    am = (2 * rho**3 + rho**2 - 1) / (rho**3 + rho**2 + rho + 1) if modified else (2 * rho - 1) / (rho + 1)
    gamma = 0.5 - am + af
    beta = 0.5 * (0.5 + gamma) if modified else 0.25 * (1 - am + af) ** 2

    def steps_of(f, h, steps):
        alpha = f.m + gamma * h * f.c + beta * h**2 * f.k
        a1 = np.linalg.solve(alpha, f.m)
        a2 = (0.5 + gamma) * a1
        a3 = np.linalg.solve(alpha, am * f.m + af * gamma * h * f.c + af * beta * h**2 * f.k)
        x, v, a, unbalanced = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
        for i in range(steps):
            yield x
            now = f.load(i * h, specimen_force(i * h)) - f.c @ v - f.restoring(x, f.z)
            weighted = np.linalg.solve(f.m, (1 - af) * now + af * unbalanced)  # (I - a3) a+ + a3 a
            a = np.linalg.solve(np.eye(3) - a3, weighted - a3 @ a)
            unbalanced = now
            new = x + h * v + h**2 * a2 @ a
            v = v + h * a1 @ a
            f.z = f.moved(x, new, h)
            x = new

    return steps_of


def rk4(f, h, steps):
    sizes = [len(z) for z in f.z]

    def split(y):
        out, at = [], 6
        for n in sizes:
            out.append(y[at : at + n])
            at += n
        return out

    def rate(y, t, force):
        x, v, z = y[:3], y[3:6], split(y)
        a = np.linalg.solve(f.m, f.load(t, force) - f.c @ v - f.restoring(x, z))
        dz = [s.rate(f.b(i) @ x, f.b(i) @ v, z[i]) for i, s in enumerate(f.s)]
        return np.concatenate([v, a] + dz)

    y = np.zeros(6 + sum(sizes))
    for i in range(steps):
        yield y[:3]
        t, p = i * h, specimen_force(i * h)
        k1 = rate(y, t, p)
        k2 = rate(y + h / 2 * k1, t + h / 2, p)
        k3 = rate(y + h / 2 * k2, t + h / 2, p)
        k4 = rate(y + h * k3, t + h, p)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        f.z = [s.mapped(f.b(j) @ y[:3], z) for j, (s, z) in enumerate(zip(f.s, split(y)))]
        y = np.concatenate([y[:6]] + f.z)


def average(f, h, steps):
    x, v, a = np.zeros(3), np.zeros(3), np.zeros(3)
    left = np.linalg.inv(f.k + 4 / h**2 * f.m + 2 / h * f.c)
    for i in range(steps):  # from t[i-1] to t[i]
        p, new = f.load(i * h, specimen_force(i * h)), x
        for _ in range(500):
            a1 = 4 / h**2 * (new - x) - 4 / h * v - a
            v1 = 2 / h * (new - x) - v
            z1 = f.moved(x, new, h)
            change = left @ (p - f.m @ a1 - f.c @ v1 - f.restoring(new, z1))
            new = new + change
            if np.abs(change).max() <= 1e-17 + 1e-15 * np.abs(new).max():
                break
        a1 = 4 / h**2 * (new - x) - 4 / h * v - a
        v1 = 2 / h * (new - x) - v
        f.z = f.moved(x, new, h)
        x, v, a = new, v1, a1
        yield x


METHODS = {
    "rk4": rk4,
    "central-difference": central,
    "newmark-explicit": newmark,
    "cr": gui(4.0),
    "gui": gui(2.5),
    "average-acceleration": average,
    "kr-alpha": kr(False, 0.75),
    "mkr-alpha": kr(True, 0.75),
}

if __name__ == "__main__":
    for name, h, storeys in frames():
        for method, steps_of in METHODS.items():
            f = Frame(storeys)
            x = [x for x in steps_of(f, h, round(6 / h))]
            numbers = list(np.array(x)[::16].ravel()) + [z[0] if len(z) else 0.0 for z in f.z]
            print(method + "-" + name, *("%.17g" % v for v in numbers))
