"""A private WebDAV server: WsgiDAV under cheroot, with locks and dead properties in memory.

Usage: webdav-server.py SETTINGS.json
Everything it reads and writes lies in the directory that the settings name. It ends when it is killed; files stay.
"""
import json
import sys

from cheroot import wsgi
from wsgidav.wsgidav_app import WsgiDAVApp

with open(sys.argv[1]) as file:
    settings = json.load(file)

users = {settings["user"]: {"password": settings["password"]}} if "user" in settings else True
app = WsgiDAVApp(
    {
        "provider_mapping": {"/": settings["files"]},
        "http_authenticator": {
            "accept_basic": not settings["digest"],
            "accept_digest": settings["digest"],
            "default_to_digest": settings["digest"],
        },
        "simple_dc": {"user_mapping": {"*": users}},
        "property_manager": True,
        "lock_storage": True,
        "verbose": 1,
    }
)
# A thread for each connection that tests keep, for longer than cheroot's usual 10 s.
server = wsgi.Server(("127.0.0.1", settings["port"]), app, numthreads=64, request_queue_size=256)
server.timeout = 120
server.start()
