"""Celery + boto3, as a user would write durable uploads. With quorum queues and late acknowledgements a job survives
the same failures as in Longshore."""

import base64
import os
from functools import cache

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from celery import Celery

app = Celery("uploads", broker=os.environ["BENCH_BROKER"])
app.conf.update(
    task_default_queue=os.environ["BENCH_QUEUE"],
    task_default_queue_type="quorum",
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_ignore_result=True,
    worker_prefetch_multiplier=4,
    worker_hijack_root_logger=False,
    broker_connection_retry_on_startup=True,
    broker_transport_options={"confirm_publish": os.environ.get("BENCH_CONFIRMS") == "yes"},
)
PART_BYTES = int(os.environ.get("BENCH_PART_MIB", "16")) << 20


@cache
def s3():
    return boto3.client(
        "s3", endpoint_url=os.environ["BENCH_ENDPOINT"], config=Config(s3={"addressing_style": "path"}))


@app.task
def upload_file(path: str, key: str):
    s3().upload_file(path, os.environ["BENCH_BUCKET"], key, Config=TransferConfig(
        multipart_threshold=PART_BYTES, multipart_chunksize=PART_BYTES,
        max_concurrency=int(os.environ.get("BENCH_PARTS", "4"))))


@app.task
def upload_bytes(data: str, key: str):
    s3().put_object(Bucket=os.environ["BENCH_BUCKET"], Key=key, Body=base64.b64decode(data))
