#!/usr/bin/env python3
"""One call of the system after the other fails: faults.py SERVE SNAPSHOT PRELOAD

Whatever it is, the program ends in order, and leaves a snapshot that holds what its index says, or none and nothing
else; with one in its place before, that one or the new one.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MOST = 2000  # calls, of a run that never ends
PLUGIN = """#!/bin/sh
unset LD_PRELOAD
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"of-the-auditor"}}'
"""


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def look(folder):
    """The snapshot of a folder as text, having looked whether its files are those that its index tells; None: there is
    none. Left out is when it was taken, and of which version of the server, which is told where it can be had."""
    entries = sorted(name for name in os.listdir(folder) if name.startswith("snap"))
    if not entries:
        return None
    if entries != ["snap"]:
        raise ValueError(f"left behind: {entries}")
    texts = {}
    for name in sorted(os.listdir(os.path.join(folder, "snap"))):
        with open(os.path.join(folder, "snap", name), encoding="utf-8") as file:
            texts[name] = json.load(file)
    index = texts["snapshot.json"]
    read = {each["file"]: each["items"] for each in index["collections"] if each["status"] == "read"}
    if read != {name: len(text["items"]) for name, text in texts.items() if name != "snapshot.json"}:
        raise ValueError("the index does not hold")
    del index["takenAt"], index["serverVersion"]
    return json.dumps(texts)


class Trial:
    def __init__(self, command, folder, preload, replaces):
        self.command, self.folder, self.preload = command, folder, preload
        self.output, self.said = os.path.join(folder, "snap"), os.path.join(folder, "said")
        self.before, self.old = None, None
        if replaces:  # what stands there is another one
            self.before = os.path.join(folder, "before")
            subprocess.run(command[:-1] + ["pods", "--force"], check=True)
            self.old = look(folder)
            os.rename(self.output, self.before)
            self.command = command + ["--force"]

    def run(self, number):
        """The exit status, and the name of the call that failed, "" where there are not so many."""
        write(self.said, "")
        environment = dict(os.environ, LD_PRELOAD=self.preload, EGRESSC_FAULT_AT=str(number),
                           EGRESSC_FAULT_SAID=self.said)
        result = subprocess.run(self.command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                timeout=60, check=False)
        with open(self.said, encoding="utf-8") as file:
            name = file.read()
        if b"of-the-auditor" in result.stderr:
            raise ValueError("the token was printed")
        if result.returncode == 2 and not result.stderr:
            raise ValueError("it does not say why there is no snapshot")
        return result.returncode, name

    def prepare(self):
        shutil.rmtree(self.output, ignore_errors=True)
        if self.before:
            shutil.copytree(self.before, self.output)

    def judge(self, status, whole):
        """What is wrong, or None."""
        found = look(self.folder)
        if status == 0 and found != whole:
            return "it is whole, and holds something else"
        if status == 1 and (found is None or found == whole):
            return "it is not whole, and its index does not tell"
        if status == 2 and found != self.old:
            return "there is something else than before"
        return None if status in (0, 1, 2) else f"it ended with {status}"


def try_all(trial):
    """How many calls failed; says what is wrong and adds it to the faults."""
    faults, names = 0, {}
    trial.prepare()
    if trial.run(0) != (0, ""):
        sys.exit("it fails without a fault")
    whole = look(trial.folder)
    for number in range(1, MOST):
        trial.prepare()
        try:
            status, name = trial.run(number)
            problem = trial.judge(status, whole)
        except (ValueError, OSError, KeyError) as error:
            name, problem = "?", str(error)
        if not name:
            print(f"{sum(names.values())} calls failed: " + ", ".join(f"{names[key]} {key}" for key in sorted(names)))
            return faults
        names[name] = names.get(name, 0) + 1
        if problem:
            print(f"call {number}, {name}: {problem}")
            faults += 1
    return faults + 1


def main():
    serve, snapshot, preload = (os.path.abspath(path) for path in sys.argv[1:4])
    for name in ("http_proxy", "all_proxy", "ALL_PROXY"):
        os.environ.pop(name, None)
    server = subprocess.Popen([serve, "--folder", os.path.join(HERE, "cluster"), "--token", "of-the-auditor"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    faults = 0
    try:
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}"
        with tempfile.TemporaryDirectory(prefix="egressc-test.") as folder:
            write(os.path.join(folder, "token"), "of-the-auditor")
            write(os.path.join(folder, "plugin"), PLUGIN)
            os.chmod(os.path.join(folder, "plugin"), 0o700)
            plugin = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "./plugin",
                               "interactiveMode": "Never"}}
            config = os.path.join(folder, "kubeconfig")
            command = [snapshot, "--kubeconfig", config, "--output", os.path.join(folder, "snap"), "--retries", "0",
                       "--connections", "1", "--collections", "pods,networkpolicies,nodes,configmaps"]
            for user, replaces in ((plugin, False), ({"tokenFile": "token"}, True)):
                write(config, json.dumps({
                    "current-context": "c", "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
                    "users": [{"name": "u", "user": user}], "clusters": [{"name": "c", "cluster": {"server": url}}]}))
                faults += try_all(Trial(command, folder, preload, replaces))
    finally:
        server.stdin.close()
        server.wait(20)
    print(f"{faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
