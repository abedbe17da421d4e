"""OpenStack Swift with its S3 API in one process: a proxy and one account, container and object server, one device.

Usage: openstack-swift.py SETTINGS.json
Everything it reads and writes lies in the directory that the settings name. It ends when it is killed; data stay.
"""
import errno
import json
import logging
import os
import signal
import sys
import time
import traceback
import warnings

warnings.filterwarnings("ignore")
with open(sys.argv[1]) as file:
    settings = json.load(file)
home = settings["home"]

import eventlet  # noqa: E402

eventlet.monkey_patch()

# Each of the servers would choose a thread's hub anew, and lose the tasks of the hub before.
choose_hub = eventlet.hubs.use_hub
eventlet.hubs.use_hub = lambda *names: hasattr(eventlet.hubs._threadlocal, "hub") or choose_hub(*names)

# Before any other import of Swift: its modules read this file while they load.
import swift.common.utils as utils  # noqa: E402

utils.SWIFT_CONF_FILE = os.path.join(home, "swift.conf")


class ErrorOutput(logging.StreamHandler):
    """In place of the machine's system log."""

    LOG_LOCAL0 = 0

    def __init__(self, *_, **__):
        super().__init__(sys.__stderr__)


utils.logs.ThreadSafeSysLogHandler = ErrorOutput

DEFAULTS = """
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
swift_dir = {home}
devices = {home}/devices
mount_check = false
fallocate_reserve = 0
log_level = WARNING
workers = 0
# An overloaded machine is slow, not broken: a listing that was not updated in time would miss a part.
container_update_timeout = 300
conn_timeout = 300
node_timeout = 300
client_timeout = {client_timeout}
keepalive_timeout = 300
max_clients = 4096
eventlet_debug = false
"""

SERVER = """
[pipeline:main]
pipeline = {kind}-server

[app:{kind}-server]
use = egg:swift#{kind}
mb_per_sync = 0
"""

PROXY = """
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck s3api tempauth bulk slo dlo proxy-server

[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
recoverable_node_timeout = 300
error_suppression_limit = 1000000

[filter:catch_errors]
use = egg:swift#catch_errors

[filter:gatekeeper]
use = egg:swift#gatekeeper

[filter:healthcheck]
use = egg:swift#healthcheck

[filter:s3api]
use = egg:swift#s3api
location = {region}
storage_domain = {storage_domain}
max_upload_part_num = {max_upload_part_num}
min_segment_size = {min_segment_size}
max_parts_listing = {max_parts_listing}
allowable_clock_skew = 900
check_bucket_owner = false

[filter:tempauth]
use = egg:swift#tempauth
{users}

[filter:bulk]
use = egg:swift#bulk

[filter:slo]
use = egg:swift#slo
max_manifest_segments = 10000
max_manifest_size = 16777216
rate_limit_after_segment = 1000000

[filter:dlo]
use = egg:swift#dlo
"""


def write(name, text):
    with open(os.path.join(home, name), "w") as file:
        file.write(text)


def listen(port):
    """Retries, because another program's short connection may use the port for a moment."""
    end = time.monotonic() + 20
    while True:
        try:
            return eventlet.listen(("127.0.0.1", port), backlog=1024, reuse_port=False)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > end:
                raise
            eventlet.sleep(0.1)


def configure(kind, port):
    values = dict(settings, kind=kind, port=port)
    values["users"] = "\n".join(
        "user_%s = %s .admin" % (name.replace(":", "_"), secret) for name, secret in settings["users"].items()
    )
    write("%s.conf" % kind, (DEFAULTS + (PROXY if kind == "proxy" else SERVER)).format(**values))


def build_ring(kind, port):
    from swift.common.ring import RingBuilder

    ring = RingBuilder(1, 1, 0)
    ring.add_dev({"id": 0, "region": 1, "zone": 1, "weight": 1, "ip": "127.0.0.1", "port": port, "device": "one"})
    ring.rebalance(seed=1)
    ring.get_ring().save(os.path.join(home, "%s.ring.gz" % kind))


def serve(kind, sock):
    from swift.common import wsgi

    path = os.path.join(home, "%s.conf" % kind)
    try:
        conf, logger, _ = wsgi._initrp(path, "%s-server" % kind)
        wsgi.run_server(conf, logger, sock, ready_callback=lambda: write("%s.ready" % kind, ""))
    finally:
        # One of the servers alone is of no use.
        traceback.print_exc()
        os._exit(1)


def main():
    os.makedirs(os.path.join(home, "devices", "one"), exist_ok=True)
    write(
        "swift.conf",
        "[swift-hash]\nswift_hash_path_suffix = longshore\n"
        "[swift-constraints]\nmax_object_name_length = %d\n" % settings["key_bytes_maximum"],
    )
    utils.validate_configuration()
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    # Only the proxy is used from outside; the ports of the others may change with every start.
    for kind in ("account", "container", "object"):
        sock = listen(0)
        configure(kind, sock.getsockname()[1])
        build_ring(kind, sock.getsockname()[1])
        eventlet.spawn(serve, kind, sock)
    configure("proxy", settings["port"])
    serve("proxy", listen(settings["port"]))


main()
