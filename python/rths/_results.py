"""What the commands give back."""
import base64
import csv
import html
import json
import re
import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import Any, Dict, List, Optional

from . import _arrow, _program
from ._errors import Error, Failed

_NUMBER = re.compile(r"[-+]?\d+([.]\d*)?([eE][-+]?\d+)?")

class Page:
    """A report. A notebook shows it in place."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def show(self) -> "Page":
        """Shows it in the notebook, else in the browser."""
        if _program.notebook():
            from IPython.display import display
            display(self)
        elif not webbrowser.open(self.path.resolve().as_uri()):
            print(f"found no browser: open {self.path}", file=sys.stderr)
        return self

    def _repr_html_(self) -> str:
        page = html.escape(self.path.read_text("utf-8"), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:40em;border:0"></iframe>'

class Result:
    """The result of a command. Its entries, such as criteria, are attributes; data has all of them."""

    def __init__(self, data: Dict[str, Any], reason: str = "") -> None:
        self.data = data
        self.failure = reason  # why it is no success; empty: it is one
        self.status: str = data.get("status", "completed")
        self.verdict: str = data.get("verdict", "")
        files = data.get("files") or [data.get("rows_file")]
        self.folder: Optional[Path] = Path(files[0]).resolve().parent if files[0] else None  # None: nothing is kept

    def __getattr__(self, name: str) -> Any:
        entries = self.__dict__.get("data", {})
        if name in entries:
            return entries[name]
        raise AttributeError(f"{type(self).__name__} has no {name}: want one of {', '.join(entries)}")

    def check(self) -> Any:
        """Returns the result, or raises Failed if it is no success."""
        if self.failure:
            raise Failed(self.failure, self)
        return self

    def kept(self) -> Path:
        """The folder, which has to be there."""
        if self.folder is None:
            raise Error(f"{self!r} has left no folder: want one made with out=FOLDER")
        return self.folder

    def report(self) -> Page:
        """The page with verdict, plots and criteria."""
        page = self.kept() / "report.html"
        if not page.is_file():
            _program.call(["report", str(self.kept())], Result)
        return Page(page)

    def __repr__(self) -> str:
        kind = type(self).__name__
        return f"<{kind} {': '.join(filter(None, (self.data.get('name'), self.status, self.failure or self.verdict)))}>"

    def _repr_html_(self) -> str:
        name, colour = html.escape(str(self.data.get("name", ""))), "#b00020" if self.failure else "inherit"
        said = html.escape(self.failure or self.verdict)
        return f'<p><b>{name}</b>: {html.escape(self.status)}: <span style="color:{colour}">{said}</span></p>'

class Run(Result):
    """A run: status, verdict, criteria by name, and the signals."""
    _read: Optional[List[_arrow.Column]] = None

    def _columns(self) -> List[_arrow.Column]:
        if self._read is None:
            manifest = json.loads((self.kept() / "manifest.json").read_text("utf-8"))
            self._read = _arrow.read(self.kept() / "frames.arrow", manifest.get("sums"))
        return self._read

    @property
    def frames(self) -> Any:
        """All signals by name, at every sample: a DataFrame where there is pandas, else a dict of columns."""
        columns = {column.name: column.values for column in self._columns()}
        try:
            import pandas
        except ImportError:
            return columns
        frames = pandas.DataFrame(columns)
        frames.attrs["units"] = self.units
        return frames

    @property
    def units(self) -> Dict[str, str]:
        return {column.name: column.unit for column in self._columns()}

    def _repr_html_(self) -> str:
        text = super()._repr_html_()
        rows = "".join(f"<tr><td>{html.escape(k)}</td><td>{v:.4g}</td></tr>" for k, v in self.criteria.items()
                       if isinstance(v, (int, float)))
        text += f"<details><summary>criteria</summary><table>{rows}</table></details>"
        if self.folder is None:
            return text
        with tempfile.TemporaryDirectory() as folder:
            figure = Path(folder) / "tracking.svg"
            try:
                _program.call(["report", str(self.folder), "--figure=tracking", "--width=160mm", f"-o{figure}"], Result)
            except Error as wrong:  # a run that ended before its first sample has no plot
                return text + f"<p>no plot: {html.escape(wrong.text)}</p>"
            picture = base64.b64encode(figure.read_bytes()).decode("ascii")
        return text + f'<img alt="tracking" src="data:image/svg+xml;base64,{picture}">'

class Study(Result):
    """Many runs: summary, and a row for each run."""

    @property
    def rows(self) -> Any:
        """The runs: a DataFrame where pandas is installed, else a list of dicts; numbers are float."""
        path = self.kept() / "rows.csv"
        try:
            import pandas
            return pandas.read_csv(path)
        except ImportError:
            with path.open(encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
            return [{k: float(v) if _NUMBER.fullmatch(v) else v for k, v in row.items()} for row in rows]
