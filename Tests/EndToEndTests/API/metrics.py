"""Checks the metrics of a worker and a notifier after work, as promtool and prometheus-client read them.

    metrics.py WORKER NOTIFIER DESTINATION…
"""
import subprocess
import sys
import urllib.request

from prometheus_client import openmetrics, parser
import prometheus_client.openmetrics.parser

WORKER, NOTIFIER, DESTINATIONS = sys.argv[1], sys.argv[2], set(sys.argv[3:])
OPEN = "application/openmetrics-text"
# The Accept field of Prometheus 2.42.
PROMETHEUS = OPEN + ";version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"


def scrape(base, accept):
    request = urllib.request.Request(base + "/metrics", headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=30) as response:
        assert response.status == 200
        return response.headers["Content-Type"], response.read().decode()


def read(base):
    """The families by name, after checking that both formats contain the same series."""
    kind, text = scrape(base, "*/*")
    assert kind.startswith("text/plain; version=0.0.4"), kind
    lint = subprocess.run(["promtool", "check", "metrics"], input=text, text=True, capture_output=True, timeout=60)
    assert lint.returncode == 0 and not lint.stdout and not lint.stderr, (lint, text)
    plain = list(parser.text_string_to_metric_families(text))
    kind, text = scrape(base, PROMETHEUS)
    assert kind == OPEN + "; version=1.0.0; charset=utf-8", kind
    strict = list(openmetrics.parser.text_string_to_metric_families(text))
    assert [family.name for family in strict] == sorted(family.name for family in strict)

    def series(families):
        return {(s.name, tuple(sorted(s.labels.items()))) for family in families for s in family.samples}

    assert series(plain) == series(strict), series(plain) ^ series(strict)
    assert {f.name: f.type for f in plain} == {f.name: f.type for f in strict}
    for family in strict:
        assert family.documentation, family.name
        for unit in ["seconds", "bytes"]:
            assert (family.unit == unit) == family.name.endswith("_" + unit), family
        values = [s.value for s in family.samples]
        assert all(value >= 0 for value in values), family
    return {family.name: family for family in strict}


def expect(families, name, kind, **labels):
    """Checks that the family has exactly these labels, each with at most these values, and that one series has counted."""
    family = families[name]
    assert family.type == kind, family
    for sample in family.samples:
        found = {key: value for key, value in sample.labels.items() if key != "le"}
        assert set(found) == set(labels), sample
        for key, value in found.items():
            assert value in labels[key], sample
    assert kind == "gauge" or any(sample.value > 0 for sample in family.samples), family


codes = {
    "networkFailure", "notAuthenticated", "wrongCredentials", "accessDenied", "serverFailure", "rateLimited",
    "destinationNotFound", "rejected", "preconditionFailed", "invalidFile", "sourceChanged", "checksumMismatch",
    "invalidResponse", "sessionExpired", "expired", "interrupted", "cancelled", "poisoned", "misconfigured", "unknown",
}
queues = {"default"}
worker = read(WORKER)
expect(worker, "upload_jobs", "counter", queue=queues, destination=DESTINATIONS, outcome={"completed", "failed"})
expect(worker, "upload_bytes", "counter", queue=queues, destination=DESTINATIONS)
expect(worker, "upload_seconds", "histogram", queue=queues, destination=DESTINATIONS)
expect(worker, "upload_queue_lag_seconds", "histogram", queue=queues)
expect(worker, "upload_in_flight", "gauge")
expect(worker, "upload_retries", "counter", code=codes)
notifier = read(NOTIFIER)
expect(
    notifier, "upload_delegate_deliveries", "counter", outcome={"delivered", "failed", "paused", "givenUp"})
statuses = {"queued", "running", "waiting", "paused", "completed", "failed", "cancelled"}
expect(notifier, "upload_ledger_jobs", "gauge", queue=queues, status=statuses)
expect(notifier, "upload_queue_depth", "gauge", queue=queues, lane={"urgent", "continued", "normal", "bulk"})
expect(notifier, "upload_queue_workers", "gauge", queue=queues)
expect(notifier, "upload_workers", "gauge", state={"running", "draining", "drained"})
delegates = {sample.labels["delegate"] for sample in notifier["upload_delegate_backlog"].samples}
expect(notifier, "upload_delegate_oldest_age_seconds", "gauge", delegate=delegates)
expect(notifier, "upload_delegate_delivery_seconds", "histogram", delegate=delegates)
for name in ["dead_letters", "ledger_bytes", "notifier_active"]:
    expect(notifier, f"upload_{name}", "gauge")
for program in [worker, notifier]:
    expect(program, "upload_broker_connected", "gauge")
    (area,) = {sample.labels["area"] for sample in program["upload_staging_bytes"].samples}
    for name in ["staging_bytes", "staging_free_bytes", "staging_capacity_bytes", "outbox_jobs"]:
        expect(program, f"upload_{name}", "gauge", area={area})
    expect(program, "process_cpu_seconds", "counter")
    for name in ["resident_memory_bytes", "virtual_memory_bytes", "open_fds", "max_fds", "start_time_seconds"]:
        expect(program, f"process_{name}", "gauge")
    (build,) = program["upload_build_info"].samples
    assert build.value == 1 and set(build.labels) == {"version", "commit", "swift"}, build
print(sum(len(family.samples) for family in [*worker.values(), *notifier.values()]), "series")
