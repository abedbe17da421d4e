"""Do two workers do twice as much? The server takes 50 ms for every answer, so that a job is nothing but waiting."""

from ..bench import JOBS_AT_ONCE, Bench
from ..measure import Sample, interleave, middle
from ..pool import Pool
from ..processes import wait_until
from ..report import Line, at_least

NUMBER = 7
TITLE = "1, 2, 4 workers, 50 ms latency"
LATENCY_MS = 50
WORKERS = (1, 2, 4)


def run(bench: Bench) -> list[Line]:
    count = bench.size(4000, 400)
    directory = bench.files.small(count)
    with bench.sink.latency(LATENCY_MS):
        samples = interleave(bench.runs, {
            f"{workers} workers": lambda workers=workers: _rate(bench, directory, count, workers)
            for workers in WORKERS
        })
    rates = {workers: middle(samples[f"{workers} workers"], "per s") for workers in WORKERS}
    most = JOBS_AT_ONCE * 1000 / LATENCY_MS
    lines = []
    for workers, rate in rates.items():
        what = f"{workers} × {JOBS_AT_ONCE} jobs at once, {LATENCY_MS} ms latency"
        line = Line("7", what, "jobs/s", rate, "arithmetic", workers * most)
        if workers > 1 and rate and rates[1]:
            share = rate / rates[1] / workers
            line.goal, line.is_met = "≥ 0.95 linear", at_least(share, 0.95)
            line.what += f" ({share:.2f} linear)"
        lines.append(line)
    lines[0].samples = samples
    return lines


def _rate(bench: Bench, directory, count: int, workers: int) -> Sample:
    """The rate in the middle of the run: between a tenth and nine tenths of the jobs."""
    with Pool(bench) as pool:
        pool.start_notifier()
        bench.sink.reset()
        for _ in range(workers):
            pool.start_worker()
        pool.enqueue(directory, to="row7/")
        wait_until(lambda: bench.sink.objects() >= count, "all uploads", 1800)
        answers = sorted(exchange.answered for exchange in bench.sink.log() if exchange.operation == "putObject")
        first, last = len(answers) // 10, len(answers) * 9 // 10
        return {"per s": (last - first) / ((answers[last] - answers[first]) / 1e9)}
