"""Takes traces and metrics by OTLP/HTTP, and reads them with the classes of opentelemetry-proto.

Usage: otlp-collector.py SETTINGS.json
Each request becomes a line of JSON in the file that the settings name. Of the first requests, as many as the settings say
are refused with 503. With `tls` in the settings it speaks TLS, and takes only clients with a certificate of the authority.
It ends when it is killed.
"""
import json
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from google.protobuf.json_format import MessageToDict, ParseDict
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest, ExportTraceServiceResponse

with open(sys.argv[1]) as file:
    settings = json.load(file)

lock = threading.Lock()
refusals = settings["refusals"]
kinds = {
    "/v1/traces": (ExportTraceServiceRequest, ExportTraceServiceResponse),
    "/v1/metrics": (ExportMetricsServiceRequest, ExportMetricsServiceResponse),
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        global refusals
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with lock:
            refused = refusals > 0
            refusals -= refused
        if refused:
            self.answer(503, b"", {"Retry-After": "0"})
            return
        if self.path not in kinds or self.headers["Content-Type"] != "application/x-protobuf":
            self.answer(400, b"")
            return
        request, response = kinds[self.path]
        try:
            message = request.FromString(body)
            told = MessageToDict(message)
            # A field that the specification does not know would be missing.
            assert ParseDict(told, request()) == message, "unknown fields"
        except Exception as error:
            told = {"error": str(error)}
        line = {"path": self.path, "headers": {k.lower(): v for k, v in self.headers.items()}, "message": told}
        with lock, open(settings["file"], "a") as out:
            out.write(json.dumps(line) + "\n")
        self.answer(200, response().SerializeToString())

    def answer(self, status, body, headers={}):
        self.send_response(status)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", settings["port"]), Handler)
if tls := settings.get("tls"):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=tls["authority"])
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_cert_chain(tls["certificate"], tls["key"])
    # A handshake that fails, or never comes, is the concern of its own thread.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
server.serve_forever()
