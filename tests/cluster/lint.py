#!/usr/bin/env python3
"""What lint calls refused, before a real API server: lint.sh finds one and calls this.

Each NetworkPolicy of fixtures/lint, and each of a policy in which one value is exchanged, is sent as a dry run with strict
validation. What the server refuses must have an error of lint's codes for that, and nothing else may have one. The last
line counts; the exit status is 0 if server and lint agree everywhere.
"""
import argparse
import copy
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the folder is the repository's
import fence  # noqa: E402

PATH = "/apis/networking.k8s.io/v1/namespaces/%s/networkpolicies?dryRun=All&fieldValidation=Strict"
REFUSALS = re.compile("unknown-field|wrong-type|duplicate-key|syntax|invalid-")
# What says nothing about one object alone, or of which a server that reads YAML itself knows nothing.
OTHERS = {"after-document-end", "encoding", "limit", "template"}

POLICY = {
    "apiVersion": "networking.k8s.io/v1",
    "kind": "NetworkPolicy",
    "metadata": {
        "name": "p", "namespace": "default", "labels": {"app": "a"}, "annotations": {"example.com/a": "b"},
        "finalizers": ["example.com/f"], "creationTimestamp": None, "generation": 1, "uid": "u",
        "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "u", "controller": True}]},
    "spec": {
        "podSelector": {
            "matchLabels": {"app": "web"},
            "matchExpressions": [{"key": "tier", "operator": "In", "values": ["x", "y"]}, {"key": "z", "operator": "Exists"}]},
        "policyTypes": ["Ingress", "Egress"],
        "egress": [{
            "to": [
                {"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16", "10.2.3.4/32"]}},
                {"podSelector": {"matchLabels": {"app": "db"}},
                 "namespaceSelector": {"matchExpressions": [{"key": "a.b/c", "operator": "NotIn", "values": ["d"]}]}}],
            "ports": [{"port": 53, "protocol": "UDP"}, {"port": 8000, "endPort": 9000, "protocol": "TCP"}, {"port": "http"}]}],
        "ingress": [{"from": [{"podSelector": {}}, {"ipBlock": {"cidr": "2001:db8::/32", "except": ["2001:db8:1::/48"]}}],
                     "ports": [{"port": 80}]}]},
}
ANYWHERE = [None, "", {}, [], [None], [{}], ["a"], {"a": "b"}, "a", 5, 0, -1, 1.5, True, 99999999999, 1e3, "é", "a b"]
NAMES = ["a" * 63, "a" * 64, "a" * 253, "a" * 254, "A", "a_b", "a.b", "a..b", "-a", "a-", ".a", "a/b", "1", "a.b-"]
KEYS = ["a" * 63, "a" * 64, "-a", "a-", "a/b", "a/b/c", "/a", "a/", "A/b", "ex.com/a", "a" * 253 + "/b", "a" * 254 + "/b",
        "a b", "k8s:a", "1", "a..b/c"]
LABELS = ["a" * 63, "a" * 64, "-a", "a-", "a.b", "a_b", "a/b", ".", "A", " a", "1", "true"]
CIDRS = ["10.0.0.0", "10.0.0.0/33", "10.0.0.0/-1", "/8", "10.0.0/8", "010.0.0.0/8", "10.0.0.0/08", "10.0.0.5/8", "256.0.0.0/8",
         "::/0", "::/129", "fe80::1%eth0/64", "::ffff:10.0.0.0/104", "FD00:0::/8", "0.0.0.0/0", "10.0.0.0/8 ", "10.1.0.0/16",
         "10.0.0.0/7", "2001:db8::/31", "+1.2.3.4/8", "1::2::3/64", "10.1.0.0/8", "::10.0.0.0/104"]
PORTS = [1, 65535, 65536, "80", "http", "HTTP", "a-b", "-a", "a--b", "a" * 15, "a" * 16, "1a", "1", 80.0, 80.5, 2147483648]
TIMES = ["2024-01-01T00:00:00Z", "2024-01-01", "x", "2024-01-01T00:00:00.5+01:00", "2024-02-30T00:00:00Z"]
# By the last key of a path.
HERE = {
    "name": NAMES, "uid": NAMES, "apiVersion": ["v1", "a/v1", "a/b/c", "/v1"], "kind": ["Event", "Pod"],
    "labels": [{key: "v"} for key in KEYS], "annotations": [{key: "v"} for key in KEYS],
    "matchLabels": [{key: "v"} for key in KEYS], "app": LABELS, "values": LABELS, "key": KEYS,
    "operator": ["NotIn", "DoesNotExist", "in", "Gt"], "cidr": CIDRS, "except": CIDRS, "port": PORTS,
    "endPort": [1, 8000, 7999, 65536], "protocol": ["SCTP", "ICMP", "tcp", "TCP "], "finalizers": ["orphan", "A/b", "a/b/c"],
    "policyTypes": [["Egress", "Egress"], ["Egress", "Egress", "Egress"], ["egress"], "Ingress", "ingress"],
    "creationTimestamp": TIMES, "generation": [-1, "1"],
}
EXTRA = ["foo", "status", "podSelector", "ports", "to", "matchLabels", "except", "endPort", "generateName", "x-y"]


def parts(value, path=()):
    yield path, value
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        yield from parts(inner, path + (step,))


def exchanged():
    """The policy with one value exchanged, one key more, one key misspelt or one entry twice; each with a word for it."""
    for path, old in parts(POLICY):
        if not path or path in (("apiVersion",), ("kind",), ("metadata", "namespace")):
            continue

        def make(change):
            policy = copy.deepcopy(POLICY)
            place = policy
            for step in path[:-1]:
                place = place[step]
            change(place, path[-1])
            return policy
        key = [step for step in path if isinstance(step, str)][-1]
        word = ".".join(map(str, path))
        for value in ANYWHERE + HERE.get(key, []):
            yield f"{word} = {str(value)[:40]}", make(lambda place, last: place.__setitem__(last, value))
        if isinstance(path[-1], str):
            for other in (path[-1] + "s", path[-1].upper()):
                yield f"{word} as {other}", make(lambda place, last: place.__setitem__(other, place.pop(last)))
        else:
            yield f"{word} twice", make(lambda place, last: place.append(copy.deepcopy(place[last])))
        for extra in EXTRA if isinstance(old, dict) else ():
            yield f"{word} with {extra}", make(lambda place, last: place[last].setdefault(extra, "x"))


def documents():
    """The NetworkPolicies of the fixtures, as text."""
    for path in sorted(glob.glob(os.path.join(fence.ROOT, "fixtures/lint/*/*.yaml"))):
        with open(path, "rb") as file:
            for number, text in enumerate(re.split(rb"^---.*\n", file.read(), flags=re.M)):
                if re.search(rb"^kind: NetworkPolicy$", text, re.M) and b"networking.k8s.io/v1\n" in text:
                    yield f"{os.path.relpath(path, fence.ROOT)}, document {number}", text


class Judge:
    def __init__(self, cluster, options):
        self.cluster, self.options = cluster, options
        self.passed = self.failed = self.refused = 0

    def namespaces(self, cases):
        names = {"default"}
        for _, text in cases:
            names.update(re.findall(r"namespace: ([a-z0-9-]+)", text.decode("utf-8", "replace")))
        for name in sorted(names):
            self.cluster.call("POST", "/api/v1/namespaces", json.dumps({"metadata": {"name": name}}), kind="application/json")

    def findings(self, files):
        """What lint says of each file by itself: there is one object in it."""
        for file in files:
            done = subprocess.run([self.options.bin, "lint", "--kubernetes-version", self.options.version, "--report", "json",
                                   file], stdout=subprocess.PIPE)
            yield json.loads(done.stdout)["findings"]

    def judge(self, cases):
        self.namespaces(cases)
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for number, (_, text) in enumerate(cases):
                files.append(os.path.join(folder, f"{number}.yaml"))
                with open(files[-1], "wb") as file:
                    file.write(text)
            for (word, text), findings in zip(cases, self.findings(files)):
                if not OTHERS & {finding["code"] for finding in findings}:
                    self.compare(word, text, [finding for finding in findings if finding["severity"] == "error" and
                                              REFUSALS.match(finding["code"])])

    def compare(self, word, text, errors):
        named = re.search(rb'namespace"?: "?([a-z0-9-]+)', text)
        status, answer = self.cluster.call("POST", PATH % (named.group(1).decode() if named else "default"), text)
        self.refused += status >= 400
        agree = (status >= 400) == bool(errors)
        self.passed, self.failed = self.passed + agree, self.failed + (not agree)
        if not agree:
            said = errors[0]["message"] if errors else "nothing"
            print(f"FAILED {word}\n  the server: {status} {str(answer.get('message'))[:300]}\n  lint: {said[:300]}")


def main():
    parser = argparse.ArgumentParser(description="Compare lint's refusals with a real API server's.")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--kube-apiserver", required=True)
    parser.add_argument("--etcd", required=True)
    options = parser.parse_args()
    options.bin = os.path.abspath(options.bin)
    cluster = fence.Cluster(options)
    try:
        cluster.wait_until_ready()
        version = cluster.must("GET", "/version")
        options.version = f"{version['major']}.{version['minor'].rstrip('+')}"
        judge = Judge(cluster, options)
        judge.judge(list(documents()))
        judge.judge([(word, json.dumps(policy).encode()) for word, policy in exchanged()])
        print(f"kube-apiserver {options.version} refused {judge.refused}")
        print(f"{judge.passed} passed, {judge.failed} failed")
        return 1 if judge.failed else 0
    finally:
        cluster.stop()


if __name__ == "__main__":
    sys.exit(main())
