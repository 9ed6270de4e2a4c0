"""Sweeps of the Kalman-filter study: numbers of campaign/papers/kalman_test.go.

    python3 kit/independent/kalman.py

Needs numpy and scipy (Debian: python3-scipy). Prints quantity, factor on it and RMSE in percent.

Reads nothing of the program. Ning et al. 2020, section 4: a plant of 50 rad/s and 80 % of
damping, commands held at 4096 Hz, a sweep of 100 mm from 0.1 to 10 Hz in 10 s, three taps one
sample apart. The command of an instant aims at the target of the next one.
"""

import numpy as np
from scipy.linalg import expm

RATE, W, ZETA = 4096, 50.0, 0.8
X0 = np.array([5817.0, -11520.0, 5704.0])


def run(x0, p0, r):
    a = np.array([[0, 1, 0], [-W**2, -2 * ZETA * W, W**2], [0, 0, 0]])
    f = expm(a / RATE)
    t = np.arange(10 * RATE + 2) / RATE
    d = 0.1 * np.sin(2 * np.pi * (0.1 * t + (10 - 0.1) * t**2 / 20))
    x, p, r = x0 * X0, p0 * np.diag((0.1 * X0)**2), 0.001 * r
    z, y, u = np.zeros(3), np.zeros(len(t)), 0.0
    at = lambda s, k: np.array([s[k - j] if k >= j else 0.0 for j in range(3)])
    for k in range(len(t) - 1):
        y[k] = z[0]
        command = x @ at(d, k + 1)
        if k > 0:  # u aimed at this instant
            h = at(y, k)
            g = p @ h / (h @ p @ h + r)
            x = x + g * (u - h @ x)
            p = p - np.outer(g, h) @ p
            p = (p + p.T) / 2
        u = z[2] = command
        z = f @ z
    d, y = d[:-1], y[:-1]
    return 100 * np.std(y - d) / np.std(d)


for quantity, factor, parts in (("x0", 1, (1, 1, 1)), ("P0", 1.3, (1, 1.3, 1)), ("R", 1 / 1.3, (1, 1, 1 / 1.3))):
    print("%s %.9g %.9g" % (quantity, factor, run(*parts)))
