"""The API's description of itself, as a test uses it: operations by name, and whether an answer is what they
promise."""

import json

import jsonschema

TENANT_HEADER = "X-Namespace"


class Document:
    def __init__(self, text):
        self.json = json.loads(text)
        self.operations = {}  # operationId → (method, pattern, operation)
        for pattern, methods in self.json["paths"].items():
            for method, operation in methods.items():
                self.operations[operation["operationId"]] = (method.upper(), pattern, operation)

    def wrong_with(self, name, status, media, body):
        """What an answer has that the operation does not promise; nothing when it fits."""
        responses = self.operations[name][2]["responses"]
        problem = media in responses["default"]["content"] and (media == "application/problem+json" or status >= 400)
        described = responses.get("default") if problem and str(status) not in responses else responses.get(str(status))
        if described is None:
            return f"{name} never says that it answers {status}"
        content = described.get("content", {})
        if not content:
            return f"{name} answers {status} with a body and promises none" if body else None
        if media not in content:
            return f"{name} answers {status} as {media!r} and promises {sorted(content)}"
        schema = content[media].get("schema")
        if schema is None:
            return None
        whole = {**schema, "components": self.json["components"]}
        errors = sorted(jsonschema.Draft202012Validator(whole).iter_errors(json.loads(body)), key=str)
        return f"{name} {status}: {errors[0].json_path} {errors[0].message}" if errors else None


def is_dialect(operation):
    """Whether it speaks as another system does: its tenant is in a header."""
    return any(parameter["name"] == TENANT_HEADER for parameter in operation["parameters"])


def paths_of(pattern):
    """The names of the variable parts."""
    return [part[1:-1] for part in pattern.split("/") if part.startswith("{")]


def filled(pattern, values):
    for name in paths_of(pattern):
        pattern = pattern.replace("{" + name + "}", values[name])
    return pattern
