"""Holds objects against the strict schemas of Kubernetes: a list of objects as JSON on standard input, the
minors as arguments. Prints a line for each finding. Nothing is fetched: the schemas come with the package."""

import json
import pathlib
import re
import sys

import jsonschema
import kubernetes_validate
from referencing import Registry, Resource

SCHEMAS = pathlib.Path(kubernetes_validate.__file__).parent / "kubernetes-json-schema"


def newest():
    """The minors that the package knows, oldest first."""
    found = {re.match(r"v(\d+)\.(\d+)\.", it.name).groups() for it in SCHEMAS.iterdir()}
    return [".".join(it) for it in sorted(found, key=lambda it: tuple(map(int, it)))]


class Minor:
    def __init__(self, minor):
        self.folder = SCHEMAS / f"v{minor}.0-local-strict"
        definitions = json.loads((self.folder / "_definitions.json").read_text())
        self.registry = Resource.from_contents(definitions) @ Registry()
        self.validators = {}

    def validator(self, kind, api_version):
        # apps/v1 is apps-v1, networking.k8s.io/v1 is networking-v1.
        group, _, version = api_version.rpartition("/")
        name = "-".join(filter(None, [kind.lower(), group.split(".")[0], version])) + ".json"
        if name not in self.validators:
            path = self.folder / name
            if not path.exists():
                return None
            schema = json.loads(path.read_text())
            self.validators[name] = jsonschema.Draft202012Validator(schema, registry=Resource.from_contents(schema) @ self.registry)
        return self.validators[name]


def findings(objects, minor):
    schemas = Minor(minor)
    for it in objects:
        name = f"{it['kind']}/{it['metadata']['name']}"
        validator = schemas.validator(it["kind"], it["apiVersion"])
        if validator is None:
            yield f"{minor}: {name}: {it['apiVersion']} {it['kind']} does not exist"
            continue
        for error in validator.iter_errors(it):
            yield f"{minor}: {name}: {'.'.join(map(str, error.path))}: {error.message}"


if sys.argv[1:] == ["newest"]:
    print(json.dumps(newest()))
else:
    given = json.load(sys.stdin)
    for minor in sys.argv[1:]:
        for line in findings(given, minor):
            print(line)
