#!/usr/bin/env python3
"""Makes the wheel of a system from its program: wheel.py BINARY LICENSES GOOS/GOARCH DESCRIPTION FOLDER

wheel.py DESCRIPTION prints the version alone.
LICENSES is what rths licenses prints: those of the modules that are linked into the program.
DESCRIPTION is what git describe says (v1.2, v1.2-3-gabc1234, abc1234). A wheel is a zip with a RECORD. The same
program, sources and description give the same bytes. It prints the file.
"""
import base64
import hashlib
import re
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).parent

# The program is static: any Linux runs it, with glibc or with musl. Those of Go 1.26 want macOS 12.
TAGS = {
    "linux/amd64": ["manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"],
    "linux/arm64": ["manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64"],
    "darwin/amd64": ["macosx_12_0_x86_64"],
    "darwin/arm64": ["macosx_12_0_arm64"],
    "windows/amd64": ["win_amd64"],
}

# How a program of each system begins.
BEGINS = {"linux": [b"\x7fELF"], "darwin": [b"\xcf\xfa\xed\xfe"], "windows": [b"MZ"]}


def version(described: str) -> str:
    """The version as PEP 440 wants it: 1.2 of v1.2, 1.2.post3+gabc of v1.2-3-gabc, 0+gabc of abc."""
    dirty = described.endswith("-dirty")
    described = described[:-6] if dirty else described
    tagged = re.fullmatch(r"v?(\d+(?:\.\d+)*)(?:-(\d+)-(g[0-9a-f]+))?", described)
    if tagged and not re.fullmatch(r"[0-9a-f]{7,40}", described):
        base, local = tagged[1] + (f".post{tagged[2]}" if tagged[2] else ""), [tagged[3]] if tagged[3] else []
    elif re.fullmatch(r"[0-9a-f]{7,40}", described):
        base, local = "0", ["g" + described]
    else:
        sys.exit(f"wheel.py: description {described!r}: want v1.2, v1.2-3-gabc1234 or a commit")
    local += ["dirty"] if dirty else []
    return base + ("+" + ".".join(local) if local else "")


def record_line(name: str, data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode("ascii")
    return f"{name},sha256={digest},{len(data)}\n"


def contents(program: bytes, licenses: bytes, system: str, number: str) -> "dict[str, bytes]":
    """The files of the wheel by name, RECORD last."""
    info = f"rths-{number}.dist-info"
    sources = [*sorted((HERE / "rths").glob("*.py")), HERE / "rths" / "py.typed"]  # its mark that it has type hints
    files = {f"rths/{path.name}": path.read_bytes() for path in sources}
    files["rths/bin/rths" + (".exe" if system.startswith("windows/") else "")] = program
    files["rths/bin/system"] = (system + "\n").encode("ascii")
    files[f"{info}/licenses/THIRD_PARTY_LICENSES"] = licenses
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: rths\nVersion: {number}\n"
        "Summary: Real-time hybrid simulation: run, compensate, judge\n"
        "Requires-Python: >=3.8\nProvides-Extra: numpy\nRequires-Dist: numpy; extra == 'numpy'\n"
        "Provides-Extra: pandas\nRequires-Dist: pandas; extra == 'pandas'\n").encode("ascii")
    files[f"{info}/WHEEL"] = ("Wheel-Version: 1.0\nGenerator: rths\nRoot-Is-Purelib: false\n" + "".join(
        f"Tag: py3-none-{tag}\n" for tag in TAGS[system])).encode("ascii")
    lines = "".join(record_line(name, data) for name, data in files.items())
    files[f"{info}/RECORD"] = (lines + f"{info}/RECORD,,\n").encode("ascii")
    return files


def main() -> None:
    if len(sys.argv) == 2:
        print(version(sys.argv[1]))
        return
    if len(sys.argv) != 6:
        sys.exit(f"wheel.py: found {len(sys.argv) - 1} arguments: want BINARY LICENSES GOOS/GOARCH DESCRIPTION FOLDER")
    binary, licenses, system, described, folder = sys.argv[1:]
    if system not in TAGS:
        sys.exit(f"wheel.py: system {system}: want one of {', '.join(TAGS)}")
    program = Path(binary).read_bytes()
    if not any(program.startswith(begin) for begin in BEGINS[system.split("/")[0]]):
        sys.exit(f"wheel.py: {binary} is no program for {system}: it begins with {program[:4]!r}")
    number = version(described)
    target = Path(folder) / f"rths-{number}-py3-none-{'.'.join(TAGS[system])}.whl"
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w") as wheel:
        for name, data in contents(program, Path(licenses).read_bytes(), system, number).items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # no time of this computer
            entry.create_system = 3  # Unix, on every system
            entry.external_attr = (0o100755 if name.startswith("rths/bin/rths") else 0o100644) << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)
    print(target)


if __name__ == "__main__":
    main()
