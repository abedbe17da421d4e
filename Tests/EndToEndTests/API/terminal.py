"""`uploadctl watch` on a terminal: terminal.py UPLOADCTL ARGUMENT...

Waits for a bar, makes the terminal narrow, waits for bars that fit, presses Ctrl-C, and wants a clean end.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time


def resize(terminal, rows, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def read_until(terminal, pattern, seen=b""):
    """The output up to a match; a broken test ends after two minutes."""
    end = time.monotonic() + 120
    while not re.search(pattern, seen):
        if time.monotonic() > end:
            sys.exit(f"not seen: {pattern!r} in {seen[-2000:]!r}")
        if select.select([terminal], [], [], 1)[0]:
            seen += os.read(terminal, 65536)
    return seen


pid, terminal = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    os.execv(sys.argv[1], sys.argv[1:])
resize(terminal, 24, 80)
read_until(terminal, rb"slow\.bin +default \xe2\x86\x92 slow +\[=*> *\] +\d+%  +[\d.]+ [KM]?i?B/s  ETA +[\d:]+")
resize(terminal, 12, 40)
narrow = read_until(terminal, rb"slow\.bin +\d+%[^\[\n]*\x1b\[K\r?\n1 running")
for line in re.split(rb"[\r\n]+", narrow)[-2:]:
    text = re.sub(rb"\x1b\[\d*[A-Z]", b"", line).decode()
    assert len(text) < 40, repr(text)
os.write(terminal, b"\x03")
rest = b""
while True:
    try:
        rest += os.read(terminal, 65536)
    except OSError:
        break
_, status = os.waitpid(pid, 0)
assert os.waitstatus_to_exitcode(status) == 128 + signal.SIGINT, status
# The lines at the foot are erased, and the cursor stands where the area began.
assert re.search(rb"\x1b\[J$", rest), rest[-200:]
