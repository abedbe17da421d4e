"""Many files that are at the destination already, of which ten have changed."""

import os

from ..bench import Bench
from ..measure import Sample, interleave, middle
from ..pool import Pool
from ..processes import Failed
from ..report import Line
from ..rivals import rclone, s5cmd

NUMBER = 18
TITLE = "100,000 files of 4 KiB, 10 changed"
CHANGED = 10


def run(bench: Bench) -> list[Line]:
    count = bench.size(100_000, 300)
    directory = bench.files.small(count)
    names = sorted(os.listdir(directory))[:: count // CHANGED][:CHANGED]

    def change():
        """The same files each time, so that each contestant finds just these."""
        for name in names:
            (directory / name).write_bytes(os.urandom(4096))

    bench.sink.reset()
    with Pool(bench) as pool:
        pool.start_notifier()
        pool.start_worker()
        pool.enqueue(directory, to="row18/ours/")
        pool.wait_for_outcomes(count)
        s5cmd.copy(bench, f"{directory}/", "row18/s5cmd/")
        rclone.copy(bench, directory, "row18/rclone")
        ended = [count]

        def longshore() -> Sample:
            change()
            measured = pool.enqueue("--changed", directory, to="row18/ours/")
            found = len(measured.output.split())
            if found != CHANGED:
                raise Failed(f"{found} files were enqueued, {CHANGED} had changed")
            ended[0] += CHANGED
            done = pool.wait_for_outcomes(ended[0])
            return {"s": done - measured.began, "command s": measured.seconds, "CPU s": measured.cpu_seconds,
                    "MiB": measured.peak_bytes / (1 << 20)}

        def rival(copy) -> Sample:
            change()
            measured = copy()
            return {"s": measured.seconds, "CPU s": measured.cpu_seconds, "MiB": measured.peak_bytes / (1 << 20)}

        samples = interleave(bench.runs, {
            "Longshore": longshore,
            "s5cmd": lambda: rival(lambda: s5cmd.synchronize(bench, f"{directory}/", "row18/s5cmd/")),
            "rclone": lambda: rival(lambda: rclone.copy(bench, directory, "row18/rclone")),
        })
    title = f"{count:,} files of 4 KiB, {CHANGED} changed"
    lines = [
        Line("18", f"{title}, --changed → outcomes" if name == "s5cmd" else "the same", "s",
             middle(samples["Longshore"], "s"), name, middle(samples[name], "s"), False, samples=samples)
        for name in ("s5cmd", "rclone")
    ]
    return lines + [
        Line("18", what, unit, middle(samples["Longshore"], unit), "s5cmd", middle(samples["s5cmd"], unit), False)
        for what, unit in (("processor, enqueue", "CPU s"), ("memory, enqueue", "MiB"))
    ]

