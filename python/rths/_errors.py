"""What the program says of a wrong input, and where."""
import re
from typing import Any, Optional

_PLACE = re.compile(r"(?:(?P<file>.+?[.]ya?ml):(?:(?P<line>\d+):(?P<column>\d+):)? |--set .*?: (?=[\w.\[\]-]+: ))?"
                    r"(?:(?P<key>[A-Za-z_][\w.\[\]-]*): )?(?P<text>.*)", re.S)

class Error(ValueError):
    """A wrong input. Its text is the program's, its place that of the first problem; None: the text names none."""

    def __init__(self, text: str, hide: str = "", key: Optional[str] = None) -> None:
        if hide.endswith(".csv"):  # columns of the user
            text = text.replace(hide, "data")
        found = [_PLACE.match(line) or _PLACE.match("") for line in text.split("\n")]
        shown = []
        for message, place in zip(text.split("\n"), found):
            if message.startswith("--set ") or hide and place["file"] == hide:  # not what the user has written
                message = ": ".join(part for part in (place["key"], place["text"]) if part)
            shown.append(message)
        first = found[0]
        named = bool(first["file"]) and first["file"] != hide
        self.text: str = "\n".join(shown)
        self.key: Optional[str] = key or (first["key"] if first["file"] or text.startswith("--set ") else None)
        self.file: Optional[str] = first["file"] if named else None
        self.line, self.column = [int(first[n]) if named and first[n] else None for n in ("line", "column")]
        super().__init__(self.text)

class Failed(Error):
    """A run or a study that has not completed. What it has left is in result, if it has left something."""

    def __init__(self, text: str, result: Any = None) -> None:
        super().__init__(text)
        self.result = result

class Stopped(KeyboardInterrupt):
    """Ctrl-C has stopped a run or a study. What was kept is in result, if something was."""

    def __init__(self, result: Any = None) -> None:
        super().__init__("stopped by the user")
        self.result = result

class RunWarning(UserWarning):
    """A warning of the program, and the reason of a run that has not completed."""
