"""Looks at S3 servers with boto3: one request a line in, one answer a line out, as JSON. It ends with its input.

The request "open" names the server that the requests after it are about.
"""
import base64
import hashlib
import json
import sys

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

s3 = None


def open_server(url, region, id, secret):
    global s3
    s3 = boto3.client(
        "s3",
        endpoint_url=url,
        region_name=region,
        aws_access_key_id=id,
        aws_secret_access_key=secret,
        config=Config(
            s3={"addressing_style": "path"},
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
            retries={"max_attempts": 0},
            connect_timeout=10,
            read_timeout=120,
            proxies={},
        ),
    )


def clean(options):
    return {name: value for name, value in options.items() if value not in (None, {}, "")}


def put(bucket, key, body, metadata=None, headers=None):
    return s3.put_object(
        Bucket=bucket, Key=key, Body=base64.b64decode(body), **clean(dict(headers or {}, Metadata=metadata))
    )["ETag"]


def get(bucket, key):
    return base64.b64encode(s3.get_object(Bucket=bucket, Key=key)["Body"].read()).decode()


def head(bucket, key):
    found = s3.head_object(Bucket=bucket, Key=key)
    return {
        "size": found["ContentLength"],
        "etag": found["ETag"],
        # Metadata names are the same in upper and lower case, and servers change the case.
        "metadata": {name.lower(): value for name, value in found["Metadata"].items()},
        "contentType": found.get("ContentType", ""),
        "headers": found["ResponseMetadata"]["HTTPHeaders"],
    }


def sha256(bucket, key):
    digest = hashlib.sha256()
    for chunk in s3.get_object(Bucket=bucket, Key=key)["Body"].iter_chunks(1 << 20):
        digest.update(chunk)
    return digest.hexdigest()


def list_keys(bucket, prefix=""):
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
    return [entry["Key"] for page in pages for entry in page.get("Contents", [])]


def list_uploads(bucket):
    pages = s3.get_paginator("list_multipart_uploads").paginate(Bucket=bucket)
    return [
        {"key": u["Key"], "uploadId": u["UploadId"], "initiated": u["Initiated"].timestamp()}
        for page in pages
        for u in page.get("Uploads", [])
    ]


def list_parts(bucket, key, upload):
    pages = s3.get_paginator("list_parts").paginate(Bucket=bucket, Key=key, UploadId=upload)
    return [
        {"number": p["PartNumber"], "size": p["Size"], "etag": p["ETag"]}
        for page in pages
        for p in page.get("Parts", [])
    ]


def upload_part(bucket, key, upload, number, body):
    return s3.upload_part(
        Bucket=bucket, Key=key, UploadId=upload, PartNumber=number, Body=base64.b64decode(body)
    )["ETag"]


def complete(bucket, key, upload, parts):
    return s3.complete_multipart_upload(
        Bucket=bucket,
        Key=key,
        UploadId=upload,
        MultipartUpload={"Parts": [{"PartNumber": p["number"], "ETag": p["etag"]} for p in parts]},
    )["ETag"]


verbs = {
    "open": open_server,
    "createBucket": lambda bucket: s3.create_bucket(Bucket=bucket) and None,
    "put": put,
    "get": get,
    "head": head,
    "delete": lambda bucket, key: s3.delete_object(Bucket=bucket, Key=key) and None,
    "sha256": sha256,
    "listKeys": list_keys,
    "listUploads": list_uploads,
    "listParts": list_parts,
    "startUpload": lambda bucket, key, metadata=None: s3.create_multipart_upload(
        Bucket=bucket, Key=key, **clean({"Metadata": metadata})
    )["UploadId"],
    "uploadPart": upload_part,
    "complete": complete,
    "abort": lambda bucket, key, upload: s3.abort_multipart_upload(Bucket=bucket, Key=key, UploadId=upload) and None,
    "tagging": lambda bucket, key: {
        tag["Key"]: tag["Value"] for tag in s3.get_object_tagging(Bucket=bucket, Key=key)["TagSet"]
    },
}

for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = {"result": verbs[request.pop("verb")](**request)}
    except ClientError as error:
        answer = {
            "status": error.response["ResponseMetadata"].get("HTTPStatusCode", 0),
            "code": error.response["Error"].get("Code") or "",
            "message": error.response["Error"].get("Message") or "",
        }
    except Exception as error:
        answer = {"status": 0, "code": type(error).__name__, "message": str(error)}
    print(json.dumps(answer), flush=True)
