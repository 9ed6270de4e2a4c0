"""Tests of the installed package: bash .ci/python. The working folder has demo.yaml and wheel.py."""
import contextlib
import importlib
import io
import os
import queue
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
import zipfile
from pathlib import Path
from unittest import mock

import numpy
import pandas

import rths
from rths import _arrow, _program

HERE = Path.cwd()
QUICK = {"ground.duration_s": 5, "ground.strong_s": 2, "ground.decay_s": 1}


class Case(unittest.TestCase):
    """A test in a folder of its own, with demo.yaml."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, HERE)
        os.chdir(folder.name)
        shutil.copy(HERE / "demo.yaml", "demo.yaml")

    def quick(self, **more):
        with warnings.catch_warnings():  # of settings that were published for another rate
            warnings.filterwarnings("ignore", "compensator: amb-galmez2021 has published settings")
            return rths.run("demo.yaml", **{**QUICK, **more})

    def dict(self, **more):
        return {"name": "of a dict", "rate_hz": 1024, "ground": {"kind": "sine", "duration_s": 2, "frequency_hz": 2},
                "structure": {"kind": "oscillator", "mass": 1000, "frequency_hz": 2, "damping_ratio": 0.05},
                "specimen": {"kind": "linear", "stiffness": 1000}, "transfer": {"kind": "ideal"}, **more}

    def wrong(self, call, *parts):
        with self.assertRaises(rths.Error) as caught:
            call()
        for part in parts:
            self.assertIn(part, str(caught.exception))
        return caught.exception


class Runs(Case):
    def test_run_has_what_its_files_have(self):
        run = self.quick(**{"compensator.kind": "kf"})
        self.assertEqual((run.status, run.verdict), ("completed", run.data["verdict"]))
        frames = run.frames
        self.assertIsInstance(frames, pandas.DataFrame)
        self.assertEqual(len(frames), run.samples)
        self.assertEqual((run.units["force_N"], run.units["target_m"]), ("N", "m"))
        self.assertEqual(frames.attrs["units"], run.units)
        numpy.testing.assert_allclose(numpy.diff(frames["time_s"]), 1 / run.rate_hz, rtol=1e-9)
        self.assertEqual(rths.judge(run).criteria["J2_pct"], run.criteria["J2_pct"])
        error = frames["measured_m"] - frames["target_m"]
        self.assertAlmostEqual(100 * error.std() / frames["target_m"].std(), run.criteria["J2_pct"], places=9)
        again = rths.run(run)
        pandas.testing.assert_frame_equal(again.frames, frames)

    def test_frames_are_those_of_the_csv(self):
        run = self.quick()
        subprocess.run([rths.binary(), "run", run.folder, "--csv", "--out", "csv"], check=True, capture_output=True)
        table = pandas.read_csv("csv/frames.csv", float_precision="round_trip").astype(float)
        pandas.testing.assert_frame_equal(table, run.frames, check_exact=True)

    def test_without_numpy_and_pandas(self):
        run = self.quick()
        table = {name: column.to_list() for name, column in run.frames.items()}
        study = rths.study("demo.yaml", compensator=["kf", "amb"], **QUICK)
        rows = study.rows.to_dict("records")
        with mock.patch.dict(sys.modules, {"numpy": None, "pandas": None}):
            run._read = None
            self.assertEqual(run.frames, table)
            for i, row in enumerate(study.rows):
                self.assertEqual(row["J2_pct"], rows[i]["J2_pct"])
                self.assertEqual(row["compensator.kind"], rows[i]["compensator.kind"])
        with mock.patch.dict(sys.modules, {"pandas": None}):
            run._read = None
            self.assertIsInstance(run.frames["target_m"], numpy.ndarray)

    def test_keep_nothing(self):
        run = rths.run("demo.yaml", no_record=True, **QUICK)
        self.assertEqual(os.listdir(), ["demo.yaml"])
        self.wrong(lambda: run.frames, "out=FOLDER")

    def test_values_keep_their_types(self):
        run = rths.run("demo.yaml", out="typed", limits="none", seed=numpy.int64(3), name="yes: #5",
                       sensors={"displacement_noise_power": numpy.float64(1e-14)}, **QUICK)
        self.assertEqual(run.name, "yes: #5")
        self.assertEqual(run.folder, Path("typed").resolve())

    def test_report_and_notebook(self):
        run = self.quick()
        page = run.report()
        self.assertTrue(page.path.is_file())
        self.assertIn("srcdoc", page._repr_html_())
        shown = run._repr_html_()
        self.assertIn(run.verdict, shown)
        self.assertIn("J2_pct", shown)
        self.assertIn("data:image/svg+xml;base64,", shown)

    def test_demo_shows_its_report(self):
        with mock.patch("webbrowser.open", return_value=True) as shown:
            run = rths.demo()
        self.assertEqual(shown.call_args[0][0], (run.folder / "report.html").as_uri())
        with mock.patch("webbrowser.open", return_value=False), contextlib.redirect_stderr(io.StringIO()) as said:
            run.report().show()
        self.assertIn("report.html", said.getvalue())


class Wrong(Case):
    def test_number_where_a_list_is_wanted(self):
        wrong = self.wrong(lambda: rths.run(self.dict(limits=5)), "limits: found", "want a list of limits")
        self.assertEqual((wrong.key, wrong.file, wrong.line, wrong.column), ("limits", None, None, None))
        self.assertNotIn("scenario.yaml", wrong.text)

    def test_place_in_a_file(self):
        Path("bad.yaml").write_text(Path("demo.yaml").read_text() + "colour: red\n")
        line = len(Path("bad.yaml").read_text().splitlines())
        wrong = self.wrong(lambda: rths.run("bad.yaml"), "colour: unknown key")
        self.assertEqual((wrong.key, wrong.file, wrong.line, wrong.column), ("colour", "bad.yaml", line, 1))

    def test_key_that_is_missing(self):
        scenario = self.dict()
        del scenario["transfer"]
        wrong = self.wrong(lambda: rths.run(scenario), "transfer: missing: want")
        self.assertTrue(wrong.text.startswith("transfer: "), wrong.text)
        Path("short.yaml").write_text(re.sub("(?m)^transfer.*\n", "", Path("demo.yaml").read_text()))
        wrong = self.wrong(lambda: rths.run("short.yaml"), "short.yaml: transfer: missing")
        self.assertEqual((wrong.key, wrong.file, wrong.line), ("transfer", "short.yaml", None))

    def test_several_problems(self):
        wrong = self.wrong(lambda: rths.run(self.dict(limits=5, colour="red")), "limits: ", "\ncolour: ")
        self.assertNotIn(tempfile.gettempdir(), wrong.text)

    def test_override(self):
        wrong = self.wrong(lambda: self.quick(**{"compensator.kind": "magic word"}), "magic word")
        self.assertEqual(wrong.key, "compensator")
        self.assertNotIn("--set", wrong.text)
        self.assertEqual(self.wrong(lambda: self.quick(seed="first")).key, "seed")

    def test_values_that_are_no_yaml(self):
        infinite = [1, float("inf")]
        for value, said in ((float("nan"), "found nan"), (object(), "found a object"), (infinite, "found inf")):
            wrong = self.wrong(lambda: self.quick(**{"compensator.gamma": value}), said)
            self.assertIn("compensator.gamma", wrong.key)

    def test_file_that_is_not_there(self):
        self.wrong(lambda: rths.run("nothing.yaml"), "nothing.yaml", "want a scenario file")

    def test_run_that_diverges(self):
        with self.assertWarns(rths.RunWarning) as caught:
            run = self.quick(diverged_m=1e-4)
        self.assertIn("diverged at t = ", str(caught.warning))
        self.assertEqual(Path(caught.filename).name, "test_rths.py")
        self.assertEqual(run.status, "diverged")
        self.assertEqual(len(run.frames), run.samples)
        self.assertIn("diverged at t = ", run._repr_html_())
        with self.assertRaises(rths.Failed) as failed:
            run.check()
        self.assertIs(failed.exception.result, run)

    def test_no_program(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "rths")
            program.write_bytes(b"\x7fELF of another machine")
            program.chmod(0o755)
            with mock.patch.dict(os.environ, {"RTHS_BINARY": str(program)}):
                self.wrong(self.quick, "cannot start", "install the wheel of this system")
            nowhere = mock.patch.dict(os.environ, {"PATH": folder + "/no"})
            with mock.patch.object(_program, "_HERE", Path(folder)), nowhere:
                self.wrong(self.quick, "found no program rths for Linux", "RTHS_BINARY")

    def test_ctrl_c_keeps_the_record(self):
        def interrupt():
            while not any(p.stat().st_size > 100_000 for p in Path("runs").glob("*/frames.arrow")):
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)

        # what a shell starts in the background has Ctrl-C ignored
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        threading.Thread(target=interrupt, daemon=True).start()
        with self.assertRaises(rths.Stopped) as stopped, warnings.catch_warnings():
            warnings.simplefilter("error")
            rths.run("demo.yaml", **{"ground.duration_s": 20000, "ground.strong_s": 19000})
        run = stopped.exception.result
        self.assertEqual(run.status, "stopped")
        self.assertEqual(len(run.frames), run.samples)
        self.assertIsInstance(stopped.exception, KeyboardInterrupt)

    def test_progress(self):
        with mock.patch.object(_program, "notebook", return_value=True), \
                contextlib.redirect_stderr(io.StringIO()) as shown:
            rths.run("demo.yaml", no_record=True, **{"ground.duration_s": 300, "ground.strong_s": 200})
        self.assertRegex(shown.getvalue(), r"\rdemo \d+ %")
        self.assertTrue(shown.getvalue().endswith("\r"))


class Watch(unittest.TestCase):
    def test_words_of_a_program_that_was_silent_for_long(self):
        """They come after its end has been seen."""
        ends = iter([None] * 30 + [2] * 9)
        process = mock.Mock(poll=lambda: next(ends))
        lines = mock.Mock(get=mock.Mock(side_effect=[queue.Empty] * 31 + [b"rths: wrong\n", b""]))
        self.assertEqual(_program._watch(process, lines), ("rths: wrong\n", False))


class Records(Case):
    def test_damage_is_found(self):
        run = self.quick()
        path = run.folder / "frames.arrow"
        good = path.read_bytes()
        path.write_bytes(good[:-1000] + bytes([good[-1000] ^ 1]) + good[-999:])
        run._read = None
        self.wrong(lambda: run.frames, "its bytes are not those")

    def test_no_byte_misleads_the_reader(self):
        """With any byte of the metadata changed the reader gives columns or a rths.Error, and soon."""
        run = self.quick(rate_hz=512)
        path = Path("damaged.arrow")
        good = (run.folder / "frames.arrow").read_bytes()
        head = 8 + struct.unpack_from("<I", good, 4)[0]
        batch = head + 8 + struct.unpack_from("<I", good, head + 4)[0]
        errors = 0
        for at in [*range(0, head, 7), *range(head, batch)]:
            path.write_bytes(good[:at] + bytes([good[at] ^ 0x85]) + good[at + 1:])
            try:
                _arrow.read(path)
            except rths.Error:
                errors += 1
        self.assertGreater(errors, 100)

    def test_cut_off(self):
        run = self.quick()
        good = (run.folder / "frames.arrow").read_bytes()
        for size in (0, 4, 100, 6000, len(good) // 2, len(good) - 8, len(good) - 1):
            Path("cut.arrow").write_bytes(good[:size])
            self.wrong(lambda: _arrow.read(Path("cut.arrow")), "cut off", "rths recover")


class Commands(Case):
    def test_relative_names_start_from_the_working_folder(self):
        rows = "\n".join(f"{i / 100},{numpy.sin(i / 8)}" for i in range(300))
        Path("motion.csv").write_text("t,a\n" + rows)
        base = self.dict(ground={"kind": "file", "file": "motion.csv", "column": "a", "unit": "m/s2"})
        run = rths.run(base)
        self.assertAlmostEqual(run.frames["ground_m_s2"].max(), 1, places=2)
        study = rths.study({"scenario": base, "seed": 1, "criterion": "J2_pct",
                            "variables": {"structure.frequency_hz": [2, 3]}})
        self.assertEqual(study.summary["completed"], 2)
        self.wrong(lambda: rths.run(self.dict(ground={"kind": "file", "file": "none.csv"})), "none.csv")

    def test_study_of_a_dict(self):
        study = rths.study({"scenario": "demo.yaml", "seed": 1, "criterion": "J2_true_pct",
                            "variables": {"compensator.kind": ["kf", "amb"]}}, workers=1, **QUICK)
        self.assertEqual(list(study.rows["compensator.kind"]), ["kf", "amb"])
        self.assertEqual(study.summary["completed"], 2)
        self.assertTrue(study.report().path.is_file())

    def test_calibrate(self):
        keys = {"compensator.gamma[1]": {"from": 1e5, "to": 1e7}}
        search = {"of": "mean", "keys": keys, "search": {"kind": "latin", "points": 4}}
        tuned = rths.calibrate({"scenario": "demo.yaml", "seed": 1, "criterion": "nrmse_pct", "calibrate": search},
                               out="tuned", **QUICK)
        self.assertEqual(tuned.status, "completed")
        self.assertTrue((tuned.folder / "best.yaml").is_file())

    def test_advise(self):
        self.wrong(lambda: rths.advise("demo.yaml", runs=60), "too few runs: 60")
        self.wrong(lambda: rths.advise(self.quick()), "found a folder: want a plain file")

    def test_stability(self):
        result = rths.stability("demo.yaml", pade=2, weight=[0.05, 20])
        self.assertIn(f"a delay of {result.critical_delay_exact_ms:.2f} ms", result.verdict)
        self.assertIn("stable", result._repr_html_())

    def test_judge_of_columns(self):
        run = self.quick()
        frames = run.frames
        own = {"t": frames["time_s"], "xt": 1e3 * frames["target_m"], "xm": list(1e3 * frames["measured_m"])}
        verdict = rths.judge(own, columns={"time": "t", "target": "xt[mm]", "measured": "xm[mm]"})
        self.assertAlmostEqual(verdict.criteria["J2_pct"], run.criteria["J2_pct"], places=6)
        self.assertEqual(rths.judge(run).criteria["J2_pct"], rths.judge(frames).criteria["J2_pct"])
        wrong = self.wrong(lambda: rths.judge({"t": [0, 1], "xt": [1, 2]}), "judge: data: ")
        self.assertNotIn(tempfile.gettempdir(), wrong.text)
        self.wrong(lambda: rths.judge({"t": [1], "xt": [1, 2]}), "'t': 1", "same length")

    def test_identify(self):
        found = rths.identify(self.quick())
        self.assertTrue(1 < found.delay_ms < 100, found.delay_ms)
        with self.assertRaisesRegex(AttributeError, "has no colour: want one of .*delay_ms"):
            found.colour


class Wheel(unittest.TestCase):
    def test_versions(self):
        sys.path.insert(0, str(HERE))
        self.addCleanup(sys.path.remove, str(HERE))
        wheel = importlib.import_module("wheel")
        for described, version in (("v1.2", "1.2"), ("v1.2-3-gabc1234", "1.2.post3+gabc1234"),
                                   ("1234567", "0+g1234567"), ("v0.4.1-dirty", "0.4.1+dirty")):
            self.assertEqual(wheel.version(described), version)

    def test_contents(self):
        with zipfile.ZipFile(os.environ["RTHS_WHEEL"]) as wheel:
            self.assertIsNone(wheel.testzip())
            names = wheel.namelist()
            record = wheel.read(next(name for name in names if name.endswith("/RECORD"))).decode("ascii")
        self.assertEqual([line.split(",")[0] for line in record.splitlines()], names)
        self.assertIn("rths/bin/rths,sha256=", record)
        self.assertIn("/licenses/THIRD_PARTY_LICENSES,sha256=", record)

    def test_wheel_of_another_system(self):
        with tempfile.TemporaryDirectory() as folder:
            foreign = Path(folder, re.sub(r"none-.*", "none-win_arm64.whl", Path(os.environ["RTHS_WHEEL"]).name))
            shutil.copy(os.environ["RTHS_WHEEL"], foreign)
            made = subprocess.run([sys.executable, "-m", "pip", "install", "--no-index", "--target", folder, foreign],
                                  capture_output=True, text=True)
        self.assertNotEqual(made.returncode, 0)
        self.assertIn("is not a supported wheel on this platform", made.stderr)

    def test_program_of_another_system(self):
        for arguments, said in ((["demo.yaml", "demo.yaml", "linux/amd64", "v1"], "is no program for linux/amd64"),
                                (["demo.yaml", "demo.yaml", "plan9/386", "v1"], "want one of linux/amd64"),
                                (["demo.yaml", "demo.yaml", "windows/amd64", "v1"], "is no program for windows/amd64"),
                                (["demo.yaml", "demo.yaml", "darwin/arm64", "v1"], "is no program for darwin/arm64"),
                                ([rths.binary(), "demo.yaml", "linux/amd64", "latest"], "description 'latest'"),
                                (["demo.yaml"], "found 2 arguments")):
            command = [sys.executable, "wheel.py", *arguments, "none"]
            made = subprocess.run(command, cwd=HERE, capture_output=True, text=True)
            self.assertEqual(made.returncode, 1)
            self.assertIn(said, made.stderr)


if __name__ == "__main__":
    unittest.main()
