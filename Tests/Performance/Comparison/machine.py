"""Describes the machine."""

import os
import platform
import re
import subprocess
from importlib.metadata import version
from pathlib import Path


def _found(pattern: str, path: str) -> str:
    match = re.search(pattern, Path(path).read_text(), re.MULTILINE)
    return match[1].strip() if match else "unknown"


def _first_line(*command) -> str:
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return (done.stdout.strip() or "unknown").splitlines()[0]


def facts(bench) -> dict[str, str]:
    """Called before the first measurement: the load shows whether other programs are busy."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("boto3", "awscrt", "celery", "pika"))
    programs = f"s5cmd {_first_line(bench.s5cmd, 'version')}, {_first_line(bench.venv / 'rclone', 'version')}"
    kibibytes = _found(r"^MemTotal:\s+(\d+)", "/proc/meminfo")
    file_system = _first_line("stat", "-f", "-c", "%T", bench.home)
    return {
        "processor": _found(r"^model name\s*:\s*(.*)$", "/proc/cpuinfo"),
        "cores": str(os.cpu_count()),
        "memory": f"{int(kibibytes) / (1 << 20):.1f} GiB" if kibibytes.isdigit() else kibibytes,
        "kernel": platform.release(),
        "file system": file_system,
        "load before": " ".join(f"{load:.1f}" for load in os.getloadavg()),
        "programs": bench.build,
        "Swift": _first_line("swift", "--version"),
        "RabbitMQ": bench.broker.version(),
        "rivals": f"{programs}, {packages}",
    }
