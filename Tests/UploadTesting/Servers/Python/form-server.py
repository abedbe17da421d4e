"""Takes POST and PUT: forms, parsed by werkzeug, and bodies that are the file itself.

Usage: form-server.py SETTINGS.json
Each upload becomes NUMBER.bytes and NUMBER.json in the directory that the settings name. A repeated Idempotency-Key gets
the first answer again, as draft-ietf-httpapi-idempotency-key-header says. It ends when it is killed.
"""
import hashlib
import itertools
import json
import os
import sys
import threading

from flask import Flask, request
from werkzeug.serving import WSGIRequestHandler, make_server

with open(sys.argv[1]) as file:
    settings = json.load(file)

app = Flask(__name__)
numbers = itertools.count(1)
answers = {}
lock = threading.Lock()


def take(path):
    field, upload = next(iter(request.files.items()), (None, None))
    stream = upload.stream if upload else request.stream
    number = "%06d" % next(numbers)
    name = os.path.join(settings["directory"], number)
    digest = hashlib.sha256()
    with open(name + ".bytes", "wb") as out:
        while chunk := stream.read(1 << 20):
            digest.update(chunk)
            out.write(chunk)
    info = {
        "field": field or "",
        "filename": upload.filename if upload else "",
        "contentType": (upload.content_type if upload else request.content_type) or "",
        "fields": request.form.to_dict(flat=False),
        "headers": {key.lower(): value for key, value in request.headers},
        "path": path,
    }
    with open(name + ".tmp", "w") as out:
        json.dump(info, out)
    os.rename(name + ".tmp", name + ".json")
    return {
        "files": [{"url": f"/stored/{number}?token=abc", "sha256": digest.hexdigest()}],
        "echo": {"fields": info["fields"], "authorization": request.headers.get("Authorization", "")},
    }


@app.route("/", defaults={"path": ""}, methods=["POST"])
@app.route("/<path:path>", methods=["POST", "PUT"])
def upload(path):
    wanted = settings.get("authorization")
    if wanted and request.headers.get("Authorization") != wanted:
        return {"error": "not " + request.headers.get("Authorization", "")}, 401
    key = request.headers.get("Idempotency-Key")
    if not key:
        return take(path), 201
    with lock:
        if key in answers:
            return answers[key], 201, {"Idempotency-Replayed": "true"}
        answers[key] = take(path)
        return answers[key], 201


# Keeps connections open.
WSGIRequestHandler.protocol_version = "HTTP/1.1"
make_server("127.0.0.1", settings["port"], app, threaded=True).serve_forever()
