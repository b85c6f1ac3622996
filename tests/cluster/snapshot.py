#!/usr/bin/env python3
"""A snapshot of a real API server: snapshot.sh finds one and calls this.

Starts etcd and kube-apiserver in a temporary folder (fence.py), applies the policies of fixtures/snapshot-index/widens,
pods with secrets in them, and the rights of docs/rbac-snapshot.yaml; takes a snapshot as the auditor of that manifest,
and as somebody without any right; and has egressc judge both. The last line counts; the exit status is 0 if everything
was as it should be.
"""
import argparse
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # the folder is the repository's
import fence  # noqa: E402

ROOT = fence.ROOT
CONFIG = os.path.join(ROOT, "fixtures", "configs", "deny_all.yaml")
KINDS = {
    "ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "Role": "/apis/rbac.authorization.k8s.io/v1/namespaces/%s/roles",
    "RoleBinding": "/apis/rbac.authorization.k8s.io/v1/namespaces/%s/rolebindings",
}
PODS = 37
SECRET = "hush-hush"


class Trial:
    def __init__(self, cluster, options):
        self.cluster, self.options = cluster, options
        self.passed = self.failed = 0

    def check(self, what, fact, more=""):
        self.passed, self.failed = self.passed + bool(fact), self.failed + (not fact)
        if not fact:
            print(f"FAILED {what}\n{more}")

    # ---- what is there ----

    def post(self, path, thing):
        self.cluster.must("POST", path, json.dumps(thing), kind="application/json")

    def prepare(self):
        for namespace in ("agents", "agents-system", "agent-sandbox-system"):
            self.post("/api/v1/namespaces", {"metadata": {"name": namespace}})
        if not fence.eventually(lambda: True if self.cluster.call("GET", "/api/v1/namespaces/kube-system")[0] == 200
                                else None):
            sys.exit("there is no namespace kube-system")
        self.cluster.must("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                          fence.read(os.path.join(fence.HERE, "definition.yaml")))
        path = fence.POLICIES % "agents"
        if not fence.eventually(lambda: True if self.cluster.call("GET", path)[0] == 200 else None):
            sys.exit("the kind is not served")
        self.post(path, {"apiVersion": "cilium.io/v2", "kind": "CiliumNetworkPolicy", "metadata": {"name": "one"},
                         "spec": {"endpointSelector": {}, "egress": [{}]}})
        policies = json.loads(fence.read(os.path.join(ROOT, "fixtures/snapshot-index/widens/networkpolicies.json")))
        for policy in policies["items"]:
            self.post("/apis/networking.k8s.io/v1/namespaces/agents/networkpolicies", policy)
        self.post("/api/v1/namespaces/agents/serviceaccounts", {"metadata": {"name": "default"}})
        for number in range(PODS):
            self.post("/api/v1/namespaces/agents/pods", {
                "metadata": {"name": f"batch-{number}", "labels": {"sandbox.namzu.ai/template": "batch"},
                             "annotations": {"note": SECRET}},
                "spec": {"automountServiceAccountToken": False,
                         "containers": [{"name": "main", "image": "registry.example/agent:1", "args": [SECRET],
                                         "env": [{"name": "PASSWORD", "value": SECRET}]}]}})
        self.post("/api/v1/namespaces/kube-system/configmaps",
                  {"metadata": {"name": "cilium-config"}, "data": {"enable-policy": "default"}})
        self.post("/api/v1/namespaces/kube-system/configmaps", {"metadata": {"name": "other"}, "data": {"a": SECRET}})
        self.post("/api/v1/namespaces/agents/secrets", {"metadata": {"name": "it"}, "stringData": {"a": SECRET}})
        for document in fence.read(os.path.join(ROOT, "docs", "rbac-snapshot.yaml")).split("\n---\n"):
            kind = re.search(r"^kind: (.*)$", document, re.M).group(1)
            namespace = re.search(r"^  namespace: (.*)$", document, re.M)
            path = KINDS[kind]
            self.cluster.must("POST", path % namespace.group(1) if namespace else path, document)

    # ---- snapshots ----

    def take(self, name, user, *arguments, token=fence.TOKEN, **more):
        """Status, messages and index of a snapshot as that user."""
        kubeconfig = {
            "apiVersion": "v1", "kind": "Config", "current-context": "it",
            "contexts": [{"name": "it", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": f"https://127.0.0.1:{self.cluster.port}",
                                                   "certificate-authority": "certificates/apiserver.crt",
                                                   "tls-server-name": "kubernetes.default.svc"}}],
            "users": [{"name": "u", "user": {"token": token, "as": user, **more}}]}
        path = self.cluster.at(name + ".kubeconfig")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(kubeconfig, file)
        folder = self.cluster.at(name)
        done = subprocess.run([self.options.snapshot, "--kubeconfig", path, "--output", folder, *arguments],
                              capture_output=True, text=True, check=False)
        index = os.path.join(folder, "snapshot.json")
        return done.returncode, done.stderr, json.loads(fence.read(index)) if os.path.exists(index) else None

    def verify(self, name):
        done = subprocess.run([self.options.bin, "verify", "--config", CONFIG, "--quiet", self.cluster.at(name)],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    @staticmethod
    def collection(index, resource):
        return next((it for it in index["collections"] if it["resource"] == resource), {})

    def judge_auditor(self):
        status, messages, index = self.take("auditor", "auditor", "--page", "10")
        self.check("the auditor's snapshot is whole", status == 0 and index, messages)
        if not index:
            return
        self.check("nothing is said", messages == "", messages)
        self.check("pages are joined", self.collection(index, "pods").get("items") == PODS, json.dumps(index))
        self.check("policies are read", self.collection(index, "networkpolicies").get("items") == 2)
        self.check("kinds of CRDs are read", self.collection(index, "ciliumnetworkpolicies").get("items") == 1)
        self.check("kinds that are not there are not served",
                   self.collection(index, "adminnetworkpolicies").get("status") == "not-served")
        self.check("one ConfigMap is read", self.collection(index, "configmaps").get("items") == 1)
        self.check("the version is told", re.match(r"v1\.\d+", index["serverVersion"] or ""))
        texts = [fence.read(os.path.join(self.cluster.at("auditor"), name))
                 for name in os.listdir(self.cluster.at("auditor"))]
        self.check("no secret is in it", not any(SECRET in text or fence.TOKEN in text for text in texts))
        self.check("no managed fields are in it", not any("managedFields" in text for text in texts))
        status, report = self.verify("auditor")
        self.check("the policy that widens is found",
                   status == 1 and re.search(r"NetworkPolicy agents/debug lets .*\[policy-widens-egress\]", report), report)
        self.check("the index holds", "snapshot-index" not in report, report)

    def judge_stranger(self):
        status, messages, index = self.take("stranger", "stranger")
        self.check("a snapshot without rights is incomplete", status == 1 and index, messages)
        if not index:
            return
        self.check("the right that is missing is said", 'cannot list resource "pods"' in messages, messages)
        statuses = {it["status"] for it in index["collections"]}
        self.check("everything is forbidden", statuses == {"forbidden"}, str(statuses))
        status, report = self.verify("stranger")
        self.check("nothing can be decided",
                   status == 1 and "grant the reader `list` on networkpolicies.networking.k8s.io" in report
                   and "[not-evaluable]" in report and "policy-widens-egress" not in report, report)


    def judge_helper(self):
        """Somebody who may act as the auditor in one scope and one group: the server tells what it was asked for."""
        scope = "userextras/example.org/scope of"
        rules = [{"apiGroups": [""], "resources": ["users"], "verbs": ["impersonate"], "resourceNames": ["auditor"]},
                 {"apiGroups": [""], "resources": ["groups"], "verbs": ["impersonate"], "resourceNames": ["readers"]},
                 {"apiGroups": ["authentication.k8s.io"], "resources": [scope], "verbs": ["impersonate"],
                  "resourceNames": ["view", "list"]}]
        self.post(KINDS["ClusterRole"], {"metadata": {"name": "helper"}, "rules": rules})
        self.post(KINDS["ClusterRoleBinding"], {
            "metadata": {"name": "helper"}, "subjects": [{"kind": "User", "name": "helper"}],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "helper"}})

        def take(name, *scopes, groups=("readers",)):
            return self.take(name, "auditor", "--collections", "pods", "--force", token=fence.HELPER_TOKEN,
                             **{"as-groups": list(groups), "as-user-extra": {"example.org/scope of": list(scopes)}})

        # Rights take a moment to be known.
        taken = fence.eventually(lambda: (lambda got: got if got[0] == 0 else None)(take("helper", "view", "list")))
        self.check("who acts as the auditor reads", taken and self.collection(taken[2], "pods")["items"] == PODS)
        status, messages, _ = take("helper-edit", "view", "edit")
        self.check("each value of an extra is sent", status == 1 and "cannot impersonate" in messages
                   and "example.org/scope of" in messages, messages)
        status, messages, _ = take("helper-group", "view", groups=("readers", "writers"))
        self.check("each group is sent", status == 1 and 'cannot impersonate resource "groups"' in messages, messages)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--bin", "--snapshot", "--kube-apiserver", "--etcd"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    for name in ("http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        os.environ.pop(name, None)
    cluster = fence.Cluster(options)
    try:
        cluster.wait_until_ready()
        trial = Trial(cluster, options)
        trial.prepare()
        trial.judge_auditor()
        trial.judge_stranger()
        trial.judge_helper()
    finally:
        cluster.stop()
    print(f"{trial.passed} passed, {trial.failed} failed")
    return 1 if trial.failed or not trial.passed else 0


if __name__ == "__main__":
    sys.exit(main())
