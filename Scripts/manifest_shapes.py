"""Shapes of the files that other programs read, as far as ours use them: which fields there are, and of which type.

A shape is a type; a list with the shape of its elements; a dictionary of fields, in which `name!` has to be there and `*` stands
for every other name, which has to be like the pattern of `$` where there is one; or a tuple of shapes of which one fits. A field that a shape does not have is a problem: those programs
ignore it or refuse the file. Sources: Kubernetes API reference v1.30, Compose specification, GitHub's workflow syntax, GitLab's
CI/CD YAML reference.
"""
import re

LABELS = {"*": str}
METADATA = {"name!": str, "labels": LABELS, "annotations": LABELS, "namespace": str}
SELECTOR = {"matchLabels": LABELS}
PORT = (int, str)
PROBE = {"httpGet!": {"path": str, "port!": PORT, "scheme": str}, "periodSeconds": int, "failureThreshold": int,
         "initialDelaySeconds": int, "timeoutSeconds": int}
CONTAINER = {
    "name!": str, "image!": str, "args": [str], "command": [str], "imagePullPolicy": str,
    "ports": [{"name": str, "containerPort!": int, "protocol": str}],
    "env": [{"name!": str, "value": str, "valueFrom": {"secretKeyRef": {"name!": str, "key!": str}}}],
    "startupProbe": PROBE, "readinessProbe": PROBE, "livenessProbe": PROBE,
    "resources": {"requests": {"*": (str, int)}, "limits": {"*": (str, int)}},
    "securityContext": {"allowPrivilegeEscalation": bool, "readOnlyRootFilesystem": bool,
                        "capabilities": {"drop": [str], "add": [str]}},
    "volumeMounts": [{"name!": str, "mountPath!": str, "readOnly": bool}],
}
POD = {
    "containers!": [CONTAINER], "terminationGracePeriodSeconds": int, "automountServiceAccountToken": bool,
    "securityContext": {"runAsNonRoot": bool, "runAsUser": int, "runAsGroup": int, "fsGroup": int,
                        "seccompProfile": {"type!": str}},
    "topologySpreadConstraints": [{"maxSkew!": int, "topologyKey!": str, "whenUnsatisfiable!": str,
                                   "labelSelector": SELECTOR}],
    "volumes": [{"name!": str, "configMap": {"name!": str, "items": [{"key!": str, "path!": str}], "defaultMode": int},
                 "secret": {"secretName!": str, "defaultMode": int}, "emptyDir": {},
                 "persistentVolumeClaim": {"claimName!": str}}],
}
RULE = {"from": [{"*": dict}], "ports": [{"port": PORT, "protocol": str}]}
CLAIM = {"accessModes!": [str], "storageClassName": str, "resources!": {"requests!": {"storage!": str}}}
# By kind: the API's version, and the fields beside apiVersion, kind and metadata.
KUBERNETES = {
    "ConfigMap": ("v1", {"data": {"*": str}}),
    "PersistentVolumeClaim": ("v1", {"spec!": CLAIM}),
    "Service": ("v1", {"spec!": {"selector!": LABELS, "type": str,
                                 "ports!": [{"name": str, "port!": int, "targetPort": PORT, "protocol": str}]}}),
    "Deployment": ("apps/v1", {"spec!": {
        "replicas": int, "selector!": SELECTOR, "minReadySeconds": int,
        "strategy": {"type!": str, "rollingUpdate": {"maxUnavailable": PORT, "maxSurge": PORT}},
        "template!": {"metadata!": {"labels!": LABELS, "annotations": LABELS}, "spec!": POD}}}),
    "StatefulSet": ("apps/v1", {"spec!": {
        "replicas": int, "serviceName!": str, "selector!": SELECTOR, "podManagementPolicy": str, "updateStrategy": {"type!": str},
        "template!": {"metadata!": {"labels!": LABELS, "annotations": LABELS}, "spec!": POD},
        "volumeClaimTemplates": [{"metadata!": METADATA, "spec!": CLAIM}]}}),
    "PodDisruptionBudget": ("policy/v1", {"spec!": {"minAvailable": PORT, "maxUnavailable": PORT, "selector!": SELECTOR}}),
    "NetworkPolicy": ("networking.k8s.io/v1", {"spec!": {"podSelector!": SELECTOR, "policyTypes": [str], "ingress": [RULE]}}),
    "Ingress": ("networking.k8s.io/v1", {"spec!": {
        "ingressClassName": str, "tls": [{"hosts": [str], "secretName": str}],
        "rules": [{"host": str, "http!": {"paths!": [{"path": str, "pathType!": str, "backend!": {"service!": {
            "name!": str, "port!": {"name": str, "number": int}}}}]}}]}}),
}
COMMAND = (str, [str])
COMPOSE = {
    "services!": {"*": {
        "image": str, "build": dict, "command": COMMAND, "environment": ({"*": (str, int, bool)}, [str]), "env_file": COMMAND,
        "user": (str, int),
        "volumes": [str], "ports": [str], "secrets": [str], "restart": str,
        "read_only": bool, "tmpfs": COMMAND,
        "depends_on": ({"*": {"condition!": str}}, [str]), "stop_grace_period": str, "init": bool, "cap_drop": [str],
        "security_opt": [str], "networks": [str],
        "healthcheck": {"test!": COMMAND, "interval": str, "timeout": str, "retries": int, "start_period": str}}},
    "secrets": {"*": {"file!": str}}, "volumes": {"*": (dict, type(None))}, "networks": {"*": (dict, type(None))},
    "name": str, "x-*": dict,
}
# What a shell can hold as the name of a variable.
VARIABLES = {"$": r"[A-Za-z_][A-Za-z0-9_]*", "*": (str, int, bool)}
STEP = {"name": str, "id": str, "if": (str, bool), "uses": str, "run": str, "env": VARIABLES,
        "with": {"*": (str, int, bool)}, "continue-on-error": bool, "working-directory": str, "shell": str}
WORKFLOW = {
    "name": str, "on!": (str, [str], {"*": (dict, [dict], type(None))}), "permissions": (str, {"*": str}),
    "env": VARIABLES, "concurrency": (str, dict),
    "jobs!": {"*": {"name": str, "environment": (str, dict), "runs-on!": COMMAND, "needs": COMMAND,
                    "if": (str, bool), "permissions": (str, {"*": str}), "container": (str, dict), "strategy": dict, "env": VARIABLES, "timeout-minutes": int,
                    "steps!": [STEP]}},
}
ACTION = {
    "name!": str, "description!": str, "inputs": {"*": {"description!": str, "default": str, "required": bool}},
    "outputs": {"*": {"description!": str, "value!": str}}, "runs!": {"using!": str, "steps!": [STEP]},
}
GITLAB = {"*": {"stage": str, "image": (str, dict), "script!": COMMAND, "before_script": COMMAND, "rules": [dict],
                "needs": [str], "variables": {"*": (str, int)},
                "artifacts": {"when": str, "paths": [str], "expire_in": str,
                              "reports": {"junit": COMMAND, "codequality": COMMAND, "sast": COMMAND}}}}


def kinds(shape):
    """A shape in words."""
    if isinstance(shape, tuple):
        return " or ".join(kinds(one) for one in shape)
    return {dict: "an object", list: "a list"}.get(type(shape)) or {
        str: "a string", int: "an integer", bool: "true or false", dict: "an object", type(None): "nothing"}[shape]


def fits(value, shape):
    """Whether a value is of the outer type of a shape."""
    if isinstance(shape, (dict, list)):
        return isinstance(value, type(shape))
    # True is an integer to Python, and none to Kubernetes.
    return isinstance(value, shape) and not (shape is int and isinstance(value, bool))


def problems(value, shape, place):
    """What is wrong with a value, a sentence each."""
    if isinstance(shape, tuple):
        shapes = [one for one in shape if fits(value, one)]
        if not shapes:
            return [f"{place}: expected {kinds(shape)}, got {value!r}"]
        shape = shapes[0]
    if not fits(value, shape):
        return [f"{place}: expected {kinds(shape)}, got {value!r}"]
    found = []
    if isinstance(shape, list):
        for index, one in enumerate(value):
            found += problems(one, shape[0], f"{place}[{index}]")
    elif isinstance(shape, dict):
        fields = {name.rstrip("!"): one for name, one in shape.items()}
        for name in (name[:-1] for name in shape if name.endswith("!")):
            if name not in value:
                found.append(f"{place}: '{name}' is missing")
        for name, one in value.items():
            # YAML 1.1 reads the word 'on' as true.
            name = "on" if name is True else name
            inner = fields.get(name, fields.get("*"))
            if inner is None and str(name).startswith("x-"):
                inner = fields.get("x-*")
            if "$" in fields and not re.fullmatch(fields["$"], str(name)):
                found.append(f"{place}: '{name}' is no name of a variable")
            elif inner is None:
                found.append(f"{place}: there is no field '{name}'")
            else:
                found += problems(one, inner, f"{place}.{name}")
    return [problem for problem in found if "'on' is missing" not in problem or True not in value]


def kubernetes(document):
    """What is wrong with an object of Kubernetes."""
    kind = document.get("kind")
    if kind not in KUBERNETES:
        return [f"kind {kind}: its shape is not known here"]
    version, fields = KUBERNETES[kind]
    shape = {"apiVersion!": str, "kind!": str, "metadata!": METADATA} | fields
    wrong = [] if document.get("apiVersion") == version else [f"{kind}: apiVersion {document.get('apiVersion')}, not {version}"]
    return wrong + problems(document, shape, kind)


if __name__ == "__main__":
    # The shapes can fail: a field that does not exist, a wrong type, one that is missing.
    bad = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a", "lables": {}},
           "spec": {"selector": {"a": "b"}, "ports": [{"port": "80"}, {}]}}
    assert kubernetes(bad) == [
        "Service.metadata: there is no field 'lables'", "Service.spec.ports[0].port: expected an integer, got '80'",
        "Service.spec.ports[1]: 'port' is missing"], kubernetes(bad)
    assert problems({True: "push", "jobs": {"a": {"runs-on": "x", "steps": []}}}, WORKFLOW, "w") == []
    step = {"run": "a", "env": {"BUILD_a:b": "c"}}
    assert problems(step, STEP, "s") == ["s.env: 'BUILD_a:b' is no name of a variable"], problems(step, STEP, "s")
    print("the shapes refuse what they should")
