"""A yielding specimen behind a delay: numbers of scenario/error_work_test.go.

    python3 kit/independent/error_work.py

Needs numpy (Debian: python3-scipy brings it). Prints, after 20 s, the energies E_d, W_F, W_S and
W_e = W_F + W_S, J; and the largest SW, SW_e and SW_e of the last 2 s, %, with C_SW = 1 J.

Reads nothing of the program. Three storeys of 1000 kg and 2e5 N/m on a sine of the ground, of
which the first storey has a Bouc-Wen spring of 1e5 N/m in the laboratory. It follows the
structure 31.25 ms late. The delay differential equation is integrated by the classical
Runge-Kutta method, works and fading sums among its states; the motion of 31.25 ms ago, at
half steps too, is Hermite's cubic of displacement and velocity.
"""

import numpy as np

H, LATE, SECONDS, TWO = 1 / 2048, 64, 20, 2.0
M, K1 = 1000.0, 1e5
K = np.array([[4e5 - K1, -2e5, 0], [-2e5, 4e5, -2e5], [0, -2e5, 2e5]])
C = np.array([[600.0, -200, 0], [-200, 600, -200], [0, -200, 400]])
A, FY, ETA1, ETA2, C_SW = 0.1, 600.0, 0.5, 0.5, 1.0
ED, WF, WS, FED, TAKEN = range(7, 12)  # behind x, v and z


def rate(t, y, xm, vm):
    x, v, z = y[:3], y[3:6], y[6]
    f = A * K1 * xm + z
    d = np.empty_like(y)
    d[:3] = v
    d[3:6] = -(C @ v + K @ x) / M - 2.0 * np.sin(2 * np.pi * 1.2 * t)
    d[3] -= f / M
    d[6] = (1 - A) * K1 * (1 - (z / FY) ** 2 * (ETA1 * np.sign(z * vm) + ETA2)) * vm
    d[ED], d[WF], d[WS] = v @ C @ v, -f * v[0], f * vm
    d[FED] = d[WF] + d[WS] - y[FED] / TWO
    d[TAKEN] = d[ED] + d[WS] - y[TAKEN] / TWO
    return d


def share(work, taken):
    return 100 * work / (max(taken, 0) + C_SW) if work > 0 else 0.0


n = round(SECONDS / H)
past = np.zeros((LATE + n + 2, 2))  # displacement and velocity of the first floor
y, largest = np.zeros(12), np.zeros(3)
for k in range(n):
    (x0, v0), (x1, v1) = past[k], past[k + 1]  # of t - LATE H and a step later
    middle = (x0 + x1) / 2 + H * (v0 - v1) / 8, 1.5 * (x1 - x0) / H - (v0 + v1) / 4
    t = k * H
    a = rate(t, y, x0, v0)
    b = rate(t + H / 2, y + H / 2 * a, *middle)
    c = rate(t + H / 2, y + H / 2 * b, *middle)
    d = rate(t + H, y + H * c, x1, v1)
    y = y + H / 6 * (a + 2 * b + 2 * c + d)
    past[LATE + k + 1] = y[0], y[3]
    error = y[WF] + y[WS]
    largest = np.maximum(largest, [share(y[WF], y[ED]), share(error, y[ED] + y[WS]), share(y[FED], y[TAKEN])])
print("energies_J", *("%.12g" % v for v in (y[ED], y[WF], y[WS], y[WF] + y[WS])))
print("largest_pct", *("%.12g" % v for v in largest))
