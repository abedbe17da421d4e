"""A queued job that no worker takes: it is listed, explained and cancelled; an order that it cannot obey is a conflict."""
import sys

from api import value

job = sys.argv[2]
listed = value("GET", "/v1/jobs?status=queued&batch=trip")["jobs"]
assert job in [one["id"] for one in listed], listed
story = value("GET", f"/v1/jobs/{job}")
assert story["explanation"]["code"] == "noWorker", story["explanation"]
assert story["job"]["target"] == "local:a.bin", story["job"]
queue = value("GET", "/v1/queues/default")
assert queue["consumers"] == 0 and sum(queue["depth"].values()) >= 1, queue
assert value("POST", f"/v1/jobs/{job}/pause")["isDecided"]
assert value("GET", f"/v1/jobs/{job}")["explanation"]["code"] == "paused"
assert value("POST", f"/v1/jobs/{job}/resume")["isDecided"]
again = value("POST", f"/v1/jobs/{job}/run-again", expect=409)
assert "has not ended" in again["detail"], again
assert value("POST", f"/v1/jobs/{job}/cancel")["jobs"] == [{"id": job, "done": True}]
story = value("GET", f"/v1/jobs/{job}")
assert story["explanation"]["code"] == "cancelling", story["explanation"]
unknown = value("POST", "/v1/jobs/019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90/cancel", expect=404)
assert "knows no job" in unknown["detail"], unknown
assert value("POST", "/v1/queues/other/stop")["done"] == 1
assert value("GET", "/v1/queues/other")["isStopped"] is True
assert value("POST", "/v1/queues/other/start")["done"] == 1
