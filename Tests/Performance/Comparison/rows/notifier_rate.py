"""The notifier alone: 10,000 jobs ended while it was down; it records them, and delivers them to one webhook."""

import base64
import time

from ..bench import Bench
from ..measure import Sample, interleave, middle
from ..pool import ENDED, Pool
from ..processes import wait_until
from ..report import Line, at_least

NUMBER = 8
TITLE = "notifier, 10,000 outcomes to one webhook"


def run(bench: Bench) -> list[Line]:
    count = bench.size(10_000, 300)
    directory = bench.files.small(count)
    samples = interleave(bench.runs, {"Longshore": lambda: _rates(bench, directory, count)})
    ours = samples["Longshore"]
    recorded, delivered = middle(ours, "recorded per s"), middle(ours, "delivered per s")
    return [
        Line("8", f"{TITLE}: recorded", "outcomes/s", recorded, goal="≥ 5,000", is_met=at_least(recorded, 5000),
             samples=samples),
        Line("8", "delivered", "outcomes/s", delivered, goal="≥ 2,000", is_met=at_least(delivered, 2000)),
        Line("8", "processor, the notifier", "CPU ms/outcome", middle(ours, "CPU ms each")),
    ]


def _rates(bench: Bench, directory, count: int) -> Sample:
    secret = "whsec_" + base64.b64encode(b"longshore" * 3).decode()
    hook = f"{{kind: webhook, url: '{bench.sink.webhook}', secret: {secret}}}"
    with Pool(bench, delegates={"hook": hook}) as pool:
        bench.sink.reset()
        pool.enqueue(directory, to="row8/")
        worker = pool.start_worker()
        wait_until(lambda: bench.sink.objects() >= count, "the worker", 1800)
        worker.stop()  # when it has ended, all it had to say is with the broker
        bench.sink.reset()
        notifier = pool.start_notifier()
        began = time.monotonic()
        already = sum(pool.counts().get(status, 0) for status in ENDED)
        recorded = pool.wait_for_outcomes(count) - began
        wait_until(lambda: bench.sink.count("webhook") >= count, "the webhook to hear of all", 1800)
        hooks = bench.sink.stats()["operations"]["webhook"]
        return {
            "recorded per s": (count - already) / recorded if count > already else count / recorded,
            "delivered per s": count / ((hooks["lastAnswered"] - hooks["firstHead"]) / 1e9),
            "CPU ms each": notifier.cpu_seconds() / count * 1000,
        }
