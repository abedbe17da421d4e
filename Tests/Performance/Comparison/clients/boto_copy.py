"""Copies a file, or the files of a directory, to S3 with boto3, as boto3's guide says."""

import argparse
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import boto3
import botocore.session
from awscrt.auth import AwsCredentialsProvider
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from s3transfer.crt import BotocoreCRTRequestSerializer, CRTTransferManager, create_s3_crt_client

parser = argparse.ArgumentParser()
parser.add_argument("--endpoint", required=True)
parser.add_argument("--bucket", required=True)
parser.add_argument("--transfer", choices=["classic", "crt"], required=True)
parser.add_argument("--part-mib", type=int, required=True)
parser.add_argument("--parts", type=int, required=True)
parser.add_argument("--jobs", type=int, required=True)
parser.add_argument("source", type=Path)
parser.add_argument("key")
options = parser.parse_args()

part_bytes = options.part_mib << 20


def client():
    pooled = Config(s3={"addressing_style": "path"}, max_pool_connections=options.jobs * options.parts)
    return boto3.client("s3", endpoint_url=options.endpoint, config=pooled)


def copy_many():
    """One request each: a transfer manager has nothing to add to small files."""
    s3 = client()

    def copy(file: Path):
        s3.put_object(Bucket=options.bucket, Key=f"{options.key}{file.name}", Body=file.read_bytes())

    with ThreadPoolExecutor(options.jobs) as threads:
        list(threads.map(copy, options.source.iterdir()))


def copy_one():
    client().upload_file(str(options.source), options.bucket, options.key, Config=TransferConfig(
        multipart_threshold=part_bytes, multipart_chunksize=part_bytes, max_concurrency=options.parts))


def copy_one_by_runtime():
    """Does the same as `preferred_transfer_client="crt"`, which supports no endpoint but AWS's own. The runtime
    decides itself how many parts go at once."""
    session = botocore.session.get_session()
    credentials = AwsCredentialsProvider.new_default_chain()
    runtime = create_s3_crt_client(
        session.get_config_variable("region"), credentials, part_size=part_bytes, use_ssl=False)
    serializer = BotocoreCRTRequestSerializer(
        session, {"region_name": session.get_config_variable("region"), "endpoint_url": options.endpoint})
    with CRTTransferManager(runtime, serializer) as manager:
        manager.upload(str(options.source), options.bucket, options.key).result()


if options.source.is_dir():
    copy_many()
elif options.transfer == "crt":
    copy_one_by_runtime()
else:
    copy_one()
