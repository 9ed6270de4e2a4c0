#!/usr/bin/env python3
"""A rig that can lie: the rig's side of docs/reference/protocol.md by another author, written from that page alone.

    python3 liar.py --listen 127.0.0.1:0 --log true.csv --lie drift@2=0.001 --lie dead@4

It simulates actuators (second-order followers with a rate limit and a mechanical stop) that load springs with
dashpots, and answers one loop at a time. A lie is [axis:]kind@start_s[=size], its time counted in samples from
*start*; it goes on until the next session. The log holds the truth, a line for every sample of motion and
one where the rig has come to safety, written at once.
Standard output has a line of JSON at the start (the address) and one at the end of each session. SIGTERM ends it: it
says *bye* and goes to safety first. Only the standard library is used. Times in s, lengths in m, forces in N.
"""
import argparse
import collections
import hashlib
import hmac
import ipaddress
import json
import math
import os
import random
import select
import signal
import socket
import struct
import sys
import time

HELLO, WELCOME, START, KEEP, COMMAND, READING, BYE, REFUSE = range(1, 9)
LOCKSTEP, RIG = 0, 1
IDLE, RUNNING, HOLDING, RAMPING, TRIPPED = range(5)
FREE, HOMING = "free", "homing"  # without a session: at rest, and on the way to safety behind *bye*
STATES = {FREE: "free", HOMING: "homing", IDLE: "idle", RUNNING: "running", RAMPING: "ramping", TRIPPED: "tripped"}
CLIPPED, WATCHDOG, LIMIT, TRIGGER = 16, 32, 64, 128
VERSION_REASON, BUSY, RATE_REASON, CHANNELS_REASON, CLOCK_REASON, NOT_READY = range(1, 7)
NONE = 2**64 - 1
HEADER = struct.Struct("<4sBBHQQQqqqBBBBHH")
LARGEST_RATE = 512  # Hz, of the rig's own clock: what Python keeps up with

LIES = {  # kind: default size, meaning of the size
    "drift": (0.001, "displacement sensor drifts, m/s"),
    "jump": (0.005, "displacement sensor jumps, m"),
    "gain": (1.5, "displacement sensor times"),
    "noise": (0.0005, "displacement sensor, standard deviation more, m"),
    "sensor-stuck": (0, "displacement sensor stays at its value"),
    "cell-frozen": (0, "load cell stays at its value"),
    "cell-zero": (0, "load cell says zero"),
    "cell-reversed": (0, "load cell has the other sign"),
    "cell-times": (3, "load cell times"),
    "stuck": (0, "actuator stands where it is"),
    "runaway": (1, "actuator runs at the rate limit to the side of the sign"),
    "dead": (0, "no datagram is read or sent; the rig's own watchdog goes on"),
    "flag-watchdog": (0, "flag watchdog, while the state says running"),
    "flag-limit": (0, "flag limit, while the state says running"),
    "trip": (0, "the rig trips by itself: state tripped, and goes to safety"),
    "slow": (5, "readings come so many samples late; lockstep: are so old, and say so"),
    "lost": (0.2, "share of readings that are lost"),
    "garbage": (1, "share of readings in whose place garbage leaves"),
    "nan": (0, "displacements and forces that are not numbers"),
}


def crc32c_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


CRC = crc32c_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


class Bad(Exception):
    """A datagram that is dropped and counted as bad."""


class Datagram:
    """The fields of a datagram by their names on the page."""
    NAMES = ("magic", "version", "kind", "length", "session", "number", "acted", "sent", "echo", "measured",
             "nx", "nf", "na", "zero", "age", "status")

    def __init__(self, data, key):
        tail = 4 + (32 if key else 0)
        if len(data) < HEADER.size + tail:
            raise Bad("short")
        for name, value in zip(self.NAMES, HEADER.unpack_from(data)):
            setattr(self, name, value)
        whole = len(data) - tail
        self.body = data[HEADER.size:whole]
        if self.magic != b"RTHS" or data[whole:whole + 4] != struct.pack("<I", crc32c(data[:whole])):
            raise Bad("magic or crc")
        if key and not hmac.compare_digest(data[-32:], hmac.digest(key, data[:-32], hashlib.sha256)):
            raise Bad("hmac")
        self.other_version = self.version != 1 and self.kind == HELLO
        if not self.other_version:
            self.check(len(data))

    def check(self, length):
        if self.version != 1 or self.length != length or self.zero or max(self.nx, self.nf, self.na) > 32:
            raise Bad("version, length or channels")
        sizes = {HELLO: 48, START: 0, KEEP: 0, COMMAND: 8 * self.nx, BYE: 48}
        if self.kind not in sizes or len(self.body) != sizes[self.kind]:
            raise Bad("kind or length of the body")  # welcome, reading and refuse are bad at a rig
        if self.kind in (START, KEEP, BYE) and (self.nx or self.nf or self.na):
            raise Bad("channels")


class Actuator:
    """A second-order follower with a rate limit and a mechanical stop, a spring and a dashpot, and two sensors."""

    def __init__(self, rig, axis, options):
        self.rig, self.axis, self.options = rig, axis, options
        self.x, self.v = options.at, 0.0  # true
        self.asked = self.command = options.at  # the newest command that acts, and what is left of it by the limits
        self.stuck = {}  # values of sensors that stand still
        self.said = self.measure()

    def lie(self, kind):
        return self.rig.lie(kind, self.axis)

    def ask(self, command):
        """Takes a command; says if another one leaves in its place."""
        self.asked = command
        return self.bounded(self.options.rate_limit) != command

    def bounded(self, speed):
        goal = min(max(self.asked, -self.options.range), self.options.range)
        step = speed / self.rig.rate
        return goal if abs(goal - self.command) <= step else self.command + math.copysign(step, goal - self.command)

    def move(self, speed):
        """One sample of motion."""
        self.command = self.bounded(speed)
        dt, o = 1 / self.rig.rate, self.options
        runaway = self.lie("runaway")
        if self.lie("stuck") is not None:
            self.v = 0.0
            return
        steps = 1 if runaway is not None else 1 + int(dt * o.omega / 0.05)
        for _ in range(steps):
            if runaway is not None:
                self.v = math.copysign(o.rate_limit, runaway)
            else:
                self.v += dt / steps * (o.omega**2 * (self.command - self.x) - 2 * o.damping_ratio * o.omega * self.v)
                self.v = min(max(self.v, -o.rate_limit), o.rate_limit)
            self.x += dt / steps * self.v
            if abs(self.x) > o.stroke:
                self.x, self.v = math.copysign(o.stroke, self.x), 0.0

    def force(self):
        return self.options.stiffness * self.x + self.options.damping * self.v

    def resting(self):
        return abs(self.v) < 1e-6 and self.command == self.asked

    def measure(self):
        """What the two sensors say: displacement and force."""
        draw, o = self.rig.draw, self.options
        noise, gain, drift = self.lie("noise") or 0.0, self.lie("gain"), self.lie("drift")
        x = self.x * (1 if gain is None else gain) + draw.gauss(0, 1) * math.hypot(o.noise_m, noise)
        x += (self.lie("jump") or 0.0) + (0 if drift is None else drift * self.rig.since("drift", self.axis))
        times = self.lie("cell-times")
        f = self.force() * (1 if times is None else times) + draw.gauss(0, 1) * o.noise_n
        f = -f if self.lie("cell-reversed") is not None else f
        f = 0.0 if self.lie("cell-zero") is not None else f
        self.said = self.held("sensor-stuck", x), self.held("cell-frozen", f)
        if self.lie("nan") is not None:
            self.said = math.nan, math.nan
        return self.said

    def held(self, kind, value):
        """The value, or of a sensor that stands still its value when that began."""
        if self.lie(kind) is None:
            self.stuck.pop(kind, None)
            return value
        return self.stuck.setdefault(kind, value)


class Rig:
    def __init__(self, options, key):
        self.options, self.key, self.draw = options, key, random.Random(options.seed)
        self.garbage = random.Random(options.seed + 1)
        self.lies = {(kind, axis): (at, size) for kind, axis, at, size in options.lie}
        self.rate, self.clock = options.rate or 256.0, LOCKSTEP
        self.sample = None  # counted from *start*; none before the first one
        self.state, self.session, self.sessions = FREE, 0, 0
        self.hello = self.last_session = self.peer = None
        self.counts = collections.Counter()
        self.stopping, self.started, self.flags, self.refusals = False, False, 0, 0
        self.next_tick = None  # ns; none: the rig stands still, or lockstep
        self.axes = [Actuator(self, i, options) for i in range(1, options.actuators + 1)]
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(options.listen)
        self.log = open(options.log, "wb", buffering=0) if options.log else None
        names = [f"{name}{i}{unit}" for i in range(1, options.actuators + 1)
                 for name, unit in (("x", "_m"), ("f", "_N"), ("command", "_m"), ("said_x", "_m"), ("said_f", "_N"))]
        self.write_log("session,sample,state," + ",".join(names))

    # ---- lies

    def lie(self, kind, axis=1):
        """The size of a lie that is told now; none: it is not."""
        at, size = self.lies.get((kind, axis), (math.inf, None))
        return size if self.sample is not None and self.sample >= at * self.rate else None

    def since(self, kind, axis):
        """Seconds since a lie that is told began."""
        return self.sample / self.rate - self.lies[kind, axis][0]

    def dead(self):
        return self.lie("dead") is not None

    # ---- out

    def send(self, data, to):
        if not self.dead():
            self.socket.sendto(data, to)

    def encode(self, kind, session, echo, body=b"", number=0, acted=NONE, measured=0, channels=(0, 0, 0), age=0, status=0):
        length = HEADER.size + len(body) + 4 + (32 if self.key else 0)
        data = HEADER.pack(b"RTHS", 1, kind, length, session, number, acted, time.monotonic_ns(), echo, measured,
                           *channels, 0, age, status) + body
        data += struct.pack("<I", crc32c(data))
        return data + hmac.digest(self.key, data, hashlib.sha256) if self.key else data

    def refuse(self, hello, to, reason, text):
        body = text.encode().ljust(128, b"\0")
        self.send(self.encode(REFUSE, 0, hello.sent, body, number=hello.number, status=reason), to)

    def channels(self):
        return len(self.axes), len(self.axes), 0

    def welcome(self):
        o, n = self.options, len(self.axes)
        body = struct.pack("<ddBB6x56s", self.rate, o.watchdog, self.clock, 1, b"rig that can lie")
        body += struct.pack("<dd8s", o.range, o.rate_limit, b"m") * n + struct.pack("<dd8s", o.force_range, 0, b"N") * n
        self.counts["sent"] += 1
        data = self.encode(WELCOME, self.session, self.echo, body, number=self.hello, channels=self.channels())
        self.send(data, self.peer)

    def say_bye(self, to):
        self.counts["sent"] += 1
        c = self.counts
        body = struct.pack("<6Q", *(c[n] for n in ("sent", "received", "repeated", "old", "bad", "clipped")))
        self.send(self.encode(BYE, self.last_session, self.echo, body), to)

    def reading(self, number):
        """Measures, and makes a reading that leaves by send_reading."""
        self.reading_number = number
        said = [a.measure() for a in self.axes]
        self.told.append((said, time.monotonic_ns()))
        most_x, most_f = 1.1 * self.options.range, 1.1 * (self.options.force_range or math.inf)
        if any(abs(x) > most_x or abs(f) > most_f for x, f in said):
            self.go_to_safety(LIMIT)
        if self.lie("trip") is not None and self.state == RUNNING:
            self.go_to_safety(0)
        age = 0
        if self.clock == LOCKSTEP and (slow := self.lie("slow")):
            age = min(int(slow), len(self.told) - 1)
        said, measured = self.told[-1 - age]
        state = TRIPPED if self.state == RAMPING and self.lie("trip") is not None else self.state
        status = (state if self.started else IDLE) | self.flags | (TRIGGER if self.started and number == 0 else 0)
        for kind, flag in (("flag-watchdog", WATCHDOG), ("flag-limit", LIMIT)):
            status |= flag if self.state == RUNNING and self.lie(kind) is not None else 0
        body = struct.pack(f"<{2 * len(said)}d", *(x for x, _ in said), *(f for _, f in said))
        self.last_reading = self.encode(READING, self.session, self.echo, body, number, self.acted, measured,
                                        self.channels(), age, status)

    def send_reading(self):
        """Sends the last reading: now, late, or never."""
        self.counts["sent"] += 1
        data = self.last_reading
        if self.draw.random() < (self.lie("lost") or 0):
            return
        if self.draw.random() < (self.lie("garbage") or 0):
            data = self.spoilt(data)
        slow = int(self.lie("slow") or 0) if self.clock == RIG else 0
        self.delayed.append((self.ticks + slow, data))
        while self.delayed and self.delayed[0][0] <= self.ticks:
            self.send(self.delayed.popleft()[1], self.peer)

    def spoilt(self, data):
        """Garbage: a bit has changed, the end is missing, or nothing is left of it."""
        kind, at = self.garbage.randrange(3), self.garbage.randrange(len(data))
        if kind == 0:
            return data[:at] + bytes([data[at] ^ 1 << self.garbage.randrange(8)]) + data[at + 1:]
        return data[:at] if kind == 1 else self.garbage.randbytes(at)

    def write_log(self, line):
        if self.log:
            self.log.write(line.encode() + b"\n")

    def log_sample(self):
        values = [v for a in self.axes for v in (a.x, a.force(), a.command, *a.said)]
        sample = "" if self.sample is None else self.sample
        self.write_log(f"{self.sessions},{sample},{STATES[self.state]}," + ",".join(map(repr, values)))

    # ---- in

    def receive(self, data, sender):
        try:
            d = Datagram(data, self.key)
        except Bad:
            self.count("bad")
            return
        if d.kind == HELLO:
            self.take_hello(d, sender)
        elif self.session == 0:
            self.take_without_session(d, sender)
        elif d.session != self.session or sender != self.peer:
            self.count("old")
        else:
            self.heard = time.monotonic()
            self.echo = max(self.echo, d.sent)
            {START: self.take_start, KEEP: self.take_keep, COMMAND: self.take_command, BYE: self.take_bye}[d.kind](d)

    def count(self, what=None):
        if self.session:
            self.counts["received"] += 1
            if what:
                self.counts[what] += 1

    def take_without_session(self, d, sender):
        if d.kind == BYE and d.session == self.last_session:
            self.counts["received"] += 1
            self.counts["repeated"] += 1
            self.say_bye(sender)

    def take_hello(self, d, sender):
        if self.session and d.other_version:
            return self.count("bad")
        if self.session and (d.number != self.hello or sender != self.peer):
            return self.refuse(d, sender, BUSY, "another loop has the rig")
        if self.session:
            self.count("repeated")
            self.heard = time.monotonic()
            return None if self.started else self.welcome()
        if d.number == self.hello and not d.other_version:
            return None  # old: of the last session
        reason, text = self.objection(d)
        if reason:
            return self.refuse(d, sender, reason, text)
        return self.open_session(d, sender)

    def objection(self, d):
        o = self.options
        if d.other_version:
            return VERSION_REASON, "version 1 is spoken here"
        rate, clock = struct.unpack_from("<dB", d.body)
        reason, times = o.refuse
        if self.refusals < times:
            self.refusals += 1
            return reason, "refused on request"
        if self.state == HOMING or self.stopping:
            return NOT_READY, "on the way to safety"
        if (d.nx, d.nf, d.na) != self.channels():
            return CHANNELS_REASON, "this rig has %d displacements, %d forces, %d accelerations" % self.channels()
        if clock not in (LOCKSTEP, RIG) or o.clock == ("rig" if clock == LOCKSTEP else "lockstep"):
            return CLOCK_REASON, "clock: want the other one"
        if not 0 < rate < math.inf or o.rate not in (0, rate) or clock == RIG and rate > LARGEST_RATE:
            return RATE_REASON, f"rate {rate:g} Hz: want {f'{o.rate:g}' if o.rate else f'at most {LARGEST_RATE}'} Hz"
        return 0, ""

    def open_session(self, d, sender):
        self.rate, self.clock = struct.unpack_from("<dB", d.body)
        self.hello, self.peer, self.state, self.sample = d.number, sender, IDLE, None
        self.session = self.last_session = random.SystemRandom().randrange(1, 2**64)
        self.sessions += 1
        self.counts = collections.Counter(received=1)
        self.started, self.flags, self.acted, self.taken, self.pending = False, 0, NONE, -1, None
        self.reading_number, self.last_reading, self.echo = -1, None, d.sent
        self.told, self.delayed, self.ticks = collections.deque(maxlen=10000), collections.deque(), 0
        self.heard = self.fed = time.monotonic()
        if self.clock == RIG:
            self.next_tick = time.monotonic_ns() + round(1e9 / self.rate)
        self.welcome()

    def take_keep(self, _):
        self.count()
        if self.clock == LOCKSTEP:
            if not self.started:
                self.reading(self.reading_number + 1)
            self.send_reading()

    def take_start(self, _):
        if self.started:
            self.count("repeated")
            if self.clock == LOCKSTEP and self.taken < 0:
                self.send_reading()
            return
        self.count()
        self.started, self.sample, self.reading_number = True, -1, -1
        self.state = RUNNING if self.state == IDLE else self.state  # a limit of its own may act already
        self.fed = time.monotonic()
        self.told.clear()
        if self.clock == LOCKSTEP:
            self.sample = 0
            self.log_sample()
            self.reading(0)
            self.send_reading()

    def take_command(self, d):
        values = struct.unpack(f"<{d.nx}d", d.body)
        ahead = d.number - (self.reading_number + 1)
        if not self.started or (d.nx, d.nf, d.na) != (len(self.axes), 0, 0) or not all(map(math.isfinite, values)) \
                or ahead > max(1, self.options.watchdog * self.rate):
            return self.count("bad")
        if d.number < self.taken:
            return self.count("old")
        if d.number == self.taken:
            self.count("repeated")
            return self.send_reading() if self.clock == LOCKSTEP else None
        self.count()
        missed, self.taken = d.number - self.taken - 1, d.number
        running = self.state == RUNNING
        if running:
            self.fed = time.monotonic()
        if running and self.clock == RIG:
            self.pending = d.number, values
        if self.clock == LOCKSTEP:
            for _ in range(missed if running else 0):
                self.motion()
            if running:
                self.pending = d.number, values
                self.act()
                self.motion()
            self.reading(d.number + 1)
            self.send_reading()
        return None

    def take_bye(self, _):
        self.count()
        self.say_bye(self.peer)
        self.end_session("bye")

    # ---- motion and time

    def act(self):
        """The newest command that has come acts from now on."""
        if self.pending and self.state == RUNNING:
            self.acted, values = self.pending
            clipped = any([a.ask(v) for a, v in zip(self.axes, values)])
            self.flags = self.flags & ~CLIPPED | (CLIPPED if clipped else 0)
            self.counts["clipped"] += clipped
            self.pending = None

    def motion(self):
        """One sample of motion of all actuators: at the rate limit, or by itself at the speed to safety."""
        for a in self.axes:
            a.move(self.options.rate_limit if self.state in (IDLE, RUNNING) else self.options.safety_speed)
        if self.sample is not None:
            self.sample += 1
        self.log_sample()

    def go_to_safety(self, flag):
        """Ramps to zero by the wall clock."""
        if self.state not in (RUNNING, IDLE) and self.session:
            return
        self.flags |= flag
        self.state = RAMPING if self.session else HOMING
        for a in self.axes:
            a.asked = 0.0
        if self.next_tick is None:
            self.next_tick = time.monotonic_ns() + round(1e9 / self.rate)

    def end_session(self, end):
        self.ended, self.ended_in = end, STATES[self.state]
        self.session = 0
        self.go_to_safety(0)

    def tick(self):
        """Ticks of the rig's clock that are due: all of them move, the newest one measures."""
        period, now = round(1e9 / self.rate), time.monotonic_ns()
        while self.next_tick is not None and self.next_tick <= now:
            self.next_tick += period
            self.motion()
            self.act()
            self.arrive()
            self.reading_number += 1
            self.ticks += 1
            if self.session and self.clock == RIG and self.next_tick > now:
                self.reading(self.reading_number)
                self.send_reading()

    def arrive(self):
        """Ends the way to safety where the actuators stand still and nothing is left to command."""
        if self.state in (RAMPING, HOMING) and all(a.resting() for a in self.axes):
            self.state = TRIPPED if self.state == RAMPING else FREE
            if self.clock == LOCKSTEP or self.state == FREE:
                self.next_tick = None
            self.log_sample()
            if self.state == FREE:
                self.report()

    def report(self):
        line = {"session": self.sessions, "end": self.ended, "state": self.ended_in,
                "watchdog": bool(self.flags & WATCHDOG), "limit": bool(self.flags & LIMIT),
                "displacement_m": [a.x for a in self.axes], "force_N": [a.force() for a in self.axes],
                "counts": dict(self.counts)}
        print(json.dumps(line), flush=True)

    def watch(self):
        """What happens for want of datagrams, on the wall clock."""
        now, watchdog = time.monotonic(), self.options.watchdog
        if self.state == RUNNING and now - self.fed > watchdog:
            self.go_to_safety(WATCHDOG)
        elif self.state == TRIPPED and now - self.heard > 10 * watchdog:
            self.end_session("silence")
        elif self.state == IDLE and now - self.heard > max(10 * watchdog, 30):
            self.end_session("silence")

    def serve(self):
        print(json.dumps({"address": "%s:%d" % self.socket.getsockname(), "pid": os.getpid()}), flush=True)
        while not (self.stopping and self.state == FREE):
            wait = 0.05 if self.next_tick is None else max(0, min(0.05, (self.next_tick - time.monotonic_ns()) / 1e9))
            if select.select([self.socket], [], [], wait)[0]:
                data, sender = self.socket.recvfrom(65536)
                if not self.dead():
                    self.receive(data, sender)
            self.watch()
            self.tick()
            if self.stopping and self.session:
                self.say_bye(self.peer)
                self.end_session("stopped")


# ---- the command line

def lie(text):
    axis, _, rest = text.rpartition(":")
    kind, _, when = rest.partition("@")
    if kind not in LIES or not when:
        raise argparse.ArgumentTypeError(f"{text}: want [axis:]kind@start_s[=size] with a kind of {', '.join(LIES)}")
    at, _, size = when.partition("=")
    return kind, int(axis or 1), float(at), float(size) if size else LIES[kind][0]


def address(text):
    host, _, port = text.rpartition(":")
    return host, int(port)


def refusal(text):
    reason, _, times = text.partition("x")
    return int(reason), int(times) if times else math.inf


def parse(arguments):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                epilog="\n".join(f"{kind:14} {text}; {size:g}" for kind, (size, text) in LIES.items()))
    p.add_argument("--listen", type=address, default=("127.0.0.1", 0), help="host:port, port 0: a free one")
    p.add_argument("--log", help="file of the truth, CSV")
    p.add_argument("--lie", type=lie, action="append", default=[], help="[axis:]kind@start_s[=size], may be repeated")
    p.add_argument("--clock", choices=["lockstep", "rig"], help="the only one that is taken; without: both are")
    p.add_argument("--refuse", type=refusal, default=(0, 0), help="reason[xN]: refuse every hello, or the first N")
    p.add_argument("--actuators", type=int, default=1)
    p.add_argument("--seed", type=int, default=1, help="of noise, losses and garbage")
    for name, default, text in (
            ("rate", 0, "Hz; 0: any"), ("watchdog", 1.5, "s"), ("range", 0.05, "m, stated and clipped to"),
            ("stroke", 0.05, "m, mechanical stop"), ("rate-limit", 0.25, "m/s, stated, clipped to, and true"),
            ("safety-speed", 0.05, "m/s"), ("force-range", 0, "N; 0: not stated"),
            ("at", 0, "m, where it stands at first"),
            ("omega", 125, "rad/s of the actuator"), ("damping-ratio", 0.8, "of the actuator"),
            ("stiffness", 1e5, "N/m of the specimen"), ("damping", 300, "N·s/m of the specimen"),
            ("noise-m", 0, "m, standard deviation"), ("noise-n", 0, "N, standard deviation")):
        p.add_argument("--" + name, type=float, default=float(default), help=f"{text} ({default:g})")
    return p.parse_args(arguments)


def main():
    options = parse(sys.argv[1:])
    key = os.environ.get("RTHS_RIG_KEY", "").encode() or None
    if key and len(key) < 16:
        sys.exit("RTHS_RIG_KEY: want at least 16 bytes")
    if not key and not ipaddress.ip_address(options.listen[0]).is_loopback:
        sys.exit(f"{options.listen[0]} is not loopback: set RTHS_RIG_KEY")
    rig = Rig(options, key)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: setattr(rig, "stopping", True))
    rig.serve()


if __name__ == "__main__":
    main()
