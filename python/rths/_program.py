"""Calls the program that the wheel carries."""
import json
import math
import os
import platform
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple

from ._errors import Error, Failed, RunWarning, Stopped

_HERE = Path(__file__).parent
_SYSTEM = f"{platform.system()} {platform.machine()}"
_PERCENT = re.compile(r"([^\r\n]*?) +(\d+)% \|")

def binary() -> str:
    """The path of the program: $RTHS_BINARY, the one in the wheel, or the one on the PATH."""
    inside = _HERE / "bin" / ("rths.exe" if os.name == "nt" else "rths")
    found = os.environ.get("RTHS_BINARY") or (str(inside) if inside.is_file() else shutil.which("rths"))
    if not found:
        raise Error(f"found no program rths for {_SYSTEM}, neither in {_HERE / 'bin'} nor on the PATH: "
                    "install the wheel of this system, or set RTHS_BINARY to the program")
    return found

def _start(command: List[str], out: Any) -> Tuple[subprocess.Popen, int]:
    """Starts the program. The second value reads its standard error: a terminal where there is such a thing, on which
    the program shows its progress."""
    options: Dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": out}
    try:
        if os.name == "nt":
            read, write = os.pipe()
            options["creationflags"] = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP")
        else:
            import fcntl, pty, termios  # Windows has none of these
            read, write = pty.openpty()
            mode = termios.tcgetattr(write)
            mode[1] &= ~termios.OPOST  # lines end as the program ends them
            termios.tcsetattr(write, termios.TCSANOW, mode)
            fcntl.ioctl(write, termios.TIOCSWINSZ, b"\x28\x00\x64\x00\x00\x00\x00\x00")  # 40 lines of 100 letters
            options["start_new_session"] = True  # Ctrl-C reaches this program, which passes it on once
        try:
            return subprocess.Popen(command, stderr=write, **options), read
        except BaseException:
            os.close(read)
            raise
        finally:
            os.close(write)
    except OSError as wrong:
        note = _HERE / "bin" / "system"
        of = note.read_text("utf-8").strip() if note.is_file() else "another system"
        raise Error(f"cannot start {command[0]}, which is for {of}, on {_SYSTEM} ({wrong.strerror}): "
                    "install the wheel of this system, or set RTHS_BINARY to its program") from None

def _pump(read: int, into: "queue.Queue[bytes]") -> None:
    chunk = b" "
    while chunk:
        try:
            chunk = os.read(read, 65536)
        except OSError:  # a terminal whose last writer has ended
            chunk = b""
        into.put(chunk)
    os.close(read)

def notebook() -> bool:
    shell = sys.modules.get("IPython")
    return bool(shell and hasattr(shell.get_ipython(), "kernel"))

def _watch(process: subprocess.Popen, lines: "queue.Queue[bytes]") -> Tuple[str, bool]:
    """Waits for the program: what it has said, and whether Ctrl-C has stopped it."""
    said, stops, shown, quiet = b"", 0, "", 0
    visible = notebook() or bool(sys.stderr and sys.stderr.isatty())
    while True:
        try:
            chunk = lines.get(timeout=0.1)
            said, quiet = said + chunk, 0
            found = _PERCENT.findall(chunk.decode("utf-8", "replace")) if visible else []
            if found:
                shown = f"{found[-1][0].strip()} {found[-1][1]} %"
                print(f"\r{shown}   ", end="", file=sys.stderr, flush=True)
            if not chunk:
                process.wait()
                break
        except queue.Empty:
            quiet = 0 if process.poll() is None else quiet + 1
            if quiet > 20:  # a child of the program still holds the terminal
                break
        except KeyboardInterrupt:
            stops += 1
            process.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT) if stops < 3 else signal.SIGTERM)
    if shown:
        print("\r" + " " * (len(shown) + 3) + "\r", end="", file=sys.stderr, flush=True)
    return said.decode("utf-8", "replace"), stops > 0

def _messages(said: str) -> Tuple[str, List[str]]:
    """The error and the warnings among what the program has said."""
    said = "\n".join(line.split("\r")[-1] for line in said.split("\n"))
    before, _, error = ("\n" + said).partition("\nrths: ")
    return error.strip(), [line[9:] for line in before.split("\n") if line.startswith("warning: ")]

def call(arguments: List[str], made: Any, hide: str = "") -> Any:
    """Runs a command. made turns its document into a result; hide is a file of ours that messages should not name."""
    with tempfile.TemporaryFile() as out:
        process, read = _start([binary(), arguments[0], "--json", *arguments[1:]], out)
        lines: "queue.Queue[bytes]" = queue.Queue()
        threading.Thread(target=_pump, args=(read, lines), daemon=True).start()
        try:
            said, stopped = _watch(process, lines)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        out.seek(0)
        printed = out.read().decode("utf-8")
    error, doubts = _messages(said)
    for doubt in doubts:
        warnings.warn(doubt, RunWarning, stacklevel=4)
    try:
        document = json.loads(printed)
    except ValueError:  # there is none: the program has failed or was killed
        document = None
    code = process.returncode
    if code == 2:
        raise Error((document or {}).get("error", error), hide)
    result = None if document is None else made(document, error if code else "")
    if stopped and code:
        raise Stopped(result)
    if result is None:
        raise Failed(error or f"the program ended with status {code}")
    if code:
        warnings.warn(error, RunWarning, stacklevel=4)
    return result

def plain(value: Any, key: str, absolute: bool = False) -> Any:
    """A value as YAML and JSON know it, of file names the absolute ones if asked for. An error names the key."""
    if hasattr(value, "tolist"):  # of numpy and pandas
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(k): plain(v, f"{key}.{k}" if key else str(k), absolute) for k, v in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [plain(v, f"{key}[{i}]", absolute) for i, v in enumerate(value, 1)]
    value = os.fspath(value) if isinstance(value, os.PathLike) else value
    if absolute and isinstance(value, str) and re.search(r"(^|\.)(file|scenario)$", key):
        return os.path.abspath(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise Error(f"{key}: found {value}: want a finite number", key=key)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise Error(f"{key}: found a {type(value).__name__}: want a number, a text, a list or a dict", key=key)
