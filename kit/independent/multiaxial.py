"""The multi-axial RTHS benchmark once more: numbers of campaign/papers/multiaxial_golden_test.go.

    python3 kit/independent/multiaxial.py "$RTHS_RECORDS"

Needs numpy and scipy (Debian: python3-scipy) and the folder of recorded ground motions; 20 s.
Prints one line per run: compensator/case, and the criteria in the order of KEYS. Runs named
after the folder are run alone; compensator/case/noise is a run with sensor noise of seed 1,
and prints the criteria of NOISY. start is theta(0) of adm, actuator 1.

Written from the equations of docs/reference/benchmark-multiaxial.md and of the methods' papers, with
scipy's Riccati solver and matrix exponential; dense maps; windows summed afresh. Of the
program's sources it reads only the benchmark's own numbers: K and M of the frame
(model/structure/marths_data.go), M5 and C5 of the specimen (model/plant/frame_specimen.go). El Centro x
0.4, without noise unless named so.
"""

import re
import sys
from functools import cache
from pathlib import Path

import numpy as np
from scipy.linalg import block_diag, eigh, expm, solve_continuous_are
from scipy.signal import butter, lfilter

ROOT = Path(__file__).resolve().parents[2]
RATE = 1024.0
H = 1 / RATE
KEYS = ["J1_1_ms", "J2_1_pct", "J2_2_pct", "J3_1_pct", "J5_theta_pct", "J6_x_pct", "J7_x_pct", "J7_theta_mono_pct",
        "J8_x3_mono_pct", "J9_theta_pct", "J10_theta2_pct", "J10_theta3_mono_pct"]
NOISY = ["J2_1_pct", "J2_2_pct", "J3_1_pct", "J3_2_pct", "J5_x_pct", "J5_theta_pct", "J6_x_pct", "J6_theta_pct"]
RUNS = ["none/1", "none/2", "none/3", "none/4", "msmc/1", "adm/1", "ats/1", "ats/4", "adm-msmc/1"]
MASS, RATIO = [1, 1.1, 1.3, 1], [0.05, 0.04, 0.03, 0.03]  # of the cases
X1, TH7, TH6, X2, TH12, X3, TH16 = 26, 20, 28, 25, 21, 12, 2  # equations, from 0
FORCED, SIGN = [X1, TH7, TH6], np.array([1.0, -1.0, -1.0])


# Structure and specimen.
def matrices():
    text = (ROOT / "model/structure/marths_data.go").read_text()
    mass, stiff = text.split("var marthsStiffness")
    m, k = np.zeros((29, 29)), np.zeros((29, 29))
    for dof, v in re.findall(r"(\d+): ([\d.]+)", mass):
        m[int(dof) - 1, int(dof) - 1] = float(v)
    for i, line in enumerate(re.findall(r"^\t\{(\{.*?\})\},$", stiff, re.M | re.S)):
        for j, v in re.findall(r"\{(\d+), ([-\d.e+]+)\}", line):
            k[i, int(j) - 1] = k[int(j) - 1, i] = float(v)
    return m, k


def rayleigh(m, k, ratio, w1, w2):
    return 2 * ratio / (w1 + w2) * (w1 * w2 * m + k)


def portal():
    """The frame that leaves the structure: x, rotations of joints 6 and 7."""
    inch, e, rho, lb, lc = 0.0254, 200e9, 785e3, 0.762, 0.635
    ic, ib, ac, ab = 2.520 * inch**4, 0.6132 * inch**4, 1.670 * inch**2, 0.947 * inch**2
    s, d, o = -3 * e * ic / lc**2, 3 * e * ic / lc + 4 * e * ib / lb, -2 * e * ib / lb
    k = np.array([[6 * e * ic / lc**3, s, s], [s, d, o], [s, o, d]])
    inertia = rho * (ac * lc**3 + ab * lb**3) / 24
    m = np.diag([rho * (ac * lc + ab * lb), inertia, inertia])
    w = np.sqrt(eigh(k, m, eigvals_only=True))
    return m, rayleigh(m, k, 0.05, w[0], w[2]), k


def specimen():
    """M5 L, C5 L, K5 L: forces at x, theta 7, theta 6 of x and theta 7."""
    text = (ROOT / "model/plant/frame_specimen.go").read_text()
    numbers = lambda name, end: [float(v) for v in re.findall(r"-?\d+\.\d+", text.split("var " + name)[1].split(end)[0])]
    m = np.diag(numbers("frameMass", "}\n"))
    c = np.array(numbers("frameDamping", "\n}\n")).reshape(5, 5)
    e, l, lb = 200e9, 0.64135, 0.762
    ei, eb = e * 0.7 * 2.520 * 0.0254**4, e * 4.21372e-7
    k = np.zeros((5, 5))  # x, theta 7, theta 6, bases of the columns of 7 and 6
    for top, base in ((1, 4), (2, 3)):
        at = np.ix_([0, top, base], [0, top, base])
        k[at] += ei / l**3 * np.array([[12, 6 * l, 6 * l], [6 * l, 4 * l**2, 2 * l**2], [6 * l, 2 * l**2, 4 * l**2]])
    k[np.ix_([1, 2], [1, 2])] += eb / lb * np.array([[4, 2], [2, 4]])
    rest = np.vstack([np.eye(2), -np.linalg.solve(k[2:, 2:], k[2:, :2])])
    return [(a @ rest)[:3] for a in (m, c, k)]


class Newmark:
    """Constant average acceleration, from rest before the first sample."""

    def __init__(self, m, c, k, load, forced):
        n = len(m)
        left = np.linalg.inv(k + 4 / H**2 * m + 2 / H * c)
        e = np.zeros((n, len(forced)))
        for j, dof in enumerate(forced):
            e[dof, j] = SIGN[j]
        u = left @ np.hstack([4 / H**2 * m + 2 / H * c, 4 / H * m + c, m, -load[:, None], -e])
        eye, zero = np.eye(n), np.zeros((n, n))
        pad = np.zeros((n, 1 + len(forced)))
        v = 2 / H * (u - np.hstack([eye, zero, zero, pad])) - np.hstack([zero, eye, zero, pad])
        a = 4 / H**2 * (u - np.hstack([eye, zero, zero, pad])) - np.hstack([zero, 4 / H * eye, eye, pad])
        heavy = np.flatnonzero(np.abs(m).sum(0))  # other accelerations act on nothing
        keep = np.r_[np.arange(2 * n), 2 * n + heavy]
        self.f = np.vstack([u, v, a])[keep][:, np.r_[keep, np.arange(3 * n, 3 * n + 1 + len(forced))]]
        self.s, self.size = np.zeros(self.f.shape[1]), len(keep)

    def step(self, ground, force=()):
        s, n = self.s, self.size
        s[n] = ground
        s[n + 1:] = force
        s[:n] = self.f @ s
        return s


def structures(case):
    """Numerical part, undivided structure, numerical part and specimen as one."""
    m, k = matrices()
    m *= MASS[case - 1]
    slower = np.sqrt(MASS[case - 1])
    c = rayleigh(m, k, RATIO[case - 1], 13.493 / slower, 165.125 / slower)
    gamma = np.zeros(29)
    gamma[[X1, X2, X3]] = 1
    whole = Newmark(m, c, k, m @ gamma, [])
    mp, cp, kp = portal()
    at = np.ix_([X1, TH6, TH7], [X1, TH6, TH7])
    m[X1, X1] -= mp[0, 0]
    c[at] -= cp
    k[at] -= kp
    load = m @ gamma
    part = Newmark(m, c, k, load, FORCED)
    for a, s in zip((m, c, k), specimen()):
        for i in range(3):
            for j in range(2):
                a[FORCED[i], FORCED[j]] += SIGN[i] * SIGN[j] * s[i, j]
    return part, whole, Newmark(m, c, k, load, [])


# Control plant: one chain of four states per command, unit of frequency 300 rad/s.
def plant():
    w, hz = 300.0, 2 * np.pi
    pair = [1, 2 * hz * 50, hz**2 * (50**2 + 63**2)]
    zero = lambda *f: np.poly([-hz * v for v in f])
    chains, out = [], []
    for poles, nums in (((2.65, 40), (2165.2 * zero(120, 90), 349.95 * zero(120, 90))),
                        ((3.5, 18.5), (4.5394e6 * zero(3), 1.9238e7 * zero(5)))):
        den = np.polymul(zero(*poles), pair)
        a = w * np.diag(np.ones(3), 1)
        a[3] = [-w * den[4 - i] / w**(4 - i) for i in range(4)]
        chains.append((a, np.array([[0], [0], [0], [w * den[4] / w**4]])))
        out.append([[num[::-1][i] * w**i / den[4] if i < len(num) else 0 for i in range(4)] for num in nums])
    a, b = block_diag(*[c[0] for c in chains]), block_diag(*[c[1] for c in chains])
    return a, b, np.hstack([np.array(o) for o in out])


def held(a, b):
    n, r = b.shape
    e = expm(H * np.block([[a, b], [np.zeros((r, n + r))]]))
    return e[:n, :n], e[:n, n:]


class PI:
    """The inner loop."""

    def __init__(self):
        self.sum, self.before = np.zeros(2), np.zeros(2)

    def step(self, r, y):
        e = r - y
        self.sum += H / 2 * (e + self.before)
        self.before = e
        return 2 * e + 95 * self.sum


class MSMC:
    """Sliding-mode control (Shangguan et al. 2024)."""

    def __init__(self, a, b, c):
        n, r = b.shape
        astar = np.block([[np.zeros((r, r)), c], [np.zeros((n, r)), a]])
        bstar = np.vstack([np.zeros((r, r)), b])
        q = np.diag([1e5] * r + [1.0] * n)
        # S = 0 is where the cheap regulator of the inputless part holds it: last states of
        # the chains to the end, eqs 3 to 19.
        order = [0, 1, 2, 3, 4, 6, 7, 8, 5, 9]
        ao, qo = astar[np.ix_(order, order)], q[np.ix_(order, order)]
        a11, a12 = ao[:n, :n], ao[:n, n:]  # B1 = 0: eta = Y
        x = solve_continuous_are(a11, a12, qo[:n, :n], qo[n:, n:])
        p = np.zeros((r, n + r))
        p[:, order] = np.hstack([np.linalg.solve(qo[n:, n:], a12.T @ x), np.eye(r)])
        gain = np.linalg.solve(p @ bstar, p @ astar + 300 * p)
        self.k1, self.k = gain[:, :r], gain[:, r:]
        re, qe = 1.5e-7 * np.eye(r), 1e-6 * np.eye(r)
        cov = solve_continuous_are(a.T, c.T, b @ qe @ b.T, re)
        l = np.linalg.solve(re, c @ cov).T
        f, g = held(a - l @ c, np.hstack([b, l]))
        self.f, self.g, self.c, self.x, self.sum, self.before = f, g, c, np.zeros(n), np.zeros(r), np.zeros(r)

    def step(self, r, y):
        e = r - self.c @ self.x
        self.sum += H / 2 * (e + self.before)
        self.before = e
        u = self.k1 @ self.sum - self.k @ self.x
        self.x = self.f @ self.x + self.g @ np.concatenate([u, y])
        return u


LOWPASS = butter(4, 20, fs=RATE)


class LowPass:
    def __init__(self, n):
        self.z, self.b, self.a = np.zeros((5, n)), LOWPASS[0][:, None], LOWPASS[1][:, None]

    def step(self, x):
        y = self.b[0] * x + self.z[0]
        self.z[:4] = self.z[1:] + self.b[1:] * x - self.a[1:] * y
        return y


class ADM:
    """Discrete model, p = 0, q = 4, by recursive least squares, of both actuators."""

    def __init__(self, starts):
        self.theta, self.p = np.array([s[0] for s in starts]), np.array([s[1] for s in starts])
        self.past, self.x, self.low = np.zeros((2, 4)), np.zeros((2, 4)), LowPass(4)

    def step(self, r, y):
        push(self.past, r)
        u = (self.theta * self.past).sum(1)
        v = self.low.step(np.concatenate([u, y]))
        push(self.x, v[2:])
        a = np.einsum("aij,aj->ai", self.p, self.x)
        d = 1 + (self.x * a).sum(1)
        e = v[:2] - (self.theta * self.x).sum(1)
        self.theta = self.theta + a * (e / d)[:, None]
        self.p = self.p - a[:, :, None] * a[:, None, :] / d[:, None, None]
        return u


def push(line, v):
    line[:, 1:] = line[:, :-1].copy()
    line[:, 0] = v


DIFF = np.array([[1, 0, 0], [RATE, -RATE, 0], [RATE**2, -2 * RATE**2, RATE**2]])


class ATS:
    """Series of second order, least squares over the last second, of both actuators."""

    def __init__(self, starts):
        self.a, self.n = np.array(starts), 0
        box = np.array([0.3, 0.02, 2e-4])
        self.low, self.high = self.a - box, self.a + box
        self.past, self.x, self.filter = np.zeros((2, 3)), np.zeros((2, 3)), LowPass(4)
        self.rows = np.zeros((2, 1024, 4))

    def step(self, r, y):
        push(self.past, r)
        u = (self.a * (self.past @ DIFF.T)).sum(1)
        v = self.filter.step(np.concatenate([u, y]))
        push(self.x, v[2:])
        self.rows[:, self.n % 1024, :3], self.rows[:, self.n % 1024, 3] = self.x @ DIFF.T, v[:2]
        self.n += 1
        for i in range(2):
            s = self.rows[i].T @ self.rows[i]
            if s[0, 0] / 1024 < 0.2e-3**2:
                continue
            scale = 1 / np.sqrt(np.diag(s)[:3])
            fit = scale * np.linalg.solve(s[:3, :3] * np.outer(scale, scale), scale * s[:3, 3])
            self.a[i] = np.clip(fit, self.low[i], self.high[i])
        return u


class Both:
    """A method around the inner loop, or in front of sliding-mode control."""

    def __init__(self, outer, inner):
        self.outer, self.inner = outer, inner

    def step(self, r, y):
        return self.inner.step(self.outer.step(r, y), y)


# The off-line test that ats, adm and adm-msmc start from.
def admstart(r, y):
    n = 1 << (len(r) + 7).bit_length()
    x = lfilter(*LOWPASS, y)
    fr, fx = np.fft.rfft(lfilter(*LOWPASS, r), n), np.fft.rfft(x, n)
    lines = np.arange(1, int(np.floor(20 * n / RATE)) + 1)
    taps = np.stack([fx[lines] * np.exp(-2j * np.pi * lines / n * j) for j in range(4)])
    normal = (taps.conj() @ taps.T).real
    theta = np.linalg.solve(normal + 1e-12 * np.trace(normal) * np.eye(4), (taps.conj() @ fr[lines]).real)
    phi = np.stack([x[3 - j:len(x) - j] for j in range(4)])
    return theta, np.linalg.inv(phi @ phi.T + 1e-12 * np.eye(4))


def atsstart(r, y):
    r, x = lfilter(*LOWPASS, r), lfilter(*LOWPASS, y)
    d = (DIFF @ np.stack([x[3 - j:len(x) - j] for j in range(3)])).T
    scale = np.abs(d).max(0)
    return np.linalg.lstsq(d / scale, r[3:], rcond=None)[0] / scale


# The test.

ALPHA = np.array([-np.arctan(0.127 / 0.26670), np.arctan(0.127 / 0.26670)])
ARM = np.hypot(0.26670, 0.127)


def node(y):
    theta = np.arcsin((y[0] - y[1]) / (2 * ARM * np.sin(ALPHA[1])))
    return np.array([y[0] - ARM * (np.cos(ALPHA[0] + theta) - np.cos(ALPHA[0])), theta])


def play(case, ground, compensator, closed=True, noise=None):
    """Signals over time: targets, actuators, node wanted and measured, points of three models."""
    part, whole, mono = structures(case)
    ms, cs, ks = specimen()
    a, b, c = plant()
    f, g = held(a, b)
    z, q0, v0, out = np.zeros(8), None, np.zeros(2), []
    points, signs = [X1, TH7, X2, TH12, X3, TH16], np.array([1, -1, 1, 1, 1, 1])
    force = np.zeros(3)
    if noise is None:
        noise = np.zeros(len(ground))
    for w, e in zip(ground, noise):
        y = c @ z + e
        q = node(y)
        v, acc = np.zeros(2), np.zeros(2)
        if q0 is not None:
            v = (q - q0) * RATE
            acc = (v - v0) * RATE
        q0, v0 = q, v
        if closed:
            force = ms @ acc + cs @ v + ks @ q
        s = part.step(w, force)
        n = s[points] * signs
        t = n[0] + ARM * (np.cos(n[1] + ALPHA) - np.cos(ALPHA))
        u = compensator.step(t, y)
        z = f @ z + g @ u
        row = [t, y, q, n]
        if closed:
            row += [whole.step(w)[points] * signs, mono.step(w)[points] * signs]
        out.append(np.concatenate(row))
    return np.array(out)


def lag(y, t):
    """Whole samples of y behind t at the largest correlation."""
    best = max(range(-49, 50), key=lambda l: np.corrcoef(y[max(l, 0):len(y) + min(l, 0)], t[max(-l, 0):len(t) - max(l, 0)])[0, 1])
    return best / RATE * 1e3


std = lambda a, r: 100 * np.std(a - r, ddof=1) / np.std(r, ddof=1)
top = lambda a, r: 100 * np.abs(a - r).max() / np.abs(r).max()


def noisy(s):
    t, y, m, n = s[:, :2], s[:, 2:4], s[:, 4:6], s[:, 6:8]
    return [of(a[:, i], r[:, i]) for a, r in ((y, t), (m, n)) for of in (std, top) for i in range(2)]


def criteria(s):
    t, y, m, n, whole, mono = np.split(s, [2, 4, 6, 12, 18], axis=1)
    return [lag(y[:, 0], t[:, 0]), std(y[:, 0], t[:, 0]), std(y[:, 1], t[:, 1]), top(y[:, 0], t[:, 0]),
            std(m[:, 1], n[:, 1]), top(m[:, 0], n[:, 0]), std(m[:, 0], whole[:, 0]), std(m[:, 1], mono[:, 1]),
            std(n[:, 4], mono[:, 4]), top(m[:, 1], whole[:, 1]), top(n[:, 3], whole[:, 3]), top(n[:, 5], mono[:, 5])]


def main(records, *runs):
    time, accel = np.loadtxt(Path(records) / "elcentro.csv", delimiter=",", skiprows=1, unpack=True)
    ground = np.interp(np.arange(int(np.floor(time[-1] * RATE + 1e-9)) + 1) * H, time, accel)

    @cache
    def offline(loop):
        return play(1, 0.2 * ground, loop(), closed=False)

    def starts(of, loop):
        s = offline(loop)
        return [of(s[:, i], s[:, 2 + i]) for i in range(2)]

    sliding = lambda: MSMC(*plant())
    make = {
        "none": PI,
        "msmc": sliding,
        "adm": lambda: Both(ADM(starts(admstart, PI)), PI()),
        "ats": lambda: Both(ATS(starts(atsstart, PI)), PI()),
        "adm-msmc": lambda: Both(ADM(starts(admstart, sliding)), sliding()),
    }
    for run in runs or RUNS + ["start"]:
        if run == "start":
            print(run, *("%.9g" % v for v in starts(admstart, PI)[0][0]))
            continue
        name, case, *noise = run.split("/")
        of, e = criteria, None
        if noise:  # the same on both channels, 1.5e-7 mm^2 s
            of, e = noisy, 1e-3 * np.sqrt(1.5e-7 * RATE) * np.random.default_rng(1).standard_normal(len(ground))
        print(run, *("%.9g" % v for v in of(play(int(case), 0.4 * ground, make[name](), noise=e))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
