"""Checks the answers of every reading operation against the description, with and without data to show."""
import sys

from openapi_spec_validator import validate

from api import ask, check, closed, description, value

job = sys.argv[2]
whole = description()
validate(whole)
whole = closed(whole)
story = value("GET", f"/v1/jobs/{job}")
assert story["explanation"]["code"] == "cancelled" and story["job"]["endedAt"], story
assert [event["type"] for event in story["events"]][-1] == "upload.cancelled", story["events"]
assert {delivery["delegate"] for delivery in story["deliveries"]} == {"events", "hook"}, story["deliveries"]
delivery = story["deliveries"][0]["id"]
places = {
    "/v1/jobs/{id}": [job, "x", "019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90"],
    "/v1/queues/{name}": ["default", "none", "N"],
    "/v1/queues/{name}/line": ["default", "none", "N"],
    "/v1/delegates/{name}": ["events", "none"],
    "/v1/deliveries/{id}": [delivery, "x", 10**30, 10**9],
    "/v1/deliveries/{id}/attempts": [delivery, "x", 10**30],
    "/v1/dead-letters/{id}": [1, "x"],
}
looked = 0
for path, operations in whole["paths"].items():
    if "get" not in operations or not path.startswith("/v1/") or path == "/v1/events":
        continue
    for filled in places.get(path, [None]):
        name = path[path.find("{") : path.find("}") + 1]
        url = path.replace(name, str(filled)) if filled is not None else path
        for query in ["", "?nothing=1"]:
            status, headers, body = ask("GET", url + query)
            check(whole, path, "get", status, headers["Content-Type"], body)
            looked += 1
            assert status == 400 if query else status < 500, (url, status)
for path, arguments in [("/v1/delegates/{name}/test", "hook"), ("/v1/deliveries/{id}/replay", delivery)]:
    url = path.replace("{name}", str(arguments)).replace("{id}", str(arguments))
    status, headers, body = ask("POST", url)
    assert status == 200, (url, status, body)
    check(whole, path, "post", status, headers["Content-Type"], body)
status, headers, body = ask("POST", f"/v1/jobs/{job}/run-again")
assert status == 200, body
check(whole, "/v1/jobs/{id}/run-again", "post", status, headers["Content-Type"], body)
assert looked >= 20, looked
