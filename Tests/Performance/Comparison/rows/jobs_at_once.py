"""Whether the worker finds how many jobs at once are fastest, beside workers that are held to fixed numbers."""

from contextlib import ExitStack
from typing import NamedTuple

from ..bench import Bench
from ..measure import Sample, interleave, middle
from ..pool import Pool
from ..processes import wait_until
from ..report import Line

NUMBER = 14
TITLE = "the worker alone, 4 KiB: how many jobs at once it finds for five servers"
REFUSED = 503


class Server(NamedTuple):
    name: str
    jobs: int
    # The fixed numbers beside which the worker is measured.
    bounds: tuple[int, ...]
    latency_ms: float
    knee: int = 0
    requests_per_second: int = 0


SERVERS = (
    Server("0 ms", 20_000, (16, 64, 256), 0),
    Server("30 ms", 20_000, (32, 64, 128, 256), 30),
    Server("200 ms", 20_000, (128, 256, 512), 200),
    Server("a knee at 24, 30 ms", 10_000, (12, 24, 48), 30, knee=24),
    Server("500 requests/s, 30 ms", 8_000, (8, 16, 32), 30, requests_per_second=500),
)


def run(bench: Bench) -> list[Line]:
    return [line for server in SERVERS for line in _lines(bench, server)]


def _lines(bench: Bench, server: Server) -> list[Line]:
    count = bench.size(server.jobs, 300)
    directory = bench.files.small(count)
    contestants = {"defaults": lambda: _worker(bench, directory, count, None)}
    for bound in server.bounds:
        contestants[f"at most {bound}"] = lambda bound=bound: _worker(
            bench, directory, count, f"{{concurrency: {bound}}}")
    with ExitStack() as stack:
        stack.enter_context(bench.sink.latency(server.latency_ms, server.knee))
        if server.requests_per_second:
            stack.enter_context(bench.sink.rate(server.requests_per_second))
        samples = interleave(bench.runs, contestants)
    rates = {contestant: middle(samples[contestant], "per s") for contestant in samples}
    ours = rates.pop("defaults")
    rival = max(rates, key=lambda contestant: rates[contestant] or 0)
    best = rates[rival]
    lines = [
        Line("14", server.name, "jobs/s", ours, rival, best, True, "≥ 0.9 × the best",
             None if not ours or not best else ours >= 0.9 * best, samples),
        Line("14", f"{server.name}: worker's memory", "MiB", middle(samples["defaults"], "MiB")),
    ]
    if server.requests_per_second:
        refused = middle(samples["defaults"], "refused %")
        lines.append(Line("14", f"{server.name}: refused", "%", refused, goal="< 2", is_met=refused is not None and refused < 2))
    return lines


def _worker(bench: Bench, directory, count: int, settings: str | None) -> Sample:
    with Pool(bench, worker=settings) as pool:
        pool.enqueue(directory, to="row14/")
        bench.sink.reset()
        worker = pool.start_worker()
        wait_until(lambda: bench.sink.objects() >= count, "the worker", 1800)
        exchanges = bench.sink.log()
        answers = sorted(
            exchange.answered for exchange in exchanges if exchange.operation == "putObject" and exchange.is_whole)
        return {
            "per s": (len(answers) - 1) / ((answers[-1] - answers[0]) / 1e9),
            "refused %": 100 * sum(exchange.status == REFUSED for exchange in exchanges) / len(exchanges),
            "MiB": worker.peak_bytes() / (1 << 20),
        }
