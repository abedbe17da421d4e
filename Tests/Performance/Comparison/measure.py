"""Runs contestants in turn, and finds their typical figures."""

import sys
from collections.abc import Callable
from statistics import median

from .processes import Failed

Sample = dict[str, float]


def interleave(runs: int, contestants: dict[str, Callable[[], Sample]]) -> dict[str, list[Sample]]:
    """Runs A B C, A B C, …, so that a disturbance of the machine hits all. A contestant that fails is left out and named."""
    samples: dict[str, list[Sample]] = {name: [] for name in contestants}
    failed: set[str] = set()
    for number in range(runs):
        for name, contestant in contestants.items():
            if name in failed:
                continue
            try:
                sample = contestant()
            except Failed as failure:
                say(f"  {name} failed: {failure}")
                failed.add(name)
                continue
            samples[name].append(sample)
            say(f"  run {number + 1} of {runs}, {name}: " + ", ".join(f"{k} {shown(v)}" for k, v in sample.items()))
    return samples


def middle(samples: list[Sample], name: str) -> float | None:
    """The median; None if there are no values."""
    values = [sample[name] for sample in samples if name in sample]
    return median(values) if values else None


def percentile(values: list[float], share: float) -> float:
    """The least value that at least this share of the values does not exceed (nearest rank)."""
    ordered = sorted(values)
    rank = -(-len(ordered) * share // 1)  # rounded up
    return ordered[max(0, int(rank) - 1)]


def shown(value: float | None) -> str:
    if value is None:
        return "–"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def say(text: str):
    print(text, file=sys.stderr, flush=True)
