"""Shared by the scripts: a plain client, and a check of answers against the description."""
import copy
import json
import sys
import urllib.error
import urllib.request

import jsonschema
import yaml

BASE = sys.argv[1]


def ask(method, path, body=None, headers=None):
    request = urllib.request.Request(BASE + path, method=method, headers=headers or {})
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, dict(response.headers), response.read()
    except urllib.error.HTTPError as error:
        return error.code, dict(error.headers), error.read()


def description():
    status, _, body = ask("GET", "/openapi.yaml")
    assert status == 200, status
    return yaml.safe_load(body)


def closed(schema):
    """The schema without undescribed fields, because the server must not add a field that is not described."""
    schema = copy.deepcopy(schema)

    def close(node):
        if isinstance(node, dict):
            if "properties" in node:
                node.setdefault("additionalProperties", False)
            for value in node.values():
                close(value)
        elif isinstance(node, list):
            for value in node:
                close(value)

    close(schema["components"]["schemas"])
    return schema


def check(whole, path, method, status, content, body):
    """Checks an answer against the description."""
    responses = whole["paths"][path][method]["responses"]
    response = responses.get(str(status)) or responses[f"{status // 100}XX"]
    if "$ref" in response:
        response = whole["components"]["responses"][response["$ref"].split("/")[-1]]
    kind = content.split(";")[0]
    assert kind in response["content"], (path, status, content)
    schema = response["content"][kind]["schema"]
    root = {"components": whole["components"], **schema}
    validator = jsonschema.Draft202012Validator(root, format_checker=jsonschema.FormatChecker())
    problems = [f"{list(e.absolute_path)}: {e.message}" for e in validator.iter_errors(json.loads(body))]
    assert not problems, (path, problems, body[:500])


def value(method, path, body=None, expect=200):
    status, headers, text = ask(method, path, body)
    assert status == expect, (method, path, status, text)
    return json.loads(text)
