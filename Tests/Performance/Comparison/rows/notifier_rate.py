"""The notifier alone: 10,000 jobs have ended; it records them, and delivers them to one webhook."""

import base64
import time

from ..bench import Bench
from ..gate import Gate
from ..measure import Sample, interleave, middle, say
from ..pool import Pool
from ..postgres import WaitWatch
from ..processes import cpu_seconds, wait_until
from ..report import Line, at_least, at_most

NUMBER = 8
TITLE = "notifier, 10,000 outcomes to one webhook"
# The ledger, the notifiers and the shards of each contestant.
KINDS = {"SQLite": (False, 1, 1), "PostgreSQL": (True, 1, 1), "PostgreSQL, 4 notifiers, 16 shards": (True, 4, 16)}


def run(bench: Bench) -> list[Line]:
    count = bench.size(10_000, 300)
    directory = bench.files.small(count)

    def contestant(kind):
        return lambda: _rates(bench, directory, count, *kind)

    samples = interleave(bench.runs, {name: contestant(kind) for name, kind in KINDS.items()})
    ours = samples["SQLite"]
    recorded, delivered = middle(ours, "recorded per s"), middle(ours, "delivered per s")
    lines = [
        Line("8", f"{TITLE}: recorded", "outcomes/s", recorded, goal="≥ 5,000", is_met=at_least(recorded, 5000),
             samples=samples),
        Line("8", "delivered", "outcomes/s", delivered, goal="≥ 2,000", is_met=at_least(delivered, 2000)),
        *_costs("8", ours),
    ]
    for name in list(KINDS)[1:]:
        theirs = samples[name]
        waits = middle(theirs, "waits for others")
        lines += [
            Line("8", f"{name}: recorded", "outcomes/s", middle(theirs, "recorded per s")),
            Line("8", "delivered", "outcomes/s", middle(theirs, "delivered per s")),
            *_costs("8", theirs),
            Line("8", "busy sessions of PostgreSQL that wait for another notifier's lock", "%", waits, goal="≤ 2",
                 is_met=at_most(waits, 2)),
        ]
    return lines


def _costs(row: str, samples: list[Sample]) -> list[Line]:
    names = ["notifiers", "broker"] + (["PostgreSQL"] if any("PostgreSQL" in sample for sample in samples) else [])
    return [Line(row, f"processor, {name}", "CPU ms/outcome", middle(samples, name)) for name in names]


def _rates(bench: Bench, directory, count: int, is_postgres: bool, notifiers: int, shards: int) -> Sample:
    secret = "whsec_" + base64.b64encode(b"longshore" * 3).decode()
    hook = f"{{kind: webhook, url: '{bench.sink.webhook}', secret: {secret}}}"
    with Pool(bench, delegates={"hook": hook}, is_postgres=is_postgres, shards=shards) as pool:
        bench.sink.reset()
        pool.enqueue(directory, to="row8/")
        worker = pool.start_worker()
        wait_until(lambda: bench.sink.objects() >= count, "the worker", 1800)
        worker.stop()  # when it has ended, all it had to say is with the broker
        bench.sink.reset()
        gate = Gate(pool)
        programs = pool.start_notifiers(notifiers)
        watch = WaitWatch(pool.database) if pool.database else None
        servers = {"broker": bench.broker.pid} | ({"PostgreSQL": bench.postgres.pid} if pool.database else {})
        before = {name: cpu_seconds(pid) for name, pid in servers.items()}
        used = sum(program.cpu_seconds() for program in programs)
        began = time.monotonic()
        gate.open()
        recorded = pool.wait_for_outcomes(count) - began
        wait_until(lambda: bench.sink.count("webhook") >= count, "the webhook to hear of all", 1800)
        hooks = bench.sink.stats()["operations"]["webhook"]
        sample = {
            "recorded per s": count / recorded,
            "delivered per s": count / ((hooks["lastAnswered"] - hooks["firstHead"]) / 1e9),
            "notifiers": (sum(program.cpu_seconds() for program in programs) - used) / count * 1000,
        }
        for name, pid in servers.items():
            sample[name] = (cpu_seconds(pid) - before[name]) / count * 1000
        if watch:
            watch.stop()
            sample["waits for others"] = watch.waiting_for_others * 100
            say("  busy sessions of PostgreSQL: " + ", ".join(
                f"{number} {kind} {event}".strip() for (kind, event), number in watch.counts.most_common(8)))
        return sample
