"""Real-time hybrid simulation from Python.

    import rths
    run = rths.run("frame.yaml", **{"compensator.kind": "kf"})
    run.verdict, run.criteria["J2_pct"], run.frames["target_m"]

A scenario is a file or a dict; run and stability take a Run, too. Keyword arguments override keys. A wrong input raises
Error. A run that diverges warns, and its check() raises Failed. Ctrl-C raises Stopped, which has what was kept.
"""
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from . import _program
from ._errors import Error, Failed, RunWarning, Stopped
from ._program import binary, plain
from ._results import Page, Result, Run, Study

__all__ = ["run", "demo", "study", "calibrate", "advise", "stability", "judge", "identify", "binary",
           "Run", "Study", "Result", "Page", "Error", "Failed", "Stopped", "RunWarning"]

Source = Union[str, "os.PathLike[str]", Mapping[str, Any]]
Scenario = Union[Source, Run]
Data = Union[Scenario, Sequence[Union[str, "os.PathLike[str]"]]]

def _flags(options: Dict[str, Any]) -> List[str]:
    """The flags of a command; None and False are not given."""
    out = []
    for name, value in options.items():
        if isinstance(value, (list, tuple)):
            value = ",".join(map(str, value))
        elif isinstance(value, dict):
            value = ",".join(f"{k}={v}" for k, v in value.items())
        if value is not None and value is not False:
            out.append(f"--{name.replace('_', '-')}={'true' if value is True else value}")
    return out

def _command(name: str, made: Any, given: Dict[str, Any]) -> Any:
    """Runs a command on a scenario or a study, the first that is given; sets are keys, all others flags."""
    source, sets = given.pop(next(iter(given))), given.pop("sets")
    flags = _flags(given) + [f"--set={k}={json.dumps(plain(v, k), ensure_ascii=False)}" for k, v in sets.items()]
    source = source.kept() if isinstance(source, Result) else source
    if not isinstance(source, Mapping):
        return _program.call([name, *flags, "--", os.fspath(source)], made)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "scenario.yaml")
        takes = name in ("run", "stability")  # the flag that says where file names start
        document = plain(source, "", absolute=not takes)
        if isinstance(document.get("scenario"), dict):  # of a study
            base, document["scenario"] = document["scenario"], "base.yaml"
            Path(folder, "base.yaml").write_text(json.dumps(base, ensure_ascii=False), "utf-8")
        path.write_text(json.dumps(document, ensure_ascii=False), "utf-8")
        flags += _flags({"inputs": takes and os.getcwd()})
        return _program.call([name, *flags, "--", str(path)], made, str(path))

def run(scenario: Scenario, *, out: Optional[str] = None, no_record: bool = False, **sets: Any) -> Run:
    """Runs a scenario. The record is kept in the folder out, by default in one of its own under runs."""
    return _command("run", Run, locals())

def demo(out: Optional[str] = None) -> Run:
    """Runs a first test, and shows its report: in the browser, or in the notebook."""
    made = _program.call(["demo", *_flags({"out": out})], Run)
    made.report().show()
    return made

def study(study: Source, *, out: Optional[str] = None, compensator: Optional[Sequence[str]] = None,
          record: Optional[Sequence[str]] = None, perturbed: Optional[int] = None, resume: bool = False,
          workers: Optional[int] = None, **sets: Any) -> Study:
    """Makes many runs, as a study says, or of a scenario with other compensators, records and random plants."""
    return _command("study", Study, locals())

def calibrate(study: Source, *, out: Optional[str] = None, resume: bool = False, workers: Optional[int] = None,
              **sets: Any) -> Study:
    """Tunes the keys that the block calibrate of a study names."""
    return _command("calibrate", Study, locals())

def advise(scenario: Source, *, out: Optional[str] = None, runs: Optional[int] = None,
           minutes: Optional[float] = None, record: Optional[Sequence[str]] = None, seed: Optional[int] = None,
           good_pct: Optional[float] = None, rough_um: Optional[float] = None, workers: Optional[int] = None,
           **sets: Any) -> Result:
    """Says which compensator a test should take."""
    return _command("advise", Result, locals())

def stability(scenario: Scenario, *, out: Optional[str] = None, pade: Optional[int] = None,
              perturbed: Optional[int] = None, weight: Optional[Sequence[float]] = None, map: bool = False,
              **sets: Any) -> Result:
    """Says which delay a test tolerates, and whether its loop is stable."""
    return _command("stability", Result, locals())

def _measured(name: str, options: Dict[str, Any]) -> Any:
    """Runs a command on measured data: files, a run, or columns by name."""
    data = options.pop("data")
    data = data.kept() if isinstance(data, Result) else data
    if isinstance(data, (str, os.PathLike)):
        data = [data]
    if not (isinstance(data, Mapping) or hasattr(data, "columns")):
        return _program.call([name, *_flags(options), "--", *map(os.fspath, data)], Result)
    columns = {str(k): plain(list(data[k]), str(k)) for k in data.keys()}
    lengths = {k: len(v) for k, v in columns.items()}
    if len(set(lengths.values())) != 1:
        raise Error(f"columns of {lengths} rows: want at least one column, and all of the same length")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "data.csv")
        rows = [",".join(columns), *(",".join(map(repr, row)) for row in zip(*columns.values()))]
        path.write_text("\n".join(rows) + "\n", "utf-8")
        return _program.call([name, *_flags(options), "--", str(path)], Result, str(path))

def judge(data: Data, *, columns: Union[str, Dict[str, str], None] = None, rate: Optional[float] = None,
          unit: Optional[str] = None, out: Optional[str] = None) -> Result:
    """Judges a test that another program has recorded: files, or a dict or DataFrame of columns."""
    return _measured("judge", locals())

def identify(data: Data, *, columns: Union[str, Dict[str, str], None] = None, rate: Optional[float] = None,
             unit: Optional[str] = None, spacing: Optional[int] = None, to: Optional[float] = None,
             out: Optional[str] = None) -> Result:
    """Identifies a loading system from the command and the measured displacement of a loading test."""
    return _measured("identify", locals())
