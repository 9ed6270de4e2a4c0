"""Tests of the installed package in a notebook's kernel: bash .ci/python. The working folder has demo.yaml."""
import time
import unittest
from pathlib import Path

from jupyter_client.manager import start_new_kernel

LONG = "rths.run('demo.yaml', out='{}', **{{'ground.duration_s': 20000, 'ground.strong_s': 19000}})"


class Notebook(unittest.TestCase):
    def setUp(self):
        self.manager, self.client = start_new_kernel(kernel_name="python3")
        self.addCleanup(self.manager.shutdown_kernel, now=True)
        self.addCleanup(self.client.stop_channels)
        self.ended("import rths")

    def ended(self, source, during=lambda: None):
        """Runs a cell: its error, as name and text, and what it has printed."""
        cell = self.client.execute(source, stop_on_error=False)  # else the kernel aborts a cell soon after an error
        during()
        error, printed = None, ""
        while True:
            message = self.client.get_iopub_msg(timeout=60)
            if message["parent_header"].get("msg_id") != cell:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "error":
                error = content["ename"], content["evalue"]
            elif kind == "stream":
                printed += content["text"]
            elif kind == "status" and content["execution_state"] == "idle":
                return error, printed

    def test_errors_have_their_place(self):
        (name, text), _ = self.ended("rths.run('demo.yaml', limits=5)")
        self.assertEqual(name, "Error")
        self.assertIn("limits: found", text)
        Path("bad.yaml").write_text(Path("demo.yaml").read_text() + "colour: red\n")
        (name, text), _ = self.ended("rths.run('bad.yaml')")
        self.assertEqual(name, "Error")
        self.assertRegex(text, r"bad\.yaml:\d+:1: colour: unknown key")
        (name, text), _ = self.ended("rths.run('demo.yaml', diverged_m=1e-4).check()")
        self.assertEqual(name, "Failed")
        self.assertIn("diverged at t = ", text)

    def test_interrupt_stops_the_run_and_progress_is_shown(self):
        def interrupt():
            rows = Path("stopped", "frames.arrow")
            while not (rows.is_file() and rows.stat().st_size > 30_000_000):
                time.sleep(0.01)
            self.manager.interrupt_kernel()

        error, printed = self.ended(LONG.format("stopped"), interrupt)
        self.assertEqual(error[0], "Stopped")
        self.assertRegex(printed, r"demo +\d+ %")
        error, printed = self.ended("print(rths.judge('stopped').criteria['J2_pct'])")
        self.assertIsNone(error)


if __name__ == "__main__":
    unittest.main()
