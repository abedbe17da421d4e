"""Keeps messages from the notifiers until they are all ready."""

import pika

from .pool import Pool


class Gate:
    """Consumes from the notifiers' queues, of which each has one active consumer: notifiers that come later get nothing until it opens."""

    def __init__(self, pool: Pool):
        parameters = pika.URLParameters(pool.bench.broker.url)
        parameters.heartbeat = 0  # nothing here would answer
        self._connection = pika.BlockingConnection(parameters)
        for shard in range(pool.shards):
            channel = self._connection.channel()
            channel.basic_qos(prefetch_count=1)
            channel.basic_consume(f"{pool.namespace}.notifier.{shard}", lambda *_: None)

    def open(self):
        """What it was given goes back to the head of its queue."""
        self._connection.close()
