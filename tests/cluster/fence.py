#!/usr/bin/env python3
"""The fence before a real API server: fence.sh finds one and calls this.

Starts etcd and kube-apiserver in a temporary folder, defines the kind, applies the fence of each config of
fixtures/fence/configs, and tries as its identity each write of fixtures/fence/refused and accepted, and the object of
each grant. Writes are dry runs: admission judges them, and nothing stays. The last line counts; the exit status is 0 if
everything was answered as its fixture says.
"""
import argparse
import glob
import http.client
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FIXTURES = os.path.join(ROOT, "fixtures", "fence")
POLICIES = "/apis/cilium.io/v2/namespaces/%s/ciliumnetworkpolicies"
ADMISSION = "/apis/admissionregistration.k8s.io/v1/"
TOKEN = "cluster-test"
HELPER_TOKEN = "helper-test"  # of somebody without rights, until somebody gives them
KEEPER = "keeper-of-parameters"
# How long the API server may take to act on what it was told.
PATIENCE = 20.0
# docs/fence.md promises that many hosts in a grant.
MANY = 400
# Where the objects of a fence are written.
PATHS = {
    "ValidatingAdmissionPolicy": ADMISSION + "validatingadmissionpolicies",
    "ValidatingAdmissionPolicyBinding": ADMISSION + "validatingadmissionpolicybindings",
    "ConfigMap": "/api/v1/namespaces/%s/configmaps",
    "Role": "/apis/rbac.authorization.k8s.io/v1/namespaces/%s/roles",
    "RoleBinding": "/apis/rbac.authorization.k8s.io/v1/namespaces/%s/rolebindings",
    "ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Cluster:
    """An API server with its store, in a folder of their own."""

    def __init__(self, options):
        self.folder = tempfile.mkdtemp(prefix="egressc-cluster-")
        self.port = free_port()
        self.processes = []
        client, peer = free_port(), free_port()
        self.start("etcd", [
            options.etcd, "--data-dir", self.at("etcd"), "--listen-client-urls", f"http://127.0.0.1:{client}",
            "--advertise-client-urls", f"http://127.0.0.1:{client}", "--listen-peer-urls", f"http://127.0.0.1:{peer}"])
        subprocess.run(["openssl", "genrsa", "-out", self.at("key"), "2048"], check=True, capture_output=True)
        with open(self.at("tokens"), "w", encoding="utf-8") as tokens:
            tokens.write(f'{TOKEN},admin,admin,"system:masters"\n{HELPER_TOKEN},helper,helper\n')
        self.start("kube-apiserver", [
            options.kube_apiserver, "--etcd-servers", f"http://127.0.0.1:{client}", "--bind-address", "127.0.0.1",
            "--secure-port", str(self.port), "--cert-dir", self.at("certificates"), "--token-auth-file",
            self.at("tokens"), "--authorization-mode", "RBAC", "--service-cluster-ip-range", "10.0.0.0/24",
            "--service-account-key-file", self.at("key"), "--service-account-signing-key-file", self.at("key"),
            "--service-account-issuer", "https://kubernetes.default.svc"])

    def at(self, name):
        return os.path.join(self.folder, name)

    def start(self, name, command):
        with open(self.at(name + ".log"), "wb") as log:
            self.processes.append(subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder))

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in reversed(self.processes):
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, path, body=None, kind="application/yaml", user=None):
        """Status and parsed answer. The server's own certificate is all that is trusted."""
        trust = ssl.create_default_context(cafile=self.at("certificates/apiserver.crt"))
        trust.check_hostname = False
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=trust, timeout=30)
        headers = {"Authorization": "Bearer " + TOKEN, "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = kind
        if user:
            headers["Impersonate-User"] = user
        try:
            connection.request(method, path, body.encode() if isinstance(body, str) else body, headers)
            answer = connection.getresponse()
            text = answer.read().decode("utf-8", "replace")
            return answer.status, (json.loads(text) if text.startswith("{") else {"message": text})
        finally:
            connection.close()

    def must(self, method, path, body=None, **more):
        status, answer = self.call(method, path, body, **more)
        if status >= 300:
            sys.exit(f"{method} {path}: {status} {answer.get('message')}")
        return answer

    def wait_until_ready(self):
        until = time.monotonic() + 120
        while time.monotonic() < until:
            if any(process.poll() is not None for process in self.processes):
                break
            try:
                if self.call("GET", "/readyz")[0] == 200:
                    return
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.3)
        for name in ("etcd.log", "kube-apiserver.log"):
            with open(self.at(name), encoding="utf-8", errors="replace") as log:
                sys.stderr.write(name + ":\n" + "".join(log.readlines()[-15:]))
        sys.exit("the API server did not become ready")


def eventually(probe):
    """The first answer of `probe` that is not None; None where it had no time for one."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        answer = probe()
        if answer is not None:
            return answer
        time.sleep(0.1)
    return None


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Fixture:
    def __init__(self, path):
        self.text = read(path)
        self.name = os.path.basename(path)[: -len(".yaml")]
        self.header = dict(re.findall(r"^# (\w+): (.*)$", self.text, re.M))


class Judge:
    def __init__(self, cluster, program):
        self.cluster, self.program = cluster, program
        self.passed = self.failed = self.by_fence = self.by_server = 0
        self.permitted = None

    # ---- what is there ----

    def prepare(self):
        for namespace in ("agents", "agents-system"):
            self.cluster.must("POST", "/api/v1/namespaces",
                              f"apiVersion: v1\nkind: Namespace\nmetadata:\n  name: {namespace}\n")
        self.cluster.must("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                          read(os.path.join(HERE, "definition.yaml")))
        path = POLICIES % "agents"
        if not eventually(lambda: True if self.cluster.call("GET", path)[0] == 200 else None):
            sys.exit("the kind is not served")
        # What RBAC alone would give to anybody: the fence is to be the only bound.
        rule = {"apiGroups": ["cilium.io"], "resources": ["ciliumnetworkpolicies"],
                "verbs": ["create", "patch", "delete", "deletecollection"]}
        self.cluster.must("POST", PATHS["ClusterRole"], json.dumps(
            {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "writers"},
             "rules": [rule]}))
        self.cluster.must("POST", PATHS["ClusterRoleBinding"], json.dumps(
            {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
             "metadata": {"name": "writers"},
             "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "writers"},
             "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "system:authenticated"}]}))

    def keep_parameters_watched(self):
        """An API server that loses its last policy with parameters of a kind no longer sees how they change, even when
        another such policy comes. So one stays, which concerns nothing."""
        rule = {"apiGroups": ["example.com"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["nothing"]}
        common = {"apiVersion": "admissionregistration.k8s.io/v1", "metadata": {"name": KEEPER}}
        self.apply([
            {**common, "kind": "ValidatingAdmissionPolicy",
             "spec": {"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
                      "matchConstraints": {"resourceRules": [rule]}, "validations": [{"expression": "true"}]}},
            {**common, "kind": "ValidatingAdmissionPolicyBinding",
             "spec": {"policyName": KEEPER, "validationActions": ["Deny"],
                      "paramRef": {"name": "nothing", "namespace": "default", "parameterNotFoundAction": "Allow"}}}])

    def compile(self, *arguments):
        text = subprocess.run([self.program, "compile", *arguments, "--format", "json"], cwd=ROOT, check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
        return [json.loads(part + "}") for part in re.split(r"^}\n", text, flags=re.M) if part.strip()]

    def path_of(self, thing):
        namespace = thing["metadata"].get("namespace")
        path = PATHS[thing["kind"]]
        return path % namespace if namespace else path

    def apply(self, things):
        for thing in things:
            path = self.path_of(thing)
            self.cluster.call("DELETE", f"{path}/{thing['metadata']['name']}")
            self.cluster.must("POST", path, json.dumps(thing), kind="application/json")

    def remove_fence(self):
        for resource in ("validatingadmissionpolicybindings", "validatingadmissionpolicies"):
            for item in self.cluster.must("GET", ADMISSION + resource)["items"]:
                if item["metadata"]["name"] != KEEPER:
                    self.cluster.call("DELETE", f"{ADMISSION}{resource}/{item['metadata']['name']}")

    def stand_behind(self, config):
        """The fence of a config, in force, and no other."""
        self.remove_fence()
        objects = self.compile("--config", config, "--fence")
        text = read(os.path.join(ROOT, config))
        self.identity = re.search(r"^ *hostIdentity: (.*)$", text, re.M).group(1)
        if not eventually(lambda: None if self.canary() else True):
            sys.exit(f"{config}: the fence before it stays in force")
        self.apply(objects)
        self.permitted = None
        if not eventually(self.canary):
            sys.exit(f"{config}: the fence does not come into force")
        policies = [thing for thing in objects if thing["kind"] == "ValidatingAdmissionPolicy"]
        for policy in policies:
            self.judge_types(policy["metadata"]["name"])
        self.has_companion = len(policies) > 1
        self.judge_verify(objects)

    def judge_verify(self, objects):
        """What the API server makes of the fence, with all that it fills in, is still the fence to `verify`."""
        kinds = ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ConfigMap")
        things = [self.cluster.must("GET", f"{self.path_of(thing)}/{thing['metadata']['name']}")
                  for thing in objects if thing["kind"] in kinds]
        done = subprocess.run([self.program, "verify", "--config", self.config, "--verify-only", "fence", "--strict", "-"],
                              cwd=ROOT, input=json.dumps({"apiVersion": "v1", "kind": "List", "items": things}).encode(),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        matches = done.returncode == 0 and b"fence: match" in done.stdout
        self.settle(f"verify of the fence of {self.config}", None if matches else done.stdout.decode())

    def judge_types(self, name):
        """The API server checks the expressions' types against the schema, and only warns."""
        path = f"{ADMISSION}validatingadmissionpolicies/{name}"
        warnings = self.cluster.must("GET", path).get("status", {}).get("typeChecking", {}).get("expressionWarnings")
        if warnings:
            self.settle(f"types of {name}", json.dumps(warnings))

    def canary(self):
        """True where each policy of the fence refuses; None where one does not yet."""
        body = {"apiVersion": "cilium.io/v2", "kind": "CiliumNetworkPolicy",
                "metadata": {"name": "canary", "namespace": "agents"}, "spec": {}}
        status, answer = self.write("CREATE", "agents", "canary", json.dumps(body), self.identity)
        return True if status >= 400 and "denied request" in answer.get("message", "") else None

    # ---- writes ----

    def write(self, operation, namespace, name, body, user):
        path = POLICIES % namespace
        if operation == "CREATE":
            return self.cluster.call("POST", path + "?dryRun=All", body, user=user)
        if operation == "UPDATE":
            change = json.dumps({"metadata": {"annotations": {"changed": "yes"}}})
            return self.cluster.call("PATCH", f"{path}/{name}?dryRun=All", change, "application/merge-patch+json", user)
        return self.cluster.call("DELETE", f"{path}/{name}?dryRun=All", user=user)

    def permit(self, name):
        """The ConfigMap of that fixture; none for `missing`."""
        path = PATHS["ConfigMap"] % "agents-system"
        if not self.has_companion or name is None or name == self.permitted:
            return
        self.cluster.call("DELETE", path + "/permitted-hosts")
        if name != "missing":
            self.cluster.must("POST", path, read(os.path.join(FIXTURES, "permitted", name + ".yaml")))
        self.permitted = name

    def attempt(self, fixture, body, name, expected):
        """What is said to a write once it is what is expected, or in the end. `expected`: a reason; None: let through."""
        operation = fixture.header.get("operation", "CREATE")
        user = fixture.header.get("user", self.identity)
        path = POLICIES % "agents"
        if operation != "CREATE":
            self.make_old(path, name, body)
        self.permit(fixture.header.get("permitted"))
        last = []

        def probe():
            last[:] = self.write(operation, "agents", name, body, user)
            status, message = last[0], last[1].get("message", "")
            fenced = "ValidatingAdmissionPolicy" in message
            if expected is None:
                return True if status < 300 else None
            if status >= 400 and not fenced and status in (400, 422):
                return True
            return True if status >= 400 and fenced and self.reason_matches(expected, message) else None

        answered = eventually(probe)
        if operation != "CREATE":
            self.permit("some")
            self.cluster.call("DELETE", f"{path}/{name}")
        return answered, last[0], last[1].get("message", "")

    def make_old(self, path, name, body):
        """What is to be changed or deleted. Without a ConfigMap nobody may write, whom the fence bounds or not."""
        self.permit("some")
        self.cluster.call("DELETE", f"{path}/{name}")
        if not eventually(lambda: True if self.cluster.call("POST", path, body)[0] == 201 else None):
            sys.exit(f"{name} cannot be made by an administrator")

    @staticmethod
    def reason_matches(expected, message):
        # Of several failing validations the server tells the first; any will do, if it is the fence that speaks.
        if expected == "the ConfigMap is missing":
            return "no params found" in message
        return "denied request: " in message

    def settle(self, name, fault):
        self.passed, self.failed = self.passed + (not fault), self.failed + bool(fault)
        if fault:
            print(f"FAILED {name}: {fault}")

    def judge_refused(self, fixture):
        name = re.search(r"^  name: (.*)$", fixture.text, re.M).group(1).strip("'\"")
        answered, status, message = self.attempt(fixture, fixture.text, name, fixture.header["reason"])
        if answered and "ValidatingAdmissionPolicy" in message:
            self.by_fence += 1
        elif answered:
            self.by_server += 1
        self.settle(fixture.name, None if answered else f"{status} {message or 'let through'}")

    def judge_accepted(self, fixture, body, name):
        answered, status, message = self.attempt(fixture, body, name, None)
        self.settle(fixture.name, None if answered else f"{status} {message}")

    def judge_collection(self):
        """A deletion of all leaves the request's name empty: it ends at what is no grant."""
        path = POLICIES % "agents"
        body = {"apiVersion": "cilium.io/v2", "kind": "CiliumNetworkPolicy",
                "metadata": {"name": "coder-egress", "namespace": "agents"}, "spec": {}}
        self.cluster.must("POST", path, json.dumps(body))
        status, answer = self.cluster.call("DELETE", path, user=self.identity)
        there = self.cluster.call("GET", path + "/coder-egress")[0]
        self.cluster.call("DELETE", path + "/coder-egress")
        self.settle("deletion of a collection", None if status >= 400 and there == 200 else f"{status} {answer}")
        body["metadata"]["name"] = "namzu-sbx-1"
        self.cluster.must("POST", path, json.dumps(body))
        status, answer = self.cluster.call("DELETE", path, user=self.identity)
        self.settle("deletion of a collection of grants", None if status < 300 else f"{status} {answer}")

    def judge_many(self):
        """A grant of hundreds of hosts stays below what an expression may cost."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "grant.yaml")
            with open(path, "w", encoding="utf-8") as grant:
                grant.write("owner: {kind: Sandbox, name: many, uid: many}\nallowedHosts:\n")
                grant.writelines(f"  - host-{i}.of-many.example.com\n" for i in range(MANY))
            [thing] = self.compile("--config", self.config, "--grant", path)
        status, answer = self.write("CREATE", "agents", "", json.dumps(thing), self.identity)
        self.settle(f"{MANY} hosts behind {self.config}", None if status < 300 else f"{status} {answer.get('message')}")

    def judge_all(self):
        fixtures = {folder: [Fixture(path) for path in sorted(glob.glob(os.path.join(FIXTURES, folder, "*.yaml")))]
                    for folder in ("refused", "accepted", "grants")}
        for name in sorted({fixture.header["config"] for group in fixtures.values() for fixture in group}):
            self.config = os.path.join("fixtures", "fence", "configs", name + ".yaml")
            self.stand_behind(self.config)
            mine = {folder: [it for it in group if it.header["config"] == name] for folder, group in fixtures.items()}
            for fixture in mine["refused"]:
                self.judge_refused(fixture)
            for fixture in mine["accepted"]:
                found = re.search(r"^  name: (.*)$", fixture.text, re.M).group(1).strip("'\"")
                self.judge_accepted(fixture, fixture.text, found)
            for fixture in mine["grants"]:
                path = os.path.join("fixtures", "fence", "grants", fixture.name + ".yaml")
                [thing] = self.compile("--config", self.config, "--grant", path)
                for operation in ("CREATE", "UPDATE", "DELETE"):
                    fixture.header["operation"] = operation
                    self.judge_accepted(fixture, json.dumps(thing), thing["metadata"]["name"])
            if not self.has_companion:
                self.judge_many()
            if name == "open":
                self.judge_collection()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--kube-apiserver", required=True)
    parser.add_argument("--etcd", required=True)
    options = parser.parse_args()
    cluster = Cluster(options)
    try:
        cluster.wait_until_ready()
        judge = Judge(cluster, os.path.abspath(options.bin))
        judge.prepare()
        judge.keep_parameters_watched()
        judge.judge_all()
    finally:
        cluster.stop()
    print(f"{judge.by_fence} refused by the fence, {judge.by_server} by the API server itself")
    print(f"{judge.passed} passed, {judge.failed} failed")
    return 1 if judge.failed or not judge.passed else 0


if __name__ == "__main__":
    sys.exit(main())
