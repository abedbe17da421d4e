"""A webhook receiver with foreign libraries that checks each request: signature and age, id, content and order.

    receiver.py PORT SECRET LOG EVERY

It refuses one outcome in EVERY at its first delivery (0: none). LOG keeps the requests, so that the verdict survives a
restart. GET /verdict returns the verdict; /die?after=N ends the receiver without an answer to the Nth outcome that it
accepts from now on; /hold?after=N holds all answers from the Nth on, until /release.
"""
import hashlib
import http.server
import json
import os
import signal
import sys
import threading
import urllib.parse

from cloudevents.core.bindings.http import HTTPMessage, from_http
from cloudevents.core.formats.json import JSONFormat
from standardwebhooks.webhooks import Webhook

PORT, SECRET, LOG, EVERY = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])


class Judge:
    def __init__(self):
        self.outcomes = {}  # (job, round) -> (id, digest of the body)
        self.ids = {}
        self.accepted = {}  # job -> rounds in the order in which they were taken
        self.refused = self.repeats = self.requests = 0
        self.problems = []

    def note(self, entry):
        """Applies a request from the log, and checks it against the earlier ones."""
        self.requests += 1
        self.problems += entry["problems"]
        if "job" not in entry:
            return
        job, round_, id_ = entry["job"], entry["round"], entry["id"]
        rounds = self.accepted.setdefault(job, [])
        told = (id_, entry["digest"])
        if self.outcomes.setdefault((job, round_), told) != told:
            self.problems.append(f"round {round_} of {job} came as {told} and as {self.outcomes[job, round_]}")
        if self.ids.setdefault(id_, (job, round_)) != (job, round_):
            self.problems.append(f"{id_} is said of two outcomes")
        if rounds and round_ < rounds[-1]:
            self.problems.append(f"round {round_} of {job} came after round {rounds[-1]}")
        if round_ > 1 and round_ - 1 not in rounds:
            self.problems.append(f"round {round_} of {job} came before round {round_ - 1} was taken")
        if round_ in rounds:
            self.repeats += 1
        if entry["refused"]:
            self.refused += 1
        elif round_ not in rounds:
            rounds.append(round_)


judge, lock, gate = Judge(), threading.Lock(), threading.Event()
log = os.open(LOG, os.O_CREAT | os.O_RDWR | os.O_APPEND, 0o600)
with open(LOG) as lines:
    for line in lines:
        judge.note(json.loads(line))
gate.set()
dies = holds = 0


def read(headers, body):
    """The entry of a request, with its problems."""
    entry = {"problems": [], "refused": False}
    try:
        # The signature covers id, time and body; a time that is not about now is an error too.
        Webhook(SECRET).verify(body, headers)
        event = from_http(HTTPMessage(headers=headers, body=body), JSONFormat())
        entry["id"] = headers["webhook-id"]
        if event.get_id() != entry["id"]:
            entry["problems"].append(f"{event.get_id()} came as {entry['id']}")
        entry["job"], entry["round"] = event.get_subject(), event.get_data()["round"]
        entry["digest"] = hashlib.sha256(body).hexdigest()
    except Exception as error:
        entry["problems"].append(repr(error))
    return entry


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        global dies, holds
        body = self.rfile.read(int(self.headers["Content-Length"]))
        entry = read({name.lower(): value for name, value in self.headers.items()}, body)
        with lock:
            fresh = (entry.get("job"), entry.get("round")) not in judge.outcomes
            entry["refused"] = bool(EVERY) and fresh and len(judge.outcomes) % EVERY == EVERY - 1
            os.write(log, (json.dumps(entry) + "\n").encode())
            judge.note(entry)
            if dies and not entry["refused"]:
                dies -= 1
                if not dies:
                    os.kill(os.getpid(), signal.SIGKILL)
            if holds and not entry["refused"]:
                holds -= 1
                if not holds:
                    gate.clear()
        gate.wait()
        self.answer(503 if entry["refused"] else 204, b"not now" if entry["refused"] else b"")

    def do_GET(self):
        global dies, holds
        url = urllib.parse.urlsplit(self.path)
        after = int(urllib.parse.parse_qs(url.query).get("after", ["0"])[0])
        with lock:
            if url.path == "/die":
                dies = after
            elif url.path == "/hold":
                holds = after
            elif url.path == "/release":
                gate.set()
            verdict = {
                "accepted": judge.accepted, "refused": judge.refused, "repeats": judge.repeats,
                "requests": judge.requests, "problems": judge.problems[:20], "isHolding": not gate.is_set(),
            }
        self.answer(200, json.dumps(verdict).encode())

    def answer(self, status, body):
        try:
            self.send_response(status)
            if status != 204:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            # The client is dead.
            self.close_connection = True

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    allow_reuse_address = True
    request_queue_size = 128


server = Server(("127.0.0.1", PORT), Handler)
print("listening", flush=True)
server.serve_forever()
