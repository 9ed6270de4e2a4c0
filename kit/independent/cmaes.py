"""CMA-ES as in Hansen 2016, appendix A: numbers of campaign/study/cmaes_test.go.

    python3 kit/independent/cmaes.py

Needs numpy (Debian: python3-scipy). First, for some numbers n of keys and sizes of the population, the
sum of the weights, mu_eff, c_sigma, d_sigma, c_c, c_1, c_mu and E|N(0, I)|. Next, mean, step size and covariance matrix (by rows) after
one and after eight generations on an ellipsoid of three keys, with seven candidates a generation. In
place of random numbers stand z = 1.2 sin(1 + 7 g + 3 i^2 + 11 j), and y = C^(1/2) z with the symmetric
root; `stalled` counts the generations with h_sigma = 0. Then, with random numbers from the mean 0.5 and the
step size 0.1, the evaluations to 1e-10, counted in whole generations: median and mean of 101 seeds.

Reads nothing of the program's sources.
"""

import numpy as np

ALPHA = 2.0


class CMA:
    def __init__(self, n, sigma, lam=0):
        lam = lam or 4 + int(3 * np.log(n))
        mu = lam // 2
        raw = np.log((lam + 1) / 2) - np.log(np.arange(1, lam + 1))
        up, down = raw[:mu], raw[mu:]
        eff = up.sum() ** 2 / (up**2).sum()
        eff_minus = down.sum() ** 2 / (down**2).sum()
        self.c_sigma = (eff + 2) / (n + eff + 5)
        self.d_sigma = 1 + 2 * max(0.0, np.sqrt((eff - 1) / (n + 1)) - 1) + self.c_sigma
        self.c_c = (4 + eff / n) / (n + 4 + 2 * eff / n)
        self.c_1 = ALPHA / ((n + 1.3) ** 2 + eff)
        self.c_mu = min(1 - self.c_1, ALPHA * (1 / 4 + eff + 1 / eff - 2) / ((n + 2) ** 2 + ALPHA * eff / 2))
        alpha_mu = 1 + self.c_1 / self.c_mu
        alpha_mu_eff = 1 + 2 * eff_minus / (eff + 2)
        alpha_posdef = (1 - self.c_1 - self.c_mu) / (n * self.c_mu)
        self.w = np.where(raw >= 0, raw / up.sum(), min(alpha_mu, alpha_mu_eff, alpha_posdef) * raw / -down.sum())
        self.chi = np.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n**2))
        self.n, self.lam, self.mu, self.eff = n, lam, mu, eff
        self.m, self.sigma, self.c = np.full(n, 0.5), sigma, np.eye(n)
        self.p_sigma, self.p_c, self.g, self.stalled = np.zeros(n), np.zeros(n), 0, 0

    def generation(self, z, f):
        values, b = np.linalg.eigh(self.c)
        root, whiten = b * np.sqrt(values) @ b.T, b / np.sqrt(values) @ b.T
        y = z @ root
        fitness = np.array([f(self.m + self.sigma * step) for step in y])
        y = y[np.argsort(fitness, kind="stable")]
        mean = self.w[: self.mu] @ y[: self.mu]
        self.m = self.m + self.sigma * mean
        cs, cc, w = self.c_sigma, self.c_c, self.w
        self.p_sigma = (1 - cs) * self.p_sigma + np.sqrt(cs * (2 - cs) * self.eff) * whiten @ mean
        length = np.linalg.norm(self.p_sigma)
        self.sigma *= np.exp(cs / self.d_sigma * (length / self.chi - 1))
        h = float(length / np.sqrt(1 - (1 - cs) ** (2 * (self.g + 1))) < (1.4 + 2 / (self.n + 1)) * self.chi)
        self.stalled += h == 0
        self.p_c = (1 - cc) * self.p_c + h * np.sqrt(cc * (2 - cc) * self.eff) * mean
        scaled = np.where(w >= 0, w, w * self.n / np.sum((y @ whiten) ** 2, axis=1))
        keep = 1 + self.c_1 * (1 - h) * cc * (2 - cc) - self.c_1 - self.c_mu * w.sum()
        self.c = keep * self.c + self.c_1 * np.outer(self.p_c, self.p_c) + self.c_mu * (y.T * scaled) @ y
        self.g += 1
        return fitness.min()


def prescribed():
    def f(x):
        a, b, c = x - np.array([0.2, 0.8, 0.9])
        return (a + b) ** 2 + 100 * (a - b) ** 2 + 1000 * (c - 0.5 * a) ** 2

    s = CMA(3, 0.005)
    i, j = np.meshgrid(np.arange(s.lam), np.arange(3), indexing="ij")
    for g in range(8):
        s.generation(1.2 * np.sin(1 + 7 * g + 3 * i**2 + 11 * j), f)
        if g in (0, 7):
            print(f"generation{g + 1}", *[f"{v:.12g}" for v in np.concatenate([s.m, [s.sigma], s.c.ravel()])])
    print("stalled", s.stalled)


def evaluations(name, n, f):
    counts = []
    for seed in range(101):
        s, random = CMA(n, 0.1), np.random.default_rng(seed)
        while s.generation(random.standard_normal((s.lam, n)), f) > 1e-10:
            pass
        counts.append(s.g * s.lam)
    print(name, np.median(counts), np.mean(counts))


def ellipsoid(condition):
    return lambda x: np.sum(condition ** (np.arange(len(x)) / (len(x) - 1)) * (x - 0.5) ** 2)


def rosenbrock(x):
    a = 4 * x - 2
    return np.sum(100 * (a[1:] - a[:-1] ** 2) ** 2 + (1 - a[:-1]) ** 2)


for n, lam in [(1, 2), (1, 4), (3, 7), (10, 10), (50, 15), (50, 4), (4, 100)]:
    s = CMA(n, 1.0, lam)
    print(f"settings{n}of{lam}", *[f"{v:.12g}" for v in (s.w.sum(), s.eff, s.c_sigma, s.d_sigma, s.c_c, s.c_1, s.c_mu, s.chi)])
prescribed()
evaluations("sphere", 5, ellipsoid(1.0))
evaluations("ellipsoid", 5, ellipsoid(1e6))
evaluations("rosenbrock", 3, rosenbrock)
