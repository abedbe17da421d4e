"""Small files to a server that is 30 ms away, over TLS. Each program runs with its own defaults."""

from ..bench import Bench
from ..measure import Sample, interleave, middle
from ..pool import Pool
from ..processes import wait_until
from ..report import Line
from ..rivals import s5cmd

NUMBER = 11
TITLE = "10,000 files of 4 KiB over TLS, 30 ms latency, both with their defaults"
LATENCY_MS = 30


def run(bench: Bench) -> list[Line]:
    count = bench.size(10_000, 300)
    directory = bench.files.small(count)
    with bench.sink.latency(LATENCY_MS):
        samples = interleave(bench.runs, {
            "Longshore": lambda: _longshore(bench, directory, count),
            "Longshore's worker": lambda: _worker(bench, directory, count),
            "s5cmd": lambda: _s5cmd(bench, directory, count),
        })
    rates = {name: middle(samples[name], "per s") for name in samples}
    ours, theirs = rates["Longshore"], rates["s5cmd"]
    return [
        Line("11", TITLE + ", enqueue → all outcomes", "jobs/s", ours, "s5cmd", theirs, True, "≥ 0.8 × s5cmd",
             None if not ours or not theirs else ours >= 0.8 * theirs, samples),
        Line("11", "the worker alone", "jobs/s", rates["Longshore's worker"], "s5cmd", theirs),
        Line("11", "worker's memory", "MiB", middle(samples["Longshore"], "MiB")),
    ]


def _pool(bench: Bench) -> Pool:
    return Pool(bench, endpoint=bench.sink.tls_url, destination={"caFile": str(bench.sink.certificate)}, worker=None)


def _longshore(bench: Bench, directory, count: int) -> Sample:
    bench.sink.reset()
    with _pool(bench) as pool:
        pool.start_notifier()
        worker = pool.start_worker()
        enqueued = pool.enqueue(directory, to="row11/")
        ended = pool.wait_for_outcomes(count)
        return {"per s": count / (ended - enqueued.began), "MiB": worker.peak_bytes() / (1 << 20)}


def _worker(bench: Bench, directory, count: int) -> Sample:
    with _pool(bench) as pool:
        pool.enqueue(directory, to="row11/")
        bench.sink.reset()
        pool.start_worker()
        wait_until(lambda: bench.sink.objects() >= count, "the worker", 1800)
        answers = sorted(exchange.answered for exchange in bench.sink.log() if exchange.operation == "putObject")
        return {"per s": (len(answers) - 1) / ((answers[-1] - answers[0]) / 1e9)}


def _s5cmd(bench: Bench, directory, count: int) -> Sample:
    bench.sink.reset()
    return {"per s": count / s5cmd.copy_as_it_comes(bench, f"{directory}/", "row11/").seconds}
