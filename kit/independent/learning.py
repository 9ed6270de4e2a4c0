"""Unscented Kalman filter of the two parameters of a viscous damper c |v|^a sgn v, standard
form (van der Merwe 2004; Malik et al. 2025) with numpy's matrices: parameters in their own
units, P0 = (0.1 p)^2, Q = (3e-5 p)^2 a tick at 1024 Hz, sigma points p +- alpha sqrt(2)
columns of the Cholesky factor, alpha = 1 or lowered by 0.1 until all points keep the bounds,
beta = 2, kappa = 0. Means stay a thousandth of the bounds' distance inside.

Command: python3 learning.py
Lines: tick, c, a, their standard deviations and their covariance.
Test: method/learn/independent_test.go.
"""

import numpy as np

RATE, NOISE = 512.0, 300.0
V0 = 1e-3


def force(p, v):
    return p[0] * v * (v * v + V0 * V0) ** ((p[1] - 1) / 2)


def main():
    p = np.array([1.0e4, 0.4])
    unit = p.copy()
    low, high = np.array([5e3, 0.25]), np.array([3e4, 0.44])
    P = np.diag((0.1 * unit) ** 2)
    Q = np.diag((3e-5 * unit) ** 2) * 1024 / RATE
    true = np.array([1.25e4, 0.35])
    for k in range(3000):
        t = k / RATE
        v = 0.2 * np.sin(3 * t) + 0.15 * np.cos(11 * t)
        y = force(true, v) + NOISE * (np.sin(1.7 * k * k) + np.cos(0.3 * k * k))
        P = P + Q
        root = np.linalg.cholesky((P + P.T) / 2)
        alpha = 1.0
        while True:
            points = np.vstack([p + s * alpha * np.sqrt(2) * root[:, i] for i in range(2) for s in (1, -1)])
            if ((points <= high) & (points >= low)).all():
                break
            alpha -= 0.1
        lam = alpha**2 * 2 - 2
        points = np.vstack([p, points])
        wm = np.full(5, 1 / (2 * (2 + lam)))
        wc = wm.copy()
        wm[0] = lam / (2 + lam)
        wc[0] = wm[0] + 1 - alpha**2 + 2
        ys = np.array([force(q, v) for q in points])
        mean = wm @ ys
        pyy = wc @ (ys - mean) ** 2 + NOISE**2
        pxy = (wc * (ys - mean)) @ (points - p)
        gain = pxy / pyy
        p = np.clip(p + gain * (y - mean), low + 1e-3 * (high - low), high - 1e-3 * (high - low))
        P = P - np.outer(gain, gain) * pyy
        if k in (0, 9, 99, 999, 2999):
            print(k, *("%.17g" % x for x in (p[0], p[1], np.sqrt(P[0, 0]), np.sqrt(P[1, 1]), P[0, 1])))


main()
