"""Writes datagrams.txt: python3 datagrams.py > datagrams.txt

The program follows docs/reference/protocol.md with struct, a bitwise CRC and hmac, and shares no code
with the package.
"""
import hashlib
import hmac
import struct

NONE = 2**64 - 1
KEY = b"a key of the test, 32 bytes long"
HEADER = ["session", "number", "acted", "sent", "echo", "measured", "nx", "nf", "na", "age", "status"]


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)  # 0x1EDC6F41 reflected
    return crc ^ 0xFFFFFFFF


def packed(type_, value):
    if type_.startswith("text"):
        return value.encode().ljust(int(type_[4:]), b"\0")
    return struct.pack("<" + {"f64": "d", "u64": "Q", "u8": "B"}[type_], value)


def datagram(kind, header, body, key):
    bytes_ = b"".join(packed(type_, value) for type_, value, _ in body)
    length = 64 + len(bytes_) + 4 + (32 if key else 0)
    h = {"session": 0, "number": 0, "acted": NONE, "sent": 0, "echo": 0, "measured": 0, "nx": 0, "nf": 0, "na": 0, "age": 0, "status": 0} | header
    out = struct.pack("<4sBBHQQQqqqBBBBHH", b"RTHS", 1, kind, length, h["session"], h["number"], h["acted"], h["sent"],
                      h["echo"], h["measured"], h["nx"], h["nf"], h["na"], 0, h["age"], h["status"]) + bytes_
    out += struct.pack("<I", crc32c(out))
    if key:
        out += hmac.new(key, out, hashlib.sha256).digest()
    return h, out


def show(name, kind, header, body, key):
    h, out = datagram(kind, header, body, key)
    print(f"\n{name}" + (", with the key" if key else ""))
    print(f"  kind {kind}")
    for field in HEADER:
        print(f"  {field} {h[field]}")
    for type_, value, meaning in body:
        print(f"  {type_} {value!r}  # {meaning}" if not isinstance(value, str) else f"  {type_} {value}  # {meaning}")
    for at in range(0, len(out), 16):
        print(f"  {at:04x}: {out[at:at + 16].hex(' ')}")


S = 0x1122334455667788
CHANNELS = [("f64", 0.1, "range of displacement 1, m"), ("f64", 0.5, "its largest velocity, m/s"), ("text8", "m", "its unit"),
            ("f64", 50000.0, "range of force 1, N"), ("f64", 0.0, "rate: not stated"), ("text8", "N", "its unit"),
            ("f64", 20.0, "range of acceleration 1, m/s²"), ("f64", 0.0, "rate: not stated"), ("text8", "m/s²", "its unit")]
COUNTS = ["sent", "received", "repeated", "old", "bad", "clipped"]
DATAGRAMS = [
    ("hello", 1, {"number": 77, "sent": 1000000, "nx": 1, "nf": 1, "na": 1},
     [("f64", 1024.0, "rate, Hz"), ("u8", 0, "clock: lockstep")] + [("u8", 0, "zero")] * 7 + [("text32", "a loop", "program")]),
    ("welcome", 2, {"session": S, "number": 77, "sent": -5, "echo": 1000000, "nx": 1, "nf": 1, "na": 1},
     [("f64", 1024.0, "rate, Hz"), ("f64", 0.25, "watchdog, s"), ("u8", 0, "clock: lockstep"), ("u8", 1, "virtual")] + [("u8", 0, "zero")] * 6
     + [("text56", "Prüfstand 2", "laboratory")] + CHANNELS),
    ("start", 3, {"session": S, "sent": 2000000, "echo": -5}, []),
    ("keep", 4, {"session": S, "sent": 1500000, "echo": -5}, []),
    ("command", 5, {"session": S, "number": 3, "acted": 3, "sent": 3000000, "echo": 2500000, "nx": 2},
     [("f64", 0.001, "displacement 1, m"), ("f64", -0.025, "displacement 2, m")]),
    ("reading", 6, {"session": S, "number": 4, "acted": 3, "sent": 2500000, "echo": 3000000, "measured": 2499000, "nx": 2, "nf": 1, "na": 1, "age": 2, "status": 17},
     [("f64", 0.0009, "displacement 1, m"), ("f64", -0.024, "displacement 2, m"), ("f64", 1234.5, "force 1, N"), ("f64", -9.81, "acceleration 1, m/s²")]),
    ("bye", 7, {"session": S, "sent": 9000000, "echo": 8000000}, [("u64", n, what) for n, what in zip([12, 11, 3, 2, 1, 5], COUNTS)]),
    ("refuse", 8, {"number": 77, "sent": 7, "echo": 1000000, "status": 2}, [("text128", "another loop has the session: wait until it has ended", "why")]),
]

if __name__ == "__main__":
    assert crc32c(b"123456789") == 0xE3069283
    print("# One datagram of each kind of docs/reference/protocol.md, without a key and with one, by datagrams.py:")
    print("# the header's fields, the body's, and all bytes in hex (offset: bytes).")
    print(f"# The key is {KEY.decode()!r}, without the quotation marks.")
    for key in None, KEY:
        for d in DATAGRAMS:
            show(*d, key)
