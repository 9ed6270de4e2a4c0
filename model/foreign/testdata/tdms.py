"""Writes model/ground/testdata/tdms.tdms: a force and an acceleration in gal, in rows of 16-bit numbers and doubles, two
segments, as a recorder streams them. It follows National Instruments' TDMS File Format Internal Structure, not rths."""
import math
import pathlib
import struct

ROWS, STEP = 120, 0.01


def text(s):
    b = s.encode()
    return struct.pack("<I", len(b)) + b


def channel(name, kind, unit):
    return (text(f"/'quake'/'{name}'") + struct.pack("<IIIQ", 20, kind, 1, ROWS // 2) + struct.pack("<I", 3)
            + text("unit_string") + struct.pack("<I", 0x20) + text(unit)
            + text("wf_increment") + struct.pack("<Id", 10, STEP)
            + text("wf_start_time") + struct.pack("<IQq", 0x44, 1 << 63, 3_800_000_000))


def segment(toc, meta, raw):
    return b"TDSm" + struct.pack("<IIQQ", toc, 4713, len(meta) + len(raw), len(meta)) + meta + raw


rows = [struct.pack("<hd", 5 * k, 300 * math.sin(0.3 * k) * math.exp(-k / 40)) for k in range(ROWS)]
meta = (struct.pack("<I", 4) + text("/") + struct.pack("<II", 0xFFFFFFFF, 0)
        + text("/'quake'") + struct.pack("<II", 0xFFFFFFFF, 0)
        + channel("Load", 2, "kN") + channel("Acc", 10, "gal"))
out = segment(0x2 | 0x4 | 0x8 | 0x20, meta, b"".join(rows[:ROWS // 2])) + segment(0x8 | 0x20, b"", b"".join(rows[ROWS // 2:]))
(pathlib.Path(__file__).parents[2] / "ground/testdata/tdms.tdms").write_bytes(out)
