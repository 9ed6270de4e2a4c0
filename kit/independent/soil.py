"""The foundation of the soil-structure test: numbers of campaign/papers/soil_test.go.

    python3 kit/independent/soil.py

Needs numpy and scipy (Debian: python3-scipy). Prints the first three frequencies of the
foundation, Hz; its static stiffness at the middle of the top, N/m; and the part of it that
the first storey of the frame has, scaled by 2000.

Reads nothing of the program. Zhu et al. 2014, section 4.2: 60 m x 40 m of four-node
plane-strain elements, 12 x 8, 1 m thick, base and sides fixed, lumped mass. The stiffness of
the rectangle is integrated in closed form by exact polynomials, not by Gauss points.
"""

import numpy as np
from numpy.polynomial import Polynomial as P
from scipy.linalg import cho_factor, cho_solve, eigh

W, D, NX, NY, RHO, E, NU, T = 60.0, 40.0, 12, 8, 2000.0, 4e9, 0.2, 1.0
STOREY, SIMILITUDE = 15246.0, 2000.0  # N/m, -


def element(a, b):
    """Stiffness of an a x b rectangle, corners counterclockwise."""
    rise = lambda l: P([0, 1 / l])
    fall = lambda l: P([1, -1 / l])
    shapes = [(fall(a), fall(b)), (rise(a), fall(b)), (rise(a), rise(b)), (fall(a), rise(b))]  # N = X(x) Y(y)
    integral = lambda p, l: p.integ()(l)
    over = lambda f, g: integral(f[0] * g[0], a) * integral(f[1] * g[1], b)  # of f g over the rectangle
    dx = [(x.deriv(), y) for x, y in shapes]
    dy = [(x, y.deriv()) for x, y in shapes]
    lame, shear = E * NU / (1 + NU) / (1 - 2 * NU), E / 2 / (1 + NU)
    k = np.zeros((8, 8))
    for i in range(4):
        for j in range(4):
            xx, yy, xy, yx = over(dx[i], dx[j]), over(dy[i], dy[j]), over(dx[i], dy[j]), over(dy[i], dx[j])
            k[2 * i:2 * i + 2, 2 * j:2 * j + 2] = T * np.array([
                [(lame + 2 * shear) * xx + shear * yy, lame * xy + shear * yx],
                [lame * yx + shear * xy, (lame + 2 * shear) * yy + shear * xx]])
    return k


a, b = W / NX, D / NY
number = lambda i, j: i * (NY + 1) + j
n = 2 * (NX + 1) * (NY + 1)
k, m = np.zeros((n, n)), np.zeros(n)
for i in range(NX):
    for j in range(NY):
        corners = [number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)]
        dof = np.array([[2 * c, 2 * c + 1] for c in corners]).ravel()
        k[np.ix_(dof, dof)] += element(a, b)
        m[dof] += RHO * a * b * T / 4
free = [2 * number(i, j) + d for i in range(1, NX) for j in range(1, NY + 1) for d in range(2)]
k, m = k[np.ix_(free, free)], m[free]
top = free.index(2 * number(NX // 2, NY))
for w2 in eigh(k, np.diag(m), eigvals_only=True)[:3]:
    print("mode_Hz %.12g" % (np.sqrt(w2) / 2 / np.pi))
load = np.zeros(len(m))
load[top] = 1
stiffness = 1 / cho_solve(cho_factor(k), load)[top]
print("stiffness_N_m %.12g" % stiffness)
print("share %.12g" % (SIMILITUDE * STOREY / stiffness))
