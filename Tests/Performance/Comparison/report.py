"""The table."""

from dataclasses import asdict, dataclass, field

from .measure import Sample, shown


@dataclass
class Line:
    """One comparison. Without a rival the goal concerns our figure alone; without a goal the line is for information."""

    row: str
    what: str
    unit: str
    ours: float | None
    rival: str = ""
    theirs: float | None = None
    more_is_better: bool = True
    goal: str = ""
    is_met: bool | None = None
    samples: dict[str, list[Sample]] = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        """The factor by which ours is better; below 1 it is worse."""
        if not self.ours or not self.theirs:
            return None
        return self.ours / self.theirs if self.more_is_better else self.theirs / self.ours

    def cells(self) -> list[str]:
        ratio = "" if self.ratio is None else f"{self.ratio:.2f} ×"
        rival = f"{self.rival}: {shown(self.theirs)}" if self.rival else ""
        met = {None: "", True: "yes", False: "no"}[self.is_met if self.ours is not None else None]
        return [self.row, self.what, f"{shown(self.ours)} {self.unit}".strip(), rival, ratio, self.goal, met]


def at_least(value: float | None, bound: float) -> bool | None:
    return None if value is None else value >= bound


def at_most(value: float | None, bound: float) -> bool | None:
    return None if value is None else value <= bound


def markdown(lines: list[Line]) -> str:
    header = ["row", "what", "Longshore", "rival", "ratio", "goal", "met?"]
    rows = [header, ["---"] * len(header)] + [line.cells() for line in lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def as_json(lines: list[Line]) -> list[dict]:
    return [asdict(line) | {"ratio": line.ratio} for line in lines]
