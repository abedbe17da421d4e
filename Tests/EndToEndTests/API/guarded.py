"""Without the token every request is refused, but monitoring needs no token."""
import sys

from api import ask, description

token = sys.argv[2]
for path in ["/v1/jobs", "/openapi.yaml", "/v1/events", "/nothing"]:
    for headers in [{}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Bearer {token}x"}]:
        status, answered, _ = ask("GET", path, headers=headers)
        assert status == 401 and answered["WWW-Authenticate"].startswith("Bearer"), (path, status)
status, _, _ = ask("GET", "/v1/jobs", headers={"Authorization": f"Bearer {token}", "Host": "uploads.example"})
assert status == 200, status
for path in ["/healthz", "/metrics"]:
    assert ask("GET", path)[0] == 200, path
