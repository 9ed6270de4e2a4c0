"""The single-actuator RTHS benchmark once more: numbers of campaign/papers/siso_test.go.

    python3 kit/independent/siso.py "$RTHS_RECORDS"

Needs numpy and scipy (Debian: python3-scipy) and the folder of recorded ground motions; 13 s.
Prints of each compensator J1 (ms) to J9 (%), El Centro x 0.4, case 1, without noise.
Compensators named behind the folder are run alone, NAME/noise with sensor noise of seed 1.

Written from docs/reference/benchmark-siso.md. Of the program's sources it reads only the benchmark's
matrices (model/structure/silva2020.go).
"""

import re
import sys
from pathlib import Path

import numpy as np
from scipy.linalg import expm
from scipy.signal import bilinear, butter

ROOT = Path(__file__).resolve().parents[2]
RATE = 4096.0
H = 1 / RATE
ME, KE = 29.13, 1.19e6
CE = 2 * 0.0097 * np.sqrt(KE * ME)
BITS = 2.0**18


def convert(u):
    """18 bits, the numbers of volts applied to metres; never beyond the range."""
    return np.floor(abs(u) * BITS + 0.5) / BITS * (1 if u > 0 else -1)


class Filter:
    def __init__(self, b, a):
        self.b, self.a, self.z = [float(v) for v in b], [float(v) for v in a], [0.0] * len(b)

    def step(self, x):
        b, a, z = self.b, self.a, self.z
        y = b[0] * x + z[0]
        for i in range(1, len(b)):
            z[i - 1] = b[i] * x - a[i] * y + z[i]
        return y


class PI:
    def __init__(self):
        self.lead = Filter(*bilinear([50.83163360273612, 8570.397339444286], [1, 8570.397339444286], RATE))
        self.pi = Filter(*bilinear([2, 95], [1, 0], RATE))

    def step(self, target, x):
        return self.pi.step(convert(convert(self.lead.step(convert(target))) - x))


LOWPASS = butter(4, 20, fs=RATE)


class AMB:
    """Inverse by backward differences, gradient law of the parameters."""

    def __init__(self, gain):
        self.a, self.gain = np.array([1.0, 0.01985916, 8.440143e-5, 1.985916e-7]), np.array(gain)
        self.past, self.late, self.lx, self.lu = np.zeros(4), np.zeros(4), Filter(*LOWPASS), Filter(*LOWPASS)
        self.diff = np.array([[1, 0, 0, 0], [1, -1, 0, 0], [1, -2, 1, 0], [1, -3, 3, -1]]) * RATE**np.arange(4)[:, None]

    def step(self, target, x):
        self.past[1:], self.past[0] = self.past[:3].copy(), target
        used = np.maximum(self.a, 0)
        u = used @ (self.diff @ self.past)
        self.late[1:], self.late[0] = self.late[:3].copy(), self.lx.step(x)
        d = self.diff @ self.late
        self.a = self.a + H * self.gain * d * (self.lu.step(u) - used @ d) / (1 + d @ d)
        return u


class KF:
    """Four taps 31 samples apart, Kalman filter; with the command so many samples late."""

    def __init__(self, late):
        self.x = np.array([11.1688, -20.4226, 13.6773, -3.4339])
        self.p, self.late = np.diag(self.x**2), [0.0] * late
        self.past, self.measured, self.lx, self.lu = np.zeros(94), np.zeros(94), Filter(*LOWPASS), Filter(*LOWPASS)
        self.k = 0

    def taps(self, line, v):
        line[self.k % 94] = v
        return line[(self.k - 31 * np.arange(4)) % 94]

    def step(self, target, x):
        self.late.append(self.x @ self.taps(self.past, target))
        u = self.late.pop(0)
        y, h = self.lu.step(u), self.taps(self.measured, self.lx.step(x))
        if abs(h[0]) >= 20e-6:
            g = self.p @ h
            s = h @ g + 1e-10
            self.x = self.x + g / s * (y - h @ self.x)
            self.p = self.p - np.outer(g, g) / s
        self.k += 1
        return u


def advance(m, c, k, load):
    """RK4 of a step as a matrix: of x, v, ground at 0, 1/2, 1, and the force held at floor 1."""
    inverse = np.linalg.inv(m)
    a = np.block([[np.zeros((3, 3)), np.eye(3)], [-inverse @ k, -inverse @ c]])
    w, f, unit = np.r_[np.zeros(3), -inverse @ load], np.r_[np.zeros(3), -inverse[:, 0]], np.eye(10)
    rate = lambda s, at: a @ s + np.outer(w, unit[6 + at]) + np.outer(f, unit[9])
    s = unit[:6]
    k1 = rate(s, 0)
    k2 = rate(s + H / 2 * k1, 1)
    k3 = rate(s + H / 2 * k2, 1)
    k4 = rate(s + H * k3, 2)
    return s + H / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def structure():
    text = (ROOT / "model/structure/silva2020.go").read_text()
    of = lambda part: np.array([float(v) for v in re.findall(r"-?\d{3,}\.\d+", part)[:9]]).reshape(3, 3)
    return 1000 * np.eye(3), of(text.split("{1000, 0.05,")[1]), of(text.split("var silvaStiffness")[1])


def run(compensator, ground, step, noisy):
    """x measured, and the floors, over time."""
    plant = np.array([[0, 1, 0, 0, 0, 0], [-9.9976e4, -425, 0, -2.1283e13, 0, 1.0261 * 2.1283e13],
                      [1, 0, -3.3, 0, -4.2297e6, 0], [0, 0, 0, 0, 1, 0], [0, 0, 1 / ME, -KE / ME, -CE / ME, 0], np.zeros(6)])
    plant = expm(plant * H)[:5]
    n = (len(ground) + 1) // 2
    noise = np.random.default_rng(1)
    ex, ef = noisy * np.sqrt(6.25e-14 * RATE) * noise.standard_normal(n), noisy * np.sqrt(1.16e-3 * RATE) * noise.standard_normal(n)
    z, s, felt, out = np.zeros(6), np.zeros(10), 0.0, np.zeros((n, 4))
    for i in range(n):
        x = z[3] + ex[i]
        out[i, 0], out[i, 1:] = x, s[:3]
        z[5] = convert(compensator.step(s[0], x))
        s[6:9], s[9] = ground[2 * i:2 * i + 3] if i + 1 < n else 0, felt  # the force is a sample late
        felt = z[2] + ef[i]
        s[:6] = step @ s
        z[:5] = plant @ z
    return out


def criteria(s, r):
    x, n = s[:, 0], s[:, 1:]
    std = lambda e, of: 100 * np.std(e, ddof=1) / np.std(of, ddof=1)
    top = lambda e, of: 100 * np.abs(e).max() / np.abs(of).max()
    lag = max(range(50), key=lambda l: np.corrcoef(x[l:], n[:len(x) - l, 0])[0, 1])
    return [1e3 * lag * H, std(x - n[:, 0], n[:, 0]), top(x - n[:, 0], n[:, 0]), std(x - r[:, 0], r[:, 0]), top(x - r[:, 0], r[:, 0]),
            *(of(n[:, i] - r[:, i], r[:, i]) for of in (std, top) for i in (1, 2))]


def main(records, *names):
    time, accel = np.loadtxt(Path(records) / "elcentro.csv", delimiter=",", skiprows=1, unpack=True)
    samples = int(np.floor(time[-1] * RATE + 1e-9)) + 1
    ground = 0.4 * np.interp(np.arange(2 * samples - 1) * H / 2, time, accel)
    m, c, k = structure()
    load = m.sum(1)
    # The reference is exact: x, v, ground and its slope.
    inverse, whole = np.linalg.inv(m), np.zeros((8, 8))
    whole[:3, 3:6], whole[3:6, :3], whole[3:6, 3:6], whole[3:6, 6], whole[6, 7] = np.eye(3), -inverse @ k, -inverse @ c, -1, 1
    whole = expm(whole * H)
    ref, s = np.zeros((samples, 3)), np.zeros(8)
    for i in range(samples):
        ref[i] = s[:3]
        s[6:] = ground[2 * i], (ground[2 * i + 2] - ground[2 * i]) * RATE if i + 1 < samples else 0
        s = whole @ s
    m[0, 0] -= ME
    c[0, 0] -= CE
    k[0, 0] -= KE
    part = advance(m, c, k, load)
    make = {"pi": PI, "kf": lambda: KF(0), "kf-table5": lambda: KF(1),
            "amb": lambda: AMB([10**8.4, 10**6.2, 10**2.1, 10**0.8]), "amb-fixed": lambda: AMB([0, 0, 0, 0])}
    for name in names or make:
        kind, *noise = name.split("/")
        print(name, *("%.6g" % v for v in criteria(run(make[kind](), ground, part, bool(noise)), ref)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
