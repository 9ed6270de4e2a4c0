"""Calibration runs of Gálmez 2021, section 7.2: numbers of campaign/papers/calibration_test.go.

    python3 kit/independent/calibration.py "$RTHS_RECORDS"
    python3 kit/independent/calibration.py "$RTHS_RECORDS" 0.45/0.04/3.2/20/500/1e6

Needs numpy and scipy (Debian: python3-scipy) and the folder of recorded ground motions. Without
runs it prints rms and peak of the target of the section's example, mm, then J2 (eq. 7.8), %,
without and with adaptation, without noise, for the specimen of the example and for the softest
and the stiffest of Table 7.3. For every run, SCALE/DAMPING/HZ/MASS/DAMPING/STIFFNESS with the
variables of Tables 7.4 and 7.3, it prints J2 with the calibrated gains: without noise, and with
noise of its own.

Reads nothing of the program's sources. El Centro, 5 to 12 s; one degree of freedom;
transfer system of Fig. 7.2 and Table 7.1; eqs 6.3 to 6.8, by Euler.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.linalg import expm
from scipy.signal import butter, lfilter

RATE = 4096
H = 1 / RATE
BITS = 2.0**18
NOISE = np.sqrt(6.25e-14 * RATE)  # standard deviation of the displacement sensor, m
AB, A2, A3, B1, B2 = 2.13e13, 4.23e6, 3.3, 425.0, 1e5
A0 = np.array([1.0, 0.01985916, 8.440143e-5, 1.985916e-7])
GAMMA = 10.0 ** np.array([8.4, 6.2, 2.1, 0.8])
DIFF = np.array([[1, 0, 0, 0], [1, -1, 0, 0], [1, -2, 1, 0], [1, -3, 3, -1]]) * float(RATE) ** np.arange(4)[:, None]


def target(folder, scale, zeta, hz):
    t, a = np.loadtxt(Path(folder) / "elcentro.csv", delimiter=",", skiprows=1, unpack=True)
    n = int(round((12 - 5) * RATE)) + 1
    ag = scale * np.interp(5 + np.arange(n) * H, t, a)
    w = 2 * np.pi * hz
    big = np.zeros((4, 4))  # x, v, ag and its slope: exact for a line within the step
    big[:2, :3] = [[0, 1, 0], [-(w**2), -2 * zeta * w, -1]]
    big[2, 3] = 1
    f = expm(big * H)
    z, x = np.zeros(2), np.zeros(n)
    for k in range(n - 1):
        x[k] = z[0]
        z = f[:2, :2] @ z + f[:2, 2] * ag[k] + f[:2, 3] * (ag[k + 1] - ag[k]) / H
    x[-1] = z[0]
    return x


def plant(m, c, k):
    """Held command to displacement: servo-valve, actuator, specimen as states."""
    a = np.zeros((6, 6))  # q, q', F, x, v, u
    a[0, 1] = 1
    a[1, :] = [-B2, -B1, 0, -AB, 0, AB]
    a[2, :] = [1, 0, -A3, 0, -A2, 0]
    a[3, 4] = 1
    a[4, :] = [0, 0, 1 / m, -k / m, -c / m, 0]
    f = expm(a * H)
    return f[:5, :5], f[:5, 5]


def run(x, specimen, gamma, noise=0.0):
    f, g = plant(*specimen)
    b, a = butter(4, 20, fs=RATE)
    zu, zx = np.zeros(4), np.zeros(4)
    z, p, past, late, y = np.zeros(5), A0.copy(), np.zeros(4), np.zeros(4), np.zeros(len(x))
    sensor = noise * np.random.default_rng(7).standard_normal(len(x))
    for k, d in enumerate(x):
        y[k] = z[3] + sensor[k]
        past[1:], past[0] = past[:3].copy(), d
        used = np.maximum(p, 0)
        u = used @ (DIFF @ past)
        (uf,), zu = lfilter(b, a, [u], zi=zu)
        (xf,), zx = lfilter(b, a, [y[k]], zi=zx)
        late[1:], late[0] = late[:3].copy(), xf
        r = DIFF @ late
        p = p + H * gamma * r * (uf - used @ r) / (1 + r @ r)
        z = f @ z + g * np.clip(np.round(u * BITS) / BITS, -3.8, 3.8)
    return 100 * np.sqrt(np.sum((y - x) ** 2) / np.sum(x**2))


def example(folder):
    x = target(folder, 0.4, 0.04, 3.5)
    print("target_mm %.9g %.9g" % (1e3 * np.sqrt(np.mean(x**2)), 1e3 * np.max(abs(x))))
    for name, specimen in (("example", (20, 500, 1e6)), ("soft", (20, 500, 1e4)), ("stiff", (20, 500, 2e6))):
        print("%s %.7g %.7g" % (name, run(x, specimen, 0 * GAMMA), run(x, specimen, GAMMA)))


def draw(folder, name):
    scale, zeta, hz, *specimen = [float(v) for v in name.split("/")]
    x = target(folder, scale, zeta, hz)
    print("%s %.7g %.7g" % (name, run(x, specimen, GAMMA), run(x, specimen, GAMMA, NOISE)))


if len(sys.argv) == 2:
    example(sys.argv[1])
for name in sys.argv[2:]:
    draw(sys.argv[1], name)
