"""The actuator of the single-actuator RTHS benchmark with parameters that vary in time:
numbers of model/plant/silva_varying_test.go.

    python3 kit/independent/varying_actuator.py

Needs numpy and scipy (Debian: python3-scipy); 1 s. Prints displacement (m) and force (N)
after 256, 512, 768 and 1024 samples of 1/1024 s under held commands. Every sample is
integrated by DOP853 to 1e-12, from the equations in the comment of plant.Silva2020, with
three parameters that go on changing inside the sample.
"""

import numpy as np
from scipy.integrate import solve_ivp

RATE = 1024.0
M, C, K = 29.13, 114.22, 1190e3
GAIN, AB, A2, A3, B1, B2 = 1.0261, 2.1283e13, 4.2297e6, 3.3, 425.0, 9.9976e4


def rate(t, y, u):
    ab = AB * (1 - 0.4 * (1 - np.exp(-t / 0.5)))
    b2 = B2 * (1 + 0.1 * np.sin(8 * t))
    a3 = A3 * (1 + 0.5 * np.sin(30 * t) + 0.2 * (1 - np.exp(-t / 0.1)))
    q, dq, f, x, v = y
    return [
        dq,
        ab * (GAIN * u - x) - b2 * q - B1 * dq,
        q - a3 * f - A2 * v,
        v,
        (f - C * v - K * x) / M,
    ]


def main():
    y = np.zeros(5)
    scale = np.array([1e6, 1e9, 1e3, 1e-3, 1e-1])
    for k in range(1024):
        u = 1e-3 * np.sin(2 * np.pi * 3 * k / RATE) + 0.5e-3 * np.sin(2 * np.pi * 11 * k / RATE)
        out = solve_ivp(rate, (k / RATE, (k + 1) / RATE), y, method="DOP853", rtol=1e-12, atol=1e-14 * scale, args=(u,))
        y = out.y[:, -1]
        if (k + 1) % 256 == 0:
            print("after%d" % (k + 1), repr(float(y[3])), repr(float(y[2])))


main()
