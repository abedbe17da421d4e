"""The limit: a client that only sends, to the same sink. No contestant can be faster here."""

from ..bench import JOBS_AT_ONCE, PART_MIB, PARTS_AT_ONCE, Bench
from ..files import GIB, MIB
from ..measure import Sample, interleave, middle
from ..processes import run as run_command
from ..report import Line

NUMBER = 0
TITLE = "the limit: a raw client to the sink"


def run(bench: Bench) -> list[Line]:
    parts, small = bench.size(512, 64), bench.size(200_000, 10_000)
    samples = interleave(bench.runs, {
        "parts": lambda: _sample(bench, PARTS_AT_ONCE, PART_MIB * MIB, parts),
        "small": lambda: _sample(bench, JOBS_AT_ONCE, 4096, small),
    })
    large, little = samples["parts"], samples["small"]
    return [
        Line("0", f"{TITLE}, {PART_MIB} MiB × {PARTS_AT_ONCE}", "", None, "raw, GB/s", middle(large, "GB/s"),
             samples=samples),
        Line("0", "its processor", "", None, "raw, CPU s/GiB", middle(large, "CPU s/GiB")),
        Line("0", "the sink's", "", None, "sink, CPU s/GiB", middle(large, "sink CPU s/GiB")),
        Line("0", f"4 KiB × {JOBS_AT_ONCE}", "", None, "raw, requests/s", middle(little, "per s")),
        Line("0", "its processor", "", None, "raw, CPU µs each", middle(little, "CPU us each")),
        Line("0", "the sink's", "", None, "sink, CPU µs each", middle(little, "sink CPU us each")),
    ]


def _sample(bench: Bench, connections: int, size: int, count: int) -> Sample:
    before = bench.sink.cpu_seconds()
    command = [bench.home / "raw", bench.sink.port, connections, size, count]
    seconds, used = map(float, run_command(command, bench.home / "raw.log").output.split())
    sink = bench.sink.cpu_seconds() - before
    if size >= MIB:
        gib = size * count / GIB
        return {"GB/s": size * count / seconds / 1e9, "CPU s/GiB": used / gib, "sink CPU s/GiB": sink / gib}
    return {"per s": count / seconds, "CPU us each": used / count * 1e6, "sink CPU us each": sink / count * 1e6}
