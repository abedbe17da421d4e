"""The worker's memory while 16 jobs of 4 parts run, by the size of the files.

The files are sparse and read where they lie. The figure is the process's peak within a time that fills all buffers,
because the end of 320 GiB would take too long.
"""

import time

from ..bench import JOBS_AT_ONCE, PART_MIB, PARTS_AT_ONCE, Bench
from ..files import GIB, MIB
from ..measure import interleave, middle, say
from ..pool import Pool
from ..processes import Failed, PeakWatch, Program, wait_until
from ..publisher import Publisher, in_place
from ..report import Line, at_most

NUMBER = 5
TITLE = "worker's memory, 16 jobs × 4 parts"
# Files of up to 16 MiB do not go in parts; files of 64 MiB and more do.
SIZES = {"1 MiB": MIB, "64 MiB": 64 * MIB, "1 GiB": GIB, "20 GiB": 20 * GIB}
BOUND_MIB = 96


def run(bench: Bench) -> list[Line]:
    seconds = bench.size(40, 4)
    contestants = {}
    for name, size in SIZES.items():
        contestants[f"Longshore {name}"] = lambda size=size: {"MiB": _worker(bench, size, seconds) / MIB}
        if size >= GIB:
            contestants[f"s5cmd {name}"] = lambda size=size: {"MiB": _s5cmd(bench, size, seconds) / MIB}
    samples = interleave(1 if bench.is_quick else min(bench.runs, 3), contestants)
    lines = []
    for name in SIZES:
        ours = middle(samples[f"Longshore {name}"], "MiB")
        theirs = middle(samples.get(f"s5cmd {name}", []), "MiB")
        lines.append(Line(
            "5", f"{TITLE}, files of {name}", "MiB", ours, "s5cmd" if theirs else "", theirs, False,
            f"≤ {BOUND_MIB} MiB", at_most(ours, BOUND_MIB)))
    peaks = [line.ours for line in lines[1:] if line.ours]
    if peaks:
        lines.append(Line("5", "most / least of those in parts: flat is 1", "", max(peaks) / min(peaks)))
    lines[0].samples = samples
    return lines


def _worker(bench: Bench, size: int, seconds: float) -> int:
    file = bench.files.sparse(size)
    bench.sink.reset()
    with Pool(bench) as pool:
        pool.declare()
        pool.start_notifier()
        worker = pool.start_worker()
        wait_until(bench.sink.objects, "the file that declared the queues", 300)
        bench.sink.reset()
        publisher = Publisher(pool)
        # Small jobs end at once, so it takes many of them to keep 16 running.
        count = JOBS_AT_ONCE if size >= GIB else max(JOBS_AT_ONCE, min(2000, 16 * GIB // size))
        for number in range(count):
            publisher.publish(f"row5/{number}", in_place(file), size)
        publisher.close()
        arrived = lambda: bench.sink.count("uploadPart", "putObject")
        wait_until(lambda: arrived() or not worker.is_running, "the first part", 600)
        end = time.monotonic() + seconds
        while time.monotonic() < end and bench.sink.objects() < count and worker.is_running:
            time.sleep(0.1)
        if not worker.is_running:
            raise Failed(f"the worker ended: {worker.last_words()}")
        say(f"    {arrived()} requests with bodies were answered")
        peak = worker.peak_bytes()
        worker.kill()  # handing 16 jobs over is not what is measured
        return peak


def _s5cmd(bench: Bench, size: int, seconds: float) -> int:
    bench.sink.reset()
    directory = bench.directory("many")
    for number in range(JOBS_AT_ONCE):
        with open(directory / f"{number}", "wb") as file:
            file.truncate(size)
    program = Program([
        bench.s5cmd, "--endpoint-url", bench.sink.url, "--numworkers", JOBS_AT_ONCE, "cp", "--part-size", PART_MIB,
        "--concurrency", PARTS_AT_ONCE, f"{directory}/", f"s3://{bench.sink.bucket}/row5/",
    ], bench.home / "s5cmd.log", bench.environment())
    watch = PeakWatch(program.pid)
    end = time.monotonic() + seconds
    while time.monotonic() < end and program.is_running:
        time.sleep(0.1)
    if program.is_running:
        program.kill()
    return watch.stop()
