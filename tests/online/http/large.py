#!/usr/bin/env python3
"""A large cluster: memory does not grow with it, and time is that of a download: large.py SERVE SNAPSHOT

20,000 policies and 50,000 pods in pages, then a list of more than a gigabyte that comes all at once, and the same
beyond the bound of an answer. What fails the test is memory over 64 MB, a number of objects that is wrong, and anything
left of what was beyond the bound; times are printed, and hold on a machine that is idle.
"""
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

MOST_KB = 64 * 1024
PODS, POLICIES, PAGE = 50000, 20000, 500
WHOLE, PAD, RUNS = 110000, 10000, 5


class Server:
    def __init__(self, program, *arguments):
        self.process = subprocess.Popen([program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = f"http://127.0.0.1:{self.process.stdout.readline().strip()}"

    def stop(self):
        self.process.stdin.close()
        self.process.wait(20)


def take(program, url, folder, *options, status=0):
    """Seconds, and the collections of the index."""
    config = os.path.join(folder, "kubeconfig")
    with open(config, "w", encoding="utf-8") as file:
        json.dump({"current-context": "c", "contexts": [{"name": "c", "context": {"cluster": "c"}}],
                   "clusters": [{"name": "c", "cluster": {"server": url}}]}, file)
    output = os.path.join(folder, "snap")
    shutil.rmtree(output, ignore_errors=True)
    began = time.monotonic()
    result = subprocess.run([program, "--kubeconfig", config, "--output", output, "--collections",
                             "pods,networkpolicies", *options], stderr=subprocess.PIPE, check=False)
    spent = time.monotonic() - began
    if result.returncode != status:
        sys.exit(f"egressc-snapshot ended with {result.returncode}: {result.stderr.decode()}")
    with open(os.path.join(output, "snapshot.json"), encoding="utf-8") as file:
        return spent, json.load(file)["collections"]


def items(collections):
    return [collection.get("items") for collection in collections]


def beyond_bound(program, url, folder):
    """How many things are wrong where an answer is larger than it may be."""
    _, collections = take(program, url, folder, "--answer-limit", "64", status=1)
    pods = collections[0]
    reason = "the answer is larger than 67108864 bytes, the most that is taken (--answer-limit)"
    left = sorted(os.listdir(os.path.join(folder, "snap")))
    return ((pods["status"], pods["reason"], "file" in pods) != ("failed", reason, False)) + \
        (left != ["networkpolicies.json", "snapshot.json"])


def download(url, folder):
    """Seconds that curl needs for the same answers; None: there is no curl."""
    if not shutil.which("curl"):
        return None
    path = os.path.join(folder, "urls")
    with open(path, "w", encoding="utf-8") as file:
        for resource_path, count in (("api/v1/pods", PODS), ("apis/networking.k8s.io/v1/networkpolicies", POLICIES)):
            for at in range(0, count, PAGE):
                more = f"&continue={at}" if at else ""
                file.write(f"url = {url}/{resource_path}?limit={PAGE}{more}\noutput = /dev/null\n")
    began = time.monotonic()
    subprocess.run(["curl", "-s", "--noproxy", "*", "-K", path], check=True)
    return time.monotonic() - began


def main():
    serve, snapshot = sys.argv[1:3]
    faults = 0
    for name in ("http_proxy", "all_proxy", "ALL_PROXY"):
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory(prefix="egressc-test.") as folder:
        server = Server(serve, "--pods", str(PODS), "--policies", str(POLICIES))
        try:
            # In turn, and the best of several: other work on the machine only ever adds.
            times = [(download(server.url, folder), take(snapshot, server.url, folder)) for _ in range(RUNS)]
        finally:
            server.stop()
        best = min(spent for _, (spent, _) in times)
        print(f"{PODS} pods and {POLICIES} policies: {best:.2f} s")
        if times[0][0] is not None:
            curl = min(spent for spent, _ in times)
            ratio = statistics.median(spent / alone for alone, (spent, _) in times)
            print(f"curl, to nowhere: {curl:.2f} s; best to best {best / curl:.2f}, median {ratio:.2f}")
        faults += any(items(collections) != [PODS, POLICIES] for _, (_, collections) in times)
        server = Server(serve, "--whole", "--pods", str(WHOLE), "--policies", "1", "--pad", str(PAD))
        try:
            spent, collections = take(snapshot, server.url, folder)
            faults += items(collections) != [WHOLE, 1]
            faults += beyond_bound(snapshot, server.url, folder)
        finally:
            server.stop()
        print(f"{WHOLE} pods in one answer of {WHOLE * PAD / 2**30:.2f} GiB and more: {spent:.2f} s")
    # Of the largest child, which the server may be too.
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"{memory // 1024} MB at most, {faults} faults")
    return 1 if faults or memory > MOST_KB else 0


if __name__ == "__main__":
    sys.exit(main())
