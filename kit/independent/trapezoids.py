"""The stability warning indicator under a constant delay: numbers of
campaign/papers/stability_simulated_test.go.

    python3 kit/independent/trapezoids.py "$RTHS_RECORDS"

Needs numpy (Debian: python3-numpy) and the folder of recorded ground motions. Prints per
delay, d and its samples: the largest SW in percent, and the instant, s, when SW reaches
100 %. Delays named behind the folder are run alone.

Galmez 2021, sections 5.3 and 7.4.1: partition case IV under Kobe x 0.4 at 4096 Hz, RK4 with
the force held, the force of the motion some samples ago, and all integrals by trapezoids
(5.18). Of the program's sources it reads only the benchmark's matrices
(model/structure/silva2020.go).
"""

import re
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
RATE = 4096
H = 1 / RATE
MASS, DAMPING, STIFFNESS = 29.1, 114.6, 1.19e6  # of the specimen, at the first floor


def structure():
    text = (ROOT / "model/structure/silva2020.go").read_text()
    of = lambda part: np.array([float(v) for v in re.findall(r"-?\d{3,}\.\d+", part)[:9]]).reshape(3, 3)
    k = of(text.split("var silvaStiffness")[1])
    c = of(text.split("{1000, 0.03,")[1])
    return 1000 * np.eye(3), c, k


def run(ground, delay):
    m, c, k = structure()
    load = m.sum(1)  # the specimen's mass is in it: forces of the whole structure
    m[0, 0] -= MASS
    c[0, 0] -= DAMPING
    k[0, 0] -= STIFFNESS
    inverse = np.linalg.inv(m)
    # RK4 of a linear system as one matrix: state, ground at 0, 1/2, 1, force.
    a = np.block([[np.zeros((3, 3)), np.eye(3)], [-inverse @ k, -inverse @ c]])
    w, f = np.r_[np.zeros(3), -inverse @ load], np.r_[np.zeros(3), -inverse[:, 0]]
    state = np.hstack([np.eye(6), np.zeros((6, 4))])
    rate = lambda s, at: a @ s + np.outer(w, np.eye(10)[6 + at]) + np.outer(f, np.eye(10)[9])
    k1 = rate(state, 0)
    k2 = rate(state + H / 2 * k1, 1)
    k3 = rate(state + H / 2 * k2, 1)
    k4 = rate(state + H * k3, 2)
    step = state + H / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    n = (len(ground) + 1) // 2
    s, past, force = np.zeros(10), np.zeros((n, 3)), np.zeros(n)
    states = np.zeros((n, 6))
    for i in range(n):
        states[i] = s[:6]
        free = -inverse[0] @ (k @ s[:3] + c @ s[3:6] + load * ground[2 * i])
        if delay == 0:  # the force acts on the acceleration that makes it
            force[i] = (STIFFNESS * s[0] + DAMPING * s[3] + MASS * free) / (1 + MASS * inverse[0, 0])
        elif i >= delay:
            late = past[i - delay]
            force[i] = STIFFNESS * late[0] + DAMPING * late[1] + MASS * late[2]
        past[i] = s[0], s[3], free - inverse[0, 0] * force[i]
        if i + 1 < n:
            s[6:9], s[9] = ground[2 * i:2 * i + 3], force[i]
            s[:6] = step @ s
    return states, force, c


def indicator(states, force, c):
    x, v = states[:, :3], states[:, 3:]
    dx = np.diff(x, axis=0)
    dissipated = np.r_[0, np.cumsum(((v[1:] + v[:-1]) / 2 @ c * dx).sum(1))]
    feedback = np.r_[0, -np.cumsum((force[1:] + force[:-1]) / 2 * dx[:, 0])]
    return np.where(feedback > 0, 100 * feedback / (dissipated + 1), 0)


time, accel = np.loadtxt(Path(sys.argv[1]) / "kobe.csv", delimiter=",", skiprows=1, unpack=True)
samples = int(np.floor(time[-1] * RATE + 1e-9)) + 1
half = 0.4 * np.interp(np.arange(2 * samples - 1) * H / 2, time, accel)
for delay in [int(d) for d in sys.argv[2:]] or (0, 4, 29, 37):
    sw = indicator(*run(half, delay))
    reached = np.flatnonzero(sw >= 100)
    print("d%d %.16g %s" % (delay, sw.max(), "%.16g" % (reached[0] * H) if len(reached) else "nan"))
