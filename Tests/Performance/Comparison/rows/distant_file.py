"""One large file in place to a server that answers 30 ms late, over TLS. Each program runs with its own defaults."""

from ..bench import Bench
from ..files import GIB, MIB
from ..measure import Sample, interleave, middle
from ..pool import Pool
from ..report import Line
from ..rivals import s5cmd

NUMBER = 16
TITLE = "one 2 GiB file in place over TLS, 30 ms latency, both with their defaults"
LATENCY_MS = 30


def run(bench: Bench) -> list[Line]:
    size = bench.size(2 * GIB, 128 * MIB)
    file = bench.files.large(size)
    with bench.sink.latency(LATENCY_MS):
        samples = interleave(bench.runs, {
            "Longshore": lambda: _longshore(bench, file, size),
            "s5cmd": lambda: _s5cmd(bench, file, size),
        })
    ours, s5 = samples["Longshore"], samples["s5cmd"]
    rate, theirs = middle(ours, "GB/s"), middle(s5, "GB/s")
    return [
        Line("16", TITLE + ", enqueue → completed", "GB/s", rate, "s5cmd", theirs, True, "≥ 1.2 × s5cmd",
             None if not rate or not theirs else rate >= 1.2 * theirs, samples),
        Line("16", "processor, the worker", "CPU s/GiB", middle(ours, "worker CPU s/GiB"), "s5cmd",
             middle(s5, "CPU s/GiB"), False),
    ]


def _longshore(bench: Bench, file, size: int) -> Sample:
    bench.sink.reset()
    with Pool(bench, endpoint=bench.sink.tls_url, destination={"caFile": str(bench.sink.certificate)}, worker=None) as pool:
        pool.start_notifier()
        worker = pool.start_worker()
        before = worker.cpu_seconds()
        measured = pool.enqueue("--wait", "--no-stage", file, to="row16/")
        pool.wait_for_outcomes(1)
        return {
            "GB/s": size / measured.seconds / 1e9, "worker CPU s/GiB": (worker.cpu_seconds() - before) / (size / GIB)}


def _s5cmd(bench: Bench, file, size: int) -> Sample:
    bench.sink.reset()
    measured = s5cmd.copy_as_it_comes(bench, file, "row16/file")
    return {"GB/s": size / measured.seconds / 1e9, "CPU s/GiB": measured.cpu_seconds / (size / GIB)}
