"""Sends valid and invalid requests made from the description by schemathesis, and some that no client would send."""
import json
import pathlib
import socket
import subprocess
import urllib.parse

from api import BASE, ask, description

place = urllib.parse.urlparse(BASE)
checks = [
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance",
    "negative_data_rejection", "positive_data_acceptance", "unsupported_method",
]


def fuzz(name, whole, mode, *choice):
    # JSON is YAML.
    schema = pathlib.Path(name + ".yaml")
    schema.write_text(json.dumps(whole))
    run = subprocess.run(
        [
            "schemathesis", "run", str(schema), "--url", BASE, "--checks", ",".join(checks), "--max-examples", "25",
            "--seed", "1", "--phases", "examples,coverage,fuzzing", "--mode", mode, "--suppress-health-check", "all",
            "--workers", "1", "--no-color", "--request-timeout", "60", "--continue-on-failure", *choice,
        ],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900,
    )
    print(name, run.stdout[-6000:])
    assert run.returncode == 0, (name, run.returncode)


def public(whole):
    """Only URLs of delegates that every configuration allows: by name, and not by an address."""
    schemas = whole["components"]["schemas"]
    for fields in [schemas["NewDelegate"]["oneOf"][0]["properties"], schemas["DelegatePatch"]["properties"]]:
        fields["url"]["pattern"] = "^https://[a-z]{1,9}[.]example/[a-z]{0,9}$"
    return whole


def named(whole):
    """The description for this deployment, whose configuration has one destination."""
    whole["components"]["schemas"]["NamedPlace"]["properties"]["name"] = {"const": "local"}
    # No value of this header is wrong: schemathesis would look for one for ever.
    without(whole, "traceparent")
    return whole


def without(whole, header):
    """Jobs are posted without this header."""
    post = whole["paths"]["/v1/jobs"]["post"]
    post["parameters"] = [one for one in post["parameters"] if one["$ref"].rpartition("/")[2] != header]


def narrowed(whole):
    """Only jobs that keep the rules which the description gives in words: about two fields, or about earlier jobs."""
    whole = named(whole)
    new = whole["components"]["schemas"]["NewJob"]
    fields = new["properties"]
    # The bytes have their size and their digests, an id is that of the key, and times lie ahead.
    fields["size"] = {"const": 5}
    fields["source"]["oneOf"][0]["properties"]["data"] = {"const": "aGVsbG8="}
    for name in ["digests", "id", "idempotencyKey", "notBefore", "expiresAt"]:
        del fields[name]
    # A key belongs to one body.
    without(whole, "idempotencyKey")
    # Each queue and each app would get queues at the broker.
    fields["queue"] = {"const": "default"}
    del fields["client"]
    # No test may reach invented servers or write to invented paths.
    fields["destination"]["oneOf"] = fields["destination"]["oneOf"][:1]
    fields["source"]["oneOf"][2]["properties"]["from"]["oneOf"] = fields["source"]["oneOf"][2]["properties"]["from"]["oneOf"][:1]
    return whole


fuzz(
    "all", public(description()), "all", "--exclude-operation-id", "enqueueJob",
    # A stream has no end, and a backup would be written to any invented path.
    "--exclude-path", "/v1/events", "--exclude-path", "/v1/ledger/backup",
)
fuzz("wrong-jobs", named(description()), "negative", "--include-operation-id", "enqueueJob")
fuzz("right-jobs", narrowed(description()), "positive", "--include-operation-id", "enqueueJob")


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
