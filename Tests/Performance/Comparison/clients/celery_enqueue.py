"""Enqueues with Celery, and prints when the first and the last call were made, in seconds of time.monotonic().

celery_enqueue file PATH KEY           one task that uploads a file
celery_enqueue bytes DIR KEY           a task for each file of a directory, its bytes in the message
celery_enqueue paced COUNT KEY PAUSE   one small task after the other; prints each one's time
"""

import base64
import sys
import time
from pathlib import Path

from .celery_tasks import app, upload_bytes, upload_file

verb, what, key = sys.argv[1:4]
with app.pool.acquire(block=True) as connection:
    connection.ensure_connection()
    connection.default_channel.close()
if verb == "file":
    print(time.monotonic())
    upload_file.delay(what, key)
    print(time.monotonic())
elif verb == "bytes":
    files = sorted(Path(what).iterdir())
    print(time.monotonic())
    for file in files:
        upload_bytes.delay(base64.b64encode(file.read_bytes()).decode(), f"{key}{file.name}")
    print(time.monotonic())
else:
    data = base64.b64encode(b"x" * 4096).decode()
    for number in range(int(what)):
        time.sleep(float(sys.argv[4]))
        print(time.monotonic_ns(), flush=True)
        upload_bytes.delay(data, f"{key}{number}")
