"""A producer in Python that stays connected."""

import base64
import json
import os
import time
import uuid
from pathlib import Path

import pika

from .pool import Pool


class Publisher:
    def __init__(self, pool: Pool):
        self._exchange = f"{pool.namespace}.submit"
        self._connection = pika.BlockingConnection(pika.URLParameters(pool.bench.broker.url))
        self._channel = self._connection.channel()
        self._channel.confirm_delivery()

    def publish(self, key: str, source: dict, size: int) -> str:
        """Publishes a job, waits for the confirm, and returns the job's id."""
        identifier, body = job(key, source, size)
        properties = pika.BasicProperties(
            type="upload.job.v1", content_type="application/json", message_id=identifier, delivery_mode=2)
        self._channel.basic_publish(self._exchange, f"default.normal.{identifier[-1]}", body, properties, mandatory=True)
        return identifier

    def close(self):
        self._connection.close()


def job(key: str, source: dict, size: int) -> tuple[str, bytes]:
    """A job as any program may publish it (page "Wire format"): its id and the message's body."""
    identifier = uuid7()
    now = time.time()
    at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03}Z"
    return identifier, json.dumps({
        "id": identifier, "queue": "default", "enqueuedAt": at, "size": size, "source": source,
        "destination": {"name": "sink", "key": key},
    }).encode()


def inline(data: bytes) -> dict:
    return {"kind": "inline", "data": base64.b64encode(data).decode()}


def in_place(path: Path) -> dict:
    return {"kind": "file", "path": str(path)}


def uuid7() -> str:
    """A new UUID of version 7 (RFC 9562, section 5.7)."""
    value = int(time.time() * 1000) << 80 | int.from_bytes(os.urandom(10), "big")
    value = value & ~(0xF << 76) | 7 << 76
    value = value & ~(3 << 62) | 2 << 62
    return str(uuid.UUID(int=value))
