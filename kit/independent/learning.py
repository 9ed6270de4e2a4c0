"""Unscented Kalman filter of two parameters of a damper, standard form (van der Merwe 2004; Malik et al. 2025) with
numpy's matrices: parameters in their own units, P0 = (0.1 p)^2, Q = (3e-5 p)^2 a tick at 1024 Hz, sigma points p +-
alpha sqrt(2) columns of the Cholesky factor, alpha = 1 or lowered by 0.1 until all points keep the bounds, beta = 2,
kappa = 0. Means stay a thousandth of the bounds' distance inside.

Command: python3 learning.py
Lines: tick, then c and a of a viscous damper c |v|^a sgn v, their standard deviations and their covariance; run-TICK,
then the same of F_c and F_s of a LuGre device in the laboratory, and the displacements (m) of a frame of three floors
with two copies that have what was learned.
Test: method/learn/independent_test.go.
"""

import math

import numpy as np
from devices import RATE, TICKS, Frame, LuGre, Viscous, central

V0 = 1e-3


class Filter:
    def __init__(self, p, low, high, rate, noise):
        self.p, self.low, self.high, self.noise = np.array(p), np.array(low), np.array(high), noise
        self.unit = self.p.copy()
        self.P = np.diag((0.1 * self.unit) ** 2)
        self.Q = np.diag((3e-5 * self.unit) ** 2) * 1024 / rate

    def step(self, force, y):
        """A reading y of a force that is a function of the parameters."""
        p, P = self.p, self.P + self.Q
        root = np.linalg.cholesky((P + P.T) / 2)
        alpha = 1.0
        while True:
            points = np.vstack([p + s * alpha * np.sqrt(2) * root[:, i] for i in range(2) for s in (1, -1)])
            if ((points <= self.high) & (points >= self.low)).all():
                break
            alpha -= 0.1
        lam = alpha**2 * 2 - 2
        points = np.vstack([p, points])
        wm = np.full(5, 1 / (2 * (2 + lam)))
        wc = wm.copy()
        wm[0] = lam / (2 + lam)
        wc[0] = wm[0] + 1 - alpha**2 + 2
        ys = np.array([force(q) for q in points])
        mean = wm @ ys
        pyy = wc @ (ys - mean) ** 2 + self.noise**2
        gain = (wc * (ys - mean)) @ (points - p) / pyy
        room = 1e-3 * (self.high - self.low)
        self.p = np.clip(p + gain * (y - mean), self.low + room, self.high - room)
        self.P = P - np.outer(gain, gain) * pyy

    def numbers(self):
        return [*self.p, *np.sqrt(np.diag(self.P)), self.P[0, 1]]


def viscous():
    def force(p, v):
        return p[0] * v * (v * v + V0 * V0) ** ((p[1] - 1) / 2)

    rate, noise = 512.0, 300.0
    f = Filter([1.0e4, 0.4], [5e3, 0.25], [3e4, 0.44], rate, noise)
    for k in range(3000):
        t = k / rate
        v = 0.2 * np.sin(3 * t) + 0.15 * np.cos(11 * t)
        y = force([1.25e4, 0.35], v) + noise * (np.sin(1.7 * k * k) + np.cos(0.3 * k * k))
        f.step(lambda p: force(p, v), y)
        if k in (0, 9, 99, 999, 2999):
            print(k, *("%.17g" % x for x in f.numbers()))


class Learner:
    """A LuGre device learns F_c and F_s in blocks of readings: their mean displacement and force, and the slope of the
    displacement. A sigma point has the state that its own parameters lead to, to first order by z and dz/dp."""

    block, still = 4, 0.01  # readings; m/s

    def __init__(self, law):
        self.law, self.z, self.dz, self.past, self.readings = law, np.zeros(1), np.zeros(2), None, []
        self.filter = Filter([law.fc, law.fs], [400.0, 500.0], [2500.0, 1500.0], RATE / self.block, 25.0)

    def take(self, x, force):
        self.readings.append((x, force))
        if len(self.readings) == self.block:
            x, force = np.array(self.readings).T
            self.learn(x.mean(), np.polyfit(np.arange(self.block) / RATE, x, 1)[0], force.mean())
            self.readings = []

    def use(self, p):
        self.law.fc, self.law.fs = p

    def line(self, z, p, x):
        self.use(p)
        return self.law.line(z, self.past, x, self.block / RATE)

    def force(self, x, v, p):
        self.use(p)
        return self.law.force(x, v, self.z + self.dz @ (p - self.filter.p))

    def learn(self, x, v, measured):
        p = self.filter.p
        if self.past is None:
            self.past = x - v * self.block / RATE
        end = self.line(self.z, p, x)
        by = np.diag(1e-6 * self.filter.unit)  # with the exact derivative the parameters differ by 6e-8
        self.dz = np.array([(self.line(self.z + self.dz @ b, p + b, x) - end)[0] / b.sum() for b in by])
        self.z, self.past = end, x
        if abs(v) >= self.still:
            self.filter.step(lambda q: self.force(x, v, q), measured)
            self.z = self.z + self.dz @ (self.filter.p - p)
        self.use(self.filter.p)


def run():
    copy, true = LuGre(4e5, 2e3, 100.0, 800.0, 1000.0, 0.05), LuGre(4e5, 2e3, 100.0, 1100.0, 1250.0, 0.05)
    f = Frame([(1, 3, copy), (2, 1, copy), (0, 1, Viscous(3e3, 0.4, 5e-3, 1e4))], (0, 0, 0))
    learner, at, z, k = Learner(copy), 0.0, np.zeros(1), 0

    def laboratory(t):
        nonlocal at, z, k
        x = 0.02 * math.sin(5 * t) * math.sin(0.7 * t) + 0.006 * math.sin(13 * t)
        z, v, at = true.line(z, at, x, 1 / RATE), (x - at) * RATE, x
        force = true.force(x, v, z) + 25 * (math.sin(1.7 * k * k) + math.cos(0.3 * k * k))
        learner.take(x, force)
        k += 1
        return force

    for i, (x, _) in enumerate(central(f, 1 / RATE, TICKS[-1] + 1, laboratory)):
        if i in TICKS:
            print("run-%d" % i, *("%.17g" % n for n in (*learner.filter.numbers(), *x)))


viscous()
run()
