"""Plant and modes of the benchmarks: numbers of model/plant/marths_test.go and
model/structure/silva2020_test.go.

    python3 kit/independent/matrices.py

Needs numpy and scipy (Debian: python3-scipy). Of the program's sources it reads only the
benchmark's matrices (model/structure/silva2020.go).

zero      transmission zeros of the multi-axial benchmark's plant, rad/s
gain      its static gains, row by row
held      entries of the plant held over 1/1024 s, in chains of four states, unit of frequency
          300 rad/s: F(1,1), F(4,1), F(8,8), F(5,8), G(4,1)
ratio_N   damping ratios of the single-actuator benchmark's case N
"""

import re
from pathlib import Path

import numpy as np
from scipy.linalg import block_diag, eigh, expm

ROOT = Path(__file__).resolve().parents[2]
HZ, W = 2 * np.pi, 300.0

# x1/u1, x2/u1 and x1/u2, x2/u2 of docs/reference/benchmark-multiaxial.md, Control plant.
zeros = lambda *f: np.poly([-HZ * v for v in f])
pair = np.array([1, 2 * HZ * 50, HZ**2 * (50**2 + 63**2)])
den = [np.polymul(zeros(2.65, 40), pair), np.polymul(zeros(3.5, 18.5), pair)]
num = [[2165.2 * zeros(120, 90), 349.95 * zeros(120, 90)], [4.5394e6 * zeros(3), 1.9238e7 * zeros(5)]]


def show(name, values):
    print(name, *("%.16g" % v for v in values))


across = np.polysub(np.polymul(num[0][0], num[1][1]), np.polymul(num[1][0], num[0][1]))
show("zero", np.sort(np.roots(across).real)[::-1])
show("gain", [num[j][i][-1] / den[j][-1] for i in range(2) for j in range(2)])

chains = []
for d in den:
    alpha = [d[4 - i] / W**(4 - i) for i in range(4)]
    a = np.diag(np.ones(3), 1)
    a[3] = [-v for v in alpha]
    chains.append((W * a, W * np.array([[0], [0], [0], [alpha[0]]])))
a, b = (block_diag(*[c[i] for c in chains]) for i in range(2))
e = expm(np.block([[a, b], [np.zeros((2, 10))]]) / 1024)
show("held", [e[0, 0], e[3, 0], e[7, 7], e[4, 7], e[3, 8]])

text = (ROOT / "model/structure/silva2020.go").read_text()
of = lambda part: np.array([float(v) for v in re.findall(r"-?\d{3,}\.\d+", part)[:9]]).reshape(3, 3)
k = of(text.split("var silvaStiffness")[1])
for i, (mass, ratio) in enumerate([(1000, "0.05"), (1100, "0.04"), (1300, "0.03"), (1000, "0.03")]):
    c = of(text.split("{%d, %s, []float64{" % (mass, ratio))[1])
    w2, phi = eigh((k + k.T) / 2, mass * np.eye(3))
    show("ratio_%d" % (i + 1), np.diag(phi.T @ c @ phi) / (2 * np.sqrt(w2)))
