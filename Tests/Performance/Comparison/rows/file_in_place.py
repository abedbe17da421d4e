"""One large file that is uploaded where it lies, from `enqueue-upload --no-stage` to the completed event."""

from ..bench import Bench
from ..files import GIB, MIB
from ..measure import interleave, middle
from ..report import Line, at_most
from . import large_file

NUMBER = 15
TITLE = "one 2 GiB file in place, 16 MiB parts × 4"


def run(bench: Bench) -> list[Line]:
    size = bench.size(2 * GIB, 128 * MIB)
    file = bench.files.large(size)
    rivals = large_file.rivals(bench, file, size)
    samples = interleave(
        bench.runs, {"Longshore": lambda: large_file.longshore(bench, file, size, "--no-stage")} | rivals)
    ours, s5 = samples["Longshore"], samples["s5cmd"]
    rate, theirs = middle(ours, "GB/s"), middle(s5, "GB/s")
    lines = [Line(
        "15", TITLE + ", enqueue → completed", "GB/s", rate, "s5cmd", theirs, True, "≥ 2.5 × s5cmd",
        None if not rate or not theirs else rate >= 2.5 * theirs, samples)]
    lines += [Line("15", "the same", "GB/s", rate, name, middle(samples[name], "GB/s")) for name in rivals if name != "s5cmd"]
    worker, programs = middle(ours, "worker CPU s/GiB"), middle(ours, "CPU s/GiB")
    theirs = middle(s5, "CPU s/GiB")
    return lines + [
        Line("15", "processor, the worker", "CPU s/GiB", worker, "s5cmd", theirs, False, "≤ 0.4", at_most(worker, 0.4)),
        Line("15", "processor, worker + enqueue + notifier", "CPU s/GiB", programs, "s5cmd", theirs, False, "≤ 0.6",
             at_most(programs, 0.6)),
        Line("15", "enqueue → first request", "s", middle(ours, "begun s")),
        Line("15", "the worker's memory", "MB", middle(ours, "worker MB"), "s5cmd", middle(s5, "MB"), False),
    ]
