"""Runs programs and measures their cost: processor time, memory, descriptors."""

import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Measured:
    """The cost of a command from its start to its end."""

    began: float
    seconds: float
    cpu_seconds: float
    peak_bytes: int
    output: str


@dataclass
class Cost:
    """The cost of a program between two moments."""

    cpu_seconds: float
    seconds: float


def family(pid: int) -> list[int]:
    """The ids of a process and all its descendants."""
    found = [pid]
    for parent in found:
        try:
            for task in os.listdir(f"/proc/{parent}/task"):
                found += map(int, Path(f"/proc/{parent}/task/{task}/children").read_text().split())
        except OSError:
            pass
    return found


def cpu_seconds(pid: int) -> float:
    """The processor time of a process and its descendants, with the ended ones that were waited for."""
    ticks = 0
    for member in family(pid):
        try:
            fields = Path(f"/proc/{member}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += sum(map(int, fields[11:15]))
    return ticks / TICKS


def status_bytes(pid: int, name: str) -> int:
    """The value of a line of /proc/PID/status such as VmRSS or VmHWM; 0 for a process that has ended."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def descriptor_count(pid: int) -> int:
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


class PeakWatch:
    """The peak memory of a process and its descendants. getrusage will not do: its peak begins with the parent's."""

    def __init__(self, pid: int, interval: float = 0.02):
        self.peak_bytes = 0
        self._pid, self._interval = pid, interval
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self):
        while not self._done.wait(self._interval):
            members = family(self._pid)
            # The kernel keeps the peak of one process; for several, only their memory at the same moment counts.
            name = "VmHWM" if len(members) == 1 else "VmRSS"
            self.peak_bytes = max(self.peak_bytes, sum(status_bytes(member, name) for member in members))

    def stop(self) -> int:
        self._done.set()
        self._thread.join()
        return self.peak_bytes


class Failed(Exception):
    """Raised when a program did not do what the measurement needs."""


def run(command: list, log: Path, environment: dict | None = None, cwd: Path | None = None) -> Measured:
    """Runs a command to its end.

    Raises Failed unless it exits with 0, because the rate of a failed command means nothing.
    """
    output = log.with_suffix(".out")
    with open(output, "wb") as out, open(log, "wb") as errors:
        began = time.monotonic()
        process = subprocess.Popen(
            list(map(str, command)), stdin=subprocess.DEVNULL, stdout=out, stderr=errors, env=environment, cwd=cwd)
        watch = PeakWatch(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        peak = watch.stop()
    if process.returncode != 0:
        words = log.read_text(errors="replace")[-800:]
        raise Failed(f"{Path(str(command[0])).name} exited with {process.returncode}: {words}")
    return Measured(
        began, seconds, usage.ru_utime + usage.ru_stime, peak, output.read_text(errors="replace"))


@dataclass
class Program:
    """A program that runs until it is stopped. It has a process group of its own, so that all of it can be killed."""

    command: list
    log: Path
    environment: dict | None = None
    process: subprocess.Popen = field(init=False)

    def __post_init__(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                list(map(str, self.command)), stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment,
                start_new_session=True)

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def cpu_seconds(self) -> float:
        return cpu_seconds(self.pid)

    def resident_bytes(self) -> int:
        return sum(status_bytes(member, "VmRSS") for member in family(self.pid))

    def peak_bytes(self) -> int:
        return status_bytes(self.pid, "VmHWM")

    def kill(self):
        """Kills the whole group, as a power cut would: no process can tidy up."""
        os.killpg(self.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self, seconds: float = 40):
        if not self.is_running:
            return
        self.process.terminate()
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()

    def last_words(self) -> str:
        return self.log.read_text(errors="replace")[-800:]


def wait_until(condition, what: str, seconds: float = 600, interval: float = 0.02):
    """Waits until the condition is true, and returns its value.

    Raises Failed after so many seconds.
    """
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(interval)
    raise Failed(f"waited {seconds:.0f} s in vain for {what}")
