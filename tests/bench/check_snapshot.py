#!/usr/bin/env python3
"""Verify generated snapshots, and compare every answer with what the generator says must be found.

    check_snapshot.py GENERATOR --bin EGRESSC [--preset LIST] [--seeds LIST] [--format LIST] [--json-style LIST]
                      [--layout LIST] [--noise LIST] [--policy-style LIST] [--widening LIST] [--all-seeds]
                      [--dir DIR] [--keep] [--list]

GENERATOR is the path of gen_snapshot.py, which is no part of this repository: called with an output folder, it writes
snapshot/, egress.yaml and expected.json there. Each LIST is comma-separated, and seeds may be ranges (1-6). Every
combination of the lists is one snapshot; the seeds are dealt out to them in turn, or all used for each (--all-seeds).
A combination that makes no difference (the JSON style of YAML, the policy style of JSON) is left out.

Of each snapshot is checked that
  - the exit status and the decision are a refusal if and only if a policy widens;
  - the named object is there and matches, at its place (file and index);
  - exactly the widening policies are named as widens-egress, each at its place, with a witness;
  - no policy is not-evaluable;
  - the subjects are all the pods of the template.
Exit status: 0, every answer is right; 1, some are wrong; 2, nothing could be run.
"""
import argparse
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

CHOICES = {
    "preset": "small",
    "format": "yaml,json",
    "json_style": "pretty,compact",
    "layout": "one-list,file-per-object,multi-doc",
    "noise": "full,light,none",
    "policy_style": "auto,export,repo",
    "widening": "0,48",
}

# How the first line of an object looks, by format and layout.
STARTS = {
    ("yaml", "one-list"): re.compile(rb"^-[ ]"),
    ("json", "one-list"): re.compile(rb"^ {8}\{"),
    ("yaml", "multi-doc"): re.compile(rb"^---"),
    ("json", "multi-doc"): re.compile(rb"^\{"),
}


def numbers(text):
    """1-3,7 as [1, 2, 3, 7]"""
    found = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def combinations(args):
    """One dictionary of options a snapshot."""
    seeds, turn = numbers(args.seeds), 0
    names = list(CHOICES)
    for values in itertools.product(*(getattr(args, name).split(",") for name in names)):
        options = dict(zip(names, values))
        if options["format"] == "yaml" and options["json_style"] != args.json_style.split(",")[0]:
            continue
        if options["format"] == "json" and options["policy_style"] != args.policy_style.split(",")[0]:
            continue
        for seed in seeds if args.all_seeds else [seeds[turn % len(seeds)]]:
            yield dict(options, seed=str(seed))
        turn += 1


class Places:
    """The lines on which the objects of a file begin, read once a file."""

    def __init__(self, root, options):
        self.root, self.start, self.lines = root, STARTS.get((options["format"], options["layout"])), {}

    def starts(self, file):
        if file not in self.lines:
            with open(os.path.join(self.root, file), "rb") as text:
                self.lines[file] = [n for n, line in enumerate(text, 1) if self.start.match(line)]
        return self.lines[file]

    def index(self, location):
        """(file, index) of an object that stands at a location of the report."""
        file = os.path.relpath(location["file"], self.root).replace(os.sep, "/")
        if not self.start:
            return file, 0
        return file, sum(1 for line in self.starts(file) if line <= location["line"]) - 1


def identity(thing):
    return thing["kind"], thing["namespace"], thing["name"]


def place(thing):
    return thing["file"], thing["index"]


def compare(report, status, expected, places):
    """Everything that is wrong with a report, a sentence each."""
    widening = {identity(policy): place(policy) for policy in expected["widening"]}
    harmless = {identity(policy) for policy in expected["harmless"]}
    wrong = []
    if status != (1 if widening else 0):
        wrong.append(f"exit status {status} with {len(widening)} widening policies")
    if report["decision"] != ("refuse" if widening else "pass"):
        wrong.append(f"decision {report['decision']} with {len(widening)} widening policies")
    boundary = report["boundaries"][0]
    named = boundary["namedObject"]
    if named["status"] != "match":
        wrong.append(f"the named object is {named['status']}: {named['part']} {named['path']}")
    elif places.index(named["location"]) != place(expected["named_policy"]):
        wrong.append(f"the named object is placed at {places.index(named['location'])}")
    pods = sum(subject["podCount"] for subject in boundary["subjects"])
    if pods != expected["template_pods"]:
        wrong.append(f"{pods} pods are subjects, not {expected['template_pods']}")
    found = {}
    for subject in boundary["subjects"]:
        for examined in subject["egress"]["examined"]:
            if examined["verdict"] == "not-evaluable":
                wrong.append(f"not evaluable: {identity(examined)}: {examined['path']} {examined['detail']}")
            if examined["verdict"] == "widens-egress":
                found[identity(examined)] = examined
    for policy, examined in found.items():
        if policy not in widening:
            why = " (harmless)" if policy in harmless else ""
            wrong.append(f"named without reason{why}: {policy}: {examined['path']} {json.dumps(examined['witness'])}")
        elif places.index(examined["location"]) != widening[policy]:
            wrong.append(f"{policy} is placed at {places.index(examined['location'])}, not {widening[policy]}")
        if not examined["witness"]:
            wrong.append(f"no witness: {policy}")
    wrong += [f"not found: {identity(p)}: {p['category']}, {p['adds']}" for p in expected["widening"]
              if identity(p) not in found]
    return wrong


def generate(generator, folder, options):
    command = [sys.executable, generator, folder, "--force"]
    for name, value in options.items():
        command += ["--" + name.replace("_", "-"), value]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def check(args, folder, options):
    """What is wrong, and the seconds that verify took."""
    generate(args.generator, folder, options)
    root = os.path.join(folder, "snapshot")
    start = time.monotonic()
    done = subprocess.run([os.path.abspath(args.bin), "verify", "--config", os.path.join(folder, "egress.yaml"),
                           "--report", "json", root], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    seconds = time.monotonic() - start
    if done.returncode not in (0, 1):
        return [f"exit status {done.returncode}: {done.stderr.decode('utf-8', 'replace').strip()}"], seconds
    with open(os.path.join(folder, "expected.json"), encoding="utf-8") as text:
        expected = json.load(text)
    return compare(json.loads(done.stdout), done.returncode, expected, Places(root, options)), seconds


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("generator", help="path of gen_snapshot.py")
    parser.add_argument("--bin", required=True, help="path of egressc")
    parser.add_argument("--seeds", default="1-6", help="(default %(default)s)")
    parser.add_argument("--all-seeds", action="store_true", help="every seed with every combination")
    for name, value in CHOICES.items():
        parser.add_argument("--" + name.replace("_", "-"), default=value, metavar="LIST", help="(default %(default)s)")
    parser.add_argument("--dir", help="where the snapshots are written (default: a temporary folder)")
    parser.add_argument("--keep", action="store_true", help="keep snapshots whose answers are wrong (needs --dir)")
    parser.add_argument("--list", action="store_true", help="print a line for right answers too")
    args = parser.parse_args()
    if args.keep and not args.dir:
        parser.error("--keep needs --dir")
    return args


def main():
    args = parse()
    if not os.path.isfile(args.generator) or not os.access(args.bin, os.X_OK):
        print("check_snapshot.py: the generator or the program is not there", file=sys.stderr)
        return 2
    parent = os.path.abspath(args.dir) if args.dir else tempfile.mkdtemp(prefix="snapshots-")
    runs = failures = 0
    try:
        for options in combinations(args):
            name = "-".join(options.values())
            folder = os.path.join(parent, name)
            os.makedirs(folder, exist_ok=True)
            wrong, seconds = check(args, folder, options)
            runs, failures = runs + 1, failures + bool(wrong)
            if wrong or args.list:
                print(f"{'wrong' if wrong else 'right'} {name} ({seconds:.2f} s)", flush=True)
            for sentence in wrong[:20]:
                print(f"    {sentence}")
            if not (wrong and args.keep):
                shutil.rmtree(folder)
    finally:
        if not args.dir:
            shutil.rmtree(parent, ignore_errors=True)
    print(f"{runs} snapshots, {failures} with wrong answers")
    return 2 if not runs else 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
