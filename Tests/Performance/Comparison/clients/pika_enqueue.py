"""Publishes each file of a directory to a quorum queue, persistent and confirmed, with pika: no framework at all.

pika_enqueue BROKER QUEUE DIR: prints when it began and ended, in seconds of time.monotonic().
"""

import base64
import json
import sys
import time
from pathlib import Path

import pika

broker, queue, directory = sys.argv[1:4]
connection = pika.BlockingConnection(pika.URLParameters(broker))
channel = connection.channel()
channel.queue_declare(queue, durable=True, arguments={"x-queue-type": "quorum"})
channel.confirm_delivery()
files = sorted(Path(directory).iterdir())
print(time.monotonic())
for file in files:
    body = json.dumps({"key": file.name, "data": base64.b64encode(file.read_bytes()).decode()})
    channel.basic_publish("", queue, body, pika.BasicProperties(delivery_mode=2), mandatory=True)
print(time.monotonic())
channel.queue_delete(queue)
connection.close()
