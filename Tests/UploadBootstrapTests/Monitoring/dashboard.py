"""Reads a dashboard into Grafana's own model and writes it again; ends with 1 where that loses or changes anything."""

import json
import sys

from grafana_foundation_sdk.cog import plugins
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard


def differences(ours, theirs, path=""):
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name, value in ours.items():
            if name in theirs:
                yield from differences(value, theirs[name], f"{path}/{name}")
            else:
                yield f"{path}/{name} is lost"
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for number, (one, other) in enumerate(zip(ours, theirs)):
            yield from differences(one, other, f"{path}[{number}]")
    elif ours != theirs:
        yield f"{path} is {theirs!r} instead of {ours!r}"


plugins.register_default_plugins()
with open(sys.argv[1]) as file:
    dashboard = json.load(file)
written = json.loads(JSONEncoder().encode(Dashboard.from_json(dashboard)))
found = list(differences(dashboard, written))
panels = dashboard["panels"]
numbers = [panel["id"] for panel in panels]
if len(set(numbers)) != len(numbers):
    found.append("two panels have one id")
if not all(panel["type"] == "row" or panel["targets"] for panel in panels):
    found.append("a panel shows nothing")
print("\n".join(found))
sys.exit(1 if found else 0)
