"""The cost of each process while there is nothing to do."""

import time

from ..bench import Bench
from ..measure import interleave, middle
from ..pool import Pool
from ..processes import cpu_seconds
from ..report import Line

NUMBER = 9
TITLE = "idle pool"


def run(bench: Bench) -> list[Line]:
    seconds = bench.size(60, 10)
    samples = interleave(1 if bench.is_quick else min(bench.runs, 3), {"Longshore": lambda: _shares(bench, seconds)})
    lines = []
    for name in ("worker", "notifier", "broker"):
        share = middle(samples["Longshore"], f"{name} %")
        line = Line("9", f"{TITLE}: {name}", "% of a core", share)
        if name != "broker":
            line.goal, line.is_met = "< 1 %", None if share is None else share < 1
        lines.append(line)
    lines[0].samples = samples
    return lines


def _shares(bench: Bench, seconds: float) -> dict[str, float]:
    with Pool(bench) as pool:
        pids = {
            "notifier": pool.start_notifier().pid, "worker": pool.start_worker().pid, "broker": bench.broker.pid}
        time.sleep(min(10, seconds))  # what starting leaves behind
        before, began = {name: cpu_seconds(pid) for name, pid in pids.items()}, time.monotonic()
        time.sleep(seconds)
        passed = time.monotonic() - began
        return {f"{name} %": (cpu_seconds(pid) - before[name]) / passed * 100 for name, pid in pids.items()}
