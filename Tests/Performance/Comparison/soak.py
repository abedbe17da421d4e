"""The pool at full speed for as long as asked: does anything grow?"""

import argparse
import json
import sys
import time
from pathlib import Path
from statistics import mean, median

from . import __main__ as comparison
from .bench import Bench
from .files import MIB
from .machine import facts
from .measure import say
from .pool import Pool
from .processes import Failed, Program, descriptor_count

INTERVAL_SECONDS = 10
# In each round one file goes in parts; the others are small.
SMALL_PER_ROUND = 500
LARGE_BYTES = 64 * MIB


def main() -> int:
    parser = argparse.ArgumentParser(prog="soak")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--growth", type=float, default=10, help="percent")
    parser.add_argument("--jobs", type=int, default=2000)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--home", type=Path, required=True)
    options = parser.parse_args()
    with comparison.prepared(options.home, options.programs, 1, False) as bench:
        machine = facts(bench)
        samples, done = soak(bench, options.minutes * 60, options.jobs)
    print("\n".join(f"- {name}: {value}" for name, value in machine.items()))
    print(f"- {options.minutes:g} minutes, {done:,} jobs completed, {len(samples)} samples\n")
    grown = report(samples, options.growth)
    if options.json:
        options.json.write_text(json.dumps({"machine": machine, "samples": samples}, indent=2) + "\n")
    for name in grown:
        say(f"soak: {name} grew by more than {options.growth:g} %")
    return 1 if grown else 0


def soak(bench: Bench, seconds: float, jobs_maximum: int) -> tuple[list[dict[str, float]], int]:
    """Enqueues a round whenever fewer jobs than that are unfinished."""
    small = bench.files.small(SMALL_PER_ROUND)
    large = bench.files.large(LARGE_BYTES)
    with Pool(bench) as pool:
        programs = {"notifier": pool.start_notifier(), "worker": pool.start_worker()}
        samples: list[dict[str, float]] = []
        enqueued = 0
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            done = pool.counts().get("completed", 0)
            if time.monotonic() - began >= len(samples) * INTERVAL_SECONDS:
                samples.append(look(bench, pool, programs, done, time.monotonic() - began))
            if enqueued - done + SMALL_PER_ROUND >= jobs_maximum:
                time.sleep(0.05)
                continue
            pool.enqueue(small, large, to=f"soak/{enqueued}/")
            enqueued += SMALL_PER_ROUND + 1
        pool.wait_for_outcomes(enqueued)
        samples.append(look(bench, pool, programs, enqueued, time.monotonic() - began))
        return samples, enqueued


def look(bench: Bench, pool: Pool, programs: dict[str, Program], done: int, at: float) -> dict[str, float]:
    sample: dict[str, float] = {"seconds": at, "completed": done}
    for name, program in programs.items():
        if not program.is_running:
            raise Failed(f"the {name} ended: {program.last_words()}")
        sample[f"{name} RSS MiB"] = program.resident_bytes() / MIB
        sample[f"{name} descriptors"] = descriptor_count(program.pid)
    queues = {name: count for name, count in bench.broker.queues().items() if name.startswith(pool.namespace)}
    for name in sorted(queues):
        sample[f"messages in {name.removeprefix(pool.namespace).lstrip('.')}"] = queues[name]
    sample["sink MiB"] = bench.sink.stats()["residentKiB"] / 1024
    say("  " + ", ".join(f"{name} {value:,.0f}" for name, value in sample.items() if value or "messages" not in name))
    return sample


def report(samples: list[dict[str, float]], growth_maximum: float) -> list[str]:
    """Prints the samples.

    Returns the programs whose memory has grown too much. The end, when the queues are empty, does not count.
    """
    running = samples[:-1]
    third = max(1, len(running) // 3)
    print("| what | min | median | max | first third | last third | growth |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    grown = []
    for name in sorted({name for sample in running for name in sample} - {"seconds", "completed"}):
        values = [sample.get(name, 0) for sample in running]
        if not any(values):
            continue
        first, last = mean(values[:third]), mean(values[-third:])
        growth = (last / first - 1) * 100 if first else 0
        print(f"| {name} | {min(values):,.0f} | {median(values):,.0f} | {max(values):,.0f} "
              f"| {first:,.1f} | {last:,.1f} | {growth:+.1f} % |")
        if name.endswith("RSS MiB") and growth > growth_maximum:
            grown.append(name)
    print(f"\nLeft in the queues at the end: {sum(v for k, v in samples[-1].items() if k.startswith('messages')):.0f}")
    return grown


if __name__ == "__main__":
    sys.exit(main())
