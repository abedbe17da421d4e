"""Sends valid and invalid requests made from the description by schemathesis, and some that no client would send."""
import pathlib
import socket
import subprocess
import sys
import urllib.parse

from api import BASE, ask

place = urllib.parse.urlparse(BASE)
schema = pathlib.Path("openapi.yaml")
schema.write_bytes(ask("GET", "/openapi.yaml")[2])
checks = [
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance",
    "negative_data_rejection", "unsupported_method",
]
run = subprocess.run(
    [
        "schemathesis", "run", str(schema), "--url", BASE, "--checks", ",".join(checks), "--max-examples", "25",
        "--seed", "1", "--phases", "examples,coverage,fuzzing", "--mode", "all", "--suppress-health-check", "all",
        # A stream has no end, and a backup would be written to any invented path.
        "--exclude-path", "/v1/events", "--exclude-path", "/v1/ledger/backup", "--workers", "1", "--no-color", "--request-timeout", "60",
    ],
    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
)
print(run.stdout[-6000:])
assert run.returncode == 0, run.returncode


def raw(text):
    with socket.create_connection((place.hostname, place.port), timeout=60) as connection:
        connection.sendall(text)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while part := connection.recv(65536):
            answer += part
    return answer


host = b"Host: localhost\r\n"
for request in [
    b"GET /v1/jobs HTTP/1.1\r\n\r\n",
    b"GET /v1/jobs HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"GET /v1/jobs?%zz=%ff HTTP/1.1\r\n" + host + b"\r\n",
    b"GET /v1/jobs/%00%ff HTTP/1.1\r\n" + host + b"\r\n",
    b"GET http://localhost/v1/nothing HTTP/1.1\r\n" + host + b"\r\n",
    b"GET //v1//jobs/../../etc/passwd HTTP/1.1\r\n" + host + b"\r\n",
    b"POST /v1/orders HTTP/1.1\r\n" + host + b"Content-Type: application/json\r\nContent-Length: -1\r\n\r\n",
    b"POST /v1/orders HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"GET /v1/jobs HTTP/1.1\r\n" + host + b"X: " + b"a" * 100_000 + b"\r\n\r\n",
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n" + host + b"\r\n",
    b"\x00\xff\xfe\r\n\r\n",
]:
    answer = raw(request)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 4"), (request[:80], answer[:200])
assert ask("GET", "/healthz")[0] == 200
