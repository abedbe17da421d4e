import argparse
import json
import shutil
import signal
import sys
from pathlib import Path

from . import rows
from .bench import Bench
from .broker import Broker
from .files import Files
from .machine import facts
from .measure import say
from .processes import Failed
from .report import Line, as_json, markdown
from .sink import Sink


def main() -> int:
    parser = argparse.ArgumentParser(prog="compare")
    parser.add_argument("--rows", default=",".join(str(row.NUMBER) for row in rows.ALL))
    parser.add_argument("--runs", type=int)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--home", type=Path, required=True)
    options = parser.parse_args()
    if options.list:
        for row in rows.ALL:
            print(f"{row.NUMBER}  {row.TITLE}")
        return 0
    try:
        wanted = {int(number) for number in options.rows.split(",")}
        chosen = [row for row in rows.ALL if row.NUMBER in wanted]
    except ValueError:
        parser.error(f"--rows takes numbers with commas between them, not '{options.rows}'")
    if len(chosen) != len(wanted):
        parser.error("--rows: there is no such row; --list shows them")

    with prepared(options.home, options.programs, options.runs or (1 if options.quick else 3), options.quick) as bench:
        machine = facts(bench)
        lines, failed = measure(bench, chosen)
    print("\n".join(f"- {name}: {value}" for name, value in machine.items()))
    print(f"- runs: {bench.runs} of each, in turn; medians" + ("; QUICK: small and few" if bench.is_quick else ""))
    print(f"\n{markdown(lines)}")
    if options.json:
        options.json.write_text(json.dumps({"machine": machine, "lines": as_json(lines)}, indent=2) + "\n")
    return 1 if failed else 0


def measure(bench: Bench, chosen: list) -> tuple[list[Line], bool]:
    """Measures the rows that can run; a failing row is named, and the other rows still run."""
    lines, failed = [], False
    for row in chosen:
        say(f"Row {row.NUMBER}: {row.TITLE}")
        try:
            lines += row.run(bench)
        except Failed as failure:
            say(f"  failed: {failure}")
            lines.append(Line(str(row.NUMBER), f"{row.TITLE}: FAILED", "", None))
            failed = True
    return lines, failed or any(line.ours is None and line.row != "0" for line in lines)


class prepared:
    """A bench that stops its broker and sink at its end."""

    def __init__(self, home: Path, programs: Path, runs: int, is_quick: bool):
        # The way out stops all processes, so SIGTERM must lead there.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        root = Path(__file__).parents[3]
        shutil.rmtree(home / "work", ignore_errors=True)
        broker = Broker(root, home)
        self.bench = Bench(root, home, programs, runs, is_quick, broker, Sink(home), Files(home))

    def __enter__(self) -> Bench:
        return self.bench

    def __exit__(self, *_):
        self.bench.stop()


if __name__ == "__main__":
    sys.exit(main())
