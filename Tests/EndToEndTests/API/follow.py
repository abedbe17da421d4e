"""Follows the events, is cut off, and reconnects: it misses no event and gets none twice."""
import http.client
import json
import sys
import urllib.parse

first, second = sys.argv[2:4]
place = urllib.parse.urlparse(sys.argv[1]).netloc


def follow(path, last=None):
    connection = http.client.HTTPConnection(place, timeout=60)
    connection.request("GET", path, headers={"Last-Event-ID": last} if last else {})
    response = connection.getresponse()
    assert response.status == 200, response.read()
    assert response.headers["Content-Type"] == "text/event-stream"
    fields = {}
    while line := response.readline():
        line = line.decode().rstrip("\n")
        if not line and "data" in fields:
            yield fields["id"], fields["event"], json.loads(fields["data"])
            fields = {}
        elif line and not line.startswith(":"):
            name, text = line.split(": ", 1)
            fields[name] = text
    connection.close()


seen = []
stream = follow("/v1/events?after=0")
for identifier, kind, data in stream:
    assert data["sequence"] == int(identifier) and data["type"] == kind
    seen.append((identifier, kind, data["job"]))
    break
stream.close()
while ("upload.completed", second) not in [(kind, job) for _, kind, job in seen]:
    # Cut off after every event.
    identifier, kind, data = next(follow("/v1/events?kind=enqueued,started,completed", last=seen[-1][0]))
    seen.append((identifier, kind, data["job"]))
numbers = [int(identifier) for identifier, _, _ in seen]
assert numbers == sorted(set(numbers)), numbers
assert ("upload.completed", first) in [(kind, job) for _, kind, job in seen], seen
only = next(follow(f"/v1/events?after=0&kind=completed&job={second}"))
assert only[2]["job"] == second and only[2]["object"]["size"] == 1000, only
