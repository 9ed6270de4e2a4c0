"""Real-time hybrid simulation from Python.

    import rths
    run = rths.run("frame.yaml", **{"compensator.kind": "kf"})
    run.verdict, run.criteria["J2_pct"], run.frames["target_m"]

A scenario is a file, a dict, or a Run to run again. Keyword arguments override its keys. A wrong input raises Error. A
run that diverges gives a warning, and its check() raises Failed. Ctrl-C raises Stopped, which has what was kept.
"""
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from . import _program
from ._errors import Error, Failed, RunWarning, Stopped
from ._program import binary
from ._results import Page, Result, Run, Study

__all__ = ["run", "demo", "study", "calibrate", "advise", "stability", "judge", "identify", "binary",
           "Run", "Study", "Result", "Page", "Error", "Failed", "Stopped", "RunWarning"]

Scenario = Union[str, "os.PathLike[str]", Mapping[str, Any], Run]
Data = Union[str, "os.PathLike[str]", Mapping[str, Any], Run, Sequence[Union[str, "os.PathLike[str]"]]]

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

def _command(name: str, source: Any, made: Callable[..., Any], options: Dict[str, Any], sets: Dict[str, Any]) -> Any:
    """Runs a command on a scenario or a study."""
    flags = _flags(options) + [f"--set={key}={_program.text_of(value, key)}" for key, value in sets.items()]
    if isinstance(source, Result):
        source = source.kept()
    if not isinstance(source, Mapping):
        return _program.call([name, *flags, "--", os.fspath(source)], made)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scenario.yaml")
        document = _program.from_here(_program.plain(source, ""))
        if isinstance(document.get("scenario"), dict):  # of a study
            base, document["scenario"] = document["scenario"], "base.yaml"
            Path(folder, "base.yaml").write_text(json.dumps(base, ensure_ascii=False), "utf-8")
        Path(path).write_text(json.dumps(document, ensure_ascii=False), "utf-8")
        inputs = ["--inputs=" + os.getcwd()] if name in ("run", "stability") else []
        return _program.call([name, *flags, *inputs, "--", path], made, path)

def run(scenario: Scenario, *, out: Optional[str] = None, keep: bool = True, **sets: Any) -> Run:
    """Runs a scenario. The record is kept in the folder out, by default in one of its own under runs."""
    return _command("run", scenario, Run, {"out": out, "no_record": not keep}, sets)

def demo(out: Optional[str] = None) -> Run:
    """Runs a first test, and shows its report: in the browser, or in the notebook."""
    made = _program.call(["demo", *_flags({"out": out})], Run)
    shell = sys.modules.get("IPython")
    if shell and hasattr(shell.get_ipython(), "kernel"):
        from IPython.display import display
        display(made.report())
    else:
        made.report().show()
    return made

def study(study: Scenario, *, out: Optional[str] = None, compensator: Optional[Sequence[str]] = None,
          record: Optional[Sequence[str]] = None, perturbed: Optional[int] = None, resume: bool = False,
          workers: Optional[int] = None, **sets: Any) -> Study:
    """Makes many runs, as a study says, or of a scenario with other compensators, records and random plants."""
    options = dict(out=out, compensator=compensator, record=record, perturbed=perturbed, resume=resume, workers=workers)
    return _command("study", study, Study, options, sets)

def calibrate(study: Scenario, *, out: Optional[str] = None, resume: bool = False, workers: Optional[int] = None,
              **sets: Any) -> Study:
    """Tunes the keys that the block calibrate of a study names."""
    return _command("calibrate", study, Study, dict(out=out, resume=resume, workers=workers), sets)

def advise(scenario: Scenario, *, out: Optional[str] = None, runs: Optional[int] = None,
           minutes: Optional[float] = None, record: Optional[Sequence[str]] = None, seed: Optional[int] = None,
           good_pct: Optional[float] = None, rough_um: Optional[float] = None, workers: Optional[int] = None,
           **sets: Any) -> Result:
    """Says which compensator a test should take."""
    options = dict(out=out, runs=runs, minutes=minutes, record=record, seed=seed, good_pct=good_pct, rough_um=rough_um,
                   workers=workers)
    return _command("advise", scenario, Result, options, sets)

def stability(scenario: Scenario, *, out: Optional[str] = None, pade: Optional[int] = None,
              perturbed: Optional[int] = None, weight: Optional[Sequence[float]] = None, map: bool = False,
              **sets: Any) -> Result:
    """Says which delay a test tolerates, and whether its loop is stable."""
    options = dict(out=out, pade=pade, perturbed=perturbed, weight=weight, map=map)
    return _command("stability", scenario, Result, options, sets)

def _measured(name: str, data: Data, made: Callable[..., Any], options: Dict[str, Any]) -> Any:
    """Runs a command on measured data: files, a run, or columns by name."""
    if isinstance(data, (str, os.PathLike)):
        data = [data]
    if isinstance(data, Result):
        data = [data.kept()]
    if not (isinstance(data, Mapping) or hasattr(data, "columns")):
        return _program.call([name, *_flags(options), "--", *(os.fspath(path) for path in data)], made)
    columns = {str(k): _program.plain(list(data[k]), str(k)) for k in data.keys()}
    lengths = {k: len(v) for k, v in columns.items()}
    if len(set(lengths.values())) != 1:
        raise Error(f"columns of {lengths} rows: want at least one column, and all of the same length")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "data.csv")
        rows = [",".join(columns), *(",".join(map(repr, row)) for row in zip(*columns.values()))]
        Path(path).write_text("\n".join(rows) + "\n", "utf-8")
        return _program.call([name, *_flags(options), "--", path], made, path)

def judge(data: Data, *, columns: Union[str, Dict[str, str], None] = None, rate: Optional[float] = None,
          unit: Optional[str] = None, out: Optional[str] = None) -> Result:
    """Judges a test that another program has recorded: files, or a dict or DataFrame of columns."""
    return _measured("judge", data, Result, dict(columns=columns, rate=rate, unit=unit, out=out))

def identify(data: Data, *, columns: Union[str, Dict[str, str], None] = None, rate: Optional[float] = None,
             unit: Optional[str] = None, spacing: Optional[int] = None, to: Optional[float] = None,
             out: Optional[str] = None) -> Result:
    """Identifies a loading system from the command and the measured displacement of a loading test."""
    options = dict(columns=columns, rate=rate, unit=unit, spacing=spacing, to=to, out=out)
    return _measured("identify", data, Result, options)
