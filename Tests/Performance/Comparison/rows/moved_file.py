"""One large file that leaves its directory, from `enqueue-upload --move` to the completed event."""

import os
import shutil

from ..bench import Bench
from ..files import GIB, MIB
from ..measure import Sample, interleave, middle
from ..report import Line
from . import large_file

NUMBER = 17
TITLE = "one 2 GiB file by --move, 16 MiB parts × 4"


def run(bench: Bench) -> list[Line]:
    size = bench.size(2 * GIB, 128 * MIB)
    file = bench.files.large(size)
    samples = interleave(bench.runs, {
        "Longshore": lambda: _longshore(bench, file, size), "s5cmd": large_file.rivals(bench, file, size)["s5cmd"]})
    ours, s5 = samples["Longshore"], samples["s5cmd"]
    rate, theirs = middle(ours, "GB/s"), middle(s5, "GB/s")
    return [
        Line("17", TITLE + ", enqueue → completed", "GB/s", rate, "s5cmd", theirs, True, "≥ 2 × s5cmd",
             None if not rate or not theirs else rate >= 2 * theirs, samples),
        Line("17", "processor, worker + enqueue + notifier", "CPU s/GiB", middle(ours, "CPU s/GiB"), "s5cmd",
             middle(s5, "CPU s/GiB"), False),
        Line("17", "enqueue → first request", "s", middle(ours, "begun s")),
    ]


def _longshore(bench: Bench, file, size: int) -> Sample:
    moved = bench.files.directory / "moved"
    shutil.copyfile(file, moved)
    os.sync()  # else it would be this copy that is written to the disk while the row is measured
    try:
        sample = large_file.longshore(bench, moved, size, "--move")
        assert not moved.exists()
        return sample
    finally:
        moved.unlink(missing_ok=True)
