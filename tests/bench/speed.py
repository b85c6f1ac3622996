#!/usr/bin/env python3
"""Measure egressc against the cost of reading the same bytes with libyaml alone.

    speed.py GENERATOR --build DIR [--runs N] [--work DIR]

GENERATOR is the program that writes large snapshots (gen_snapshot.py); DIR is a build folder with the programs egressc
and yaml_events in it. Snapshots are written to --work (a temporary folder by default). The programs take turns, run by
run, so that a machine whose speed drifts slows all of them; the ratios are those of the medians.

Printed: the wall time of each, the ratio to the bare event loop, the peak memory against the bytes of the input. The
exit status says only whether everything could be run: what is fast enough is for readers to decide.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def run(command, stdin=None):
    """Wall seconds, user and system seconds, peak bytes and exit status of a command whose output is thrown away."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdin=open(stdin) if stdin else subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return (time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024,
            process.returncode)


def measure(commands, runs):
    """Runs each command once unmeasured, then `runs` times in turn; the medians of each."""
    results = {name: [] for name in commands}
    for turn in range(runs + 1):
        for name, (command, stdin, allowed) in commands.items():
            result = run(command, stdin)
            if result[3] not in allowed:
                sys.exit(f"speed.py: exit status {result[3]} of {' '.join(command)}")
            if turn > 0:
                results[name].append(result)
    return {name: [statistics.median(column) for column in zip(*rows)] for name, rows in results.items()}


def generate(generator, out, *options):
    subprocess.run([sys.executable, generator, out, "--force", *options], check=True, stdout=subprocess.DEVNULL)
    names, size = [], 0
    for folder, _, files in os.walk(os.path.join(out, "snapshot")):
        for file in files:
            names.append(os.path.join(folder, file))
            size += os.path.getsize(names[-1])
    with open(os.path.join(out, "list"), "w") as listing:
        listing.write("".join(name + "\n" for name in sorted(names)))
    return size


def has_command(egressc, command):
    done = subprocess.run([egressc, "help", command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return done.returncode == 0


def show(title, size, results, base):
    print(f"{title}: {size / 1e6:.1f} MB")
    for name, (wall, cpu, peak, _) in results.items():
        line = f"  {name:<24} {wall:7.3f} s wall {cpu:7.3f} s cpu  peak {peak / 1e6:7.1f} MB"
        if name != base:
            line += f"  {wall / results[base][0]:5.2f} of the wall, {cpu / results[base][1]:5.2f} of the cpu"
            line += f" of {base}; memory {peak / size:4.2f} of the bytes"
        print(line)


def medium(options, egressc, events, work):
    out = os.path.join(work, "medium")
    size = generate(options.generator, out, "--preset", "medium", "--format", "yaml", "--layout", "multi-doc",
                    "--widening", "24")
    config, snapshot, listing = (os.path.join(out, part) for part in ("egress.yaml", "snapshot", "list"))
    verify = [egressc, "verify", "--config", config, "--verify-only", "named-object,union"]
    commands = {
        "libyaml events": ([events], listing, (0,)),
        "verify --jobs 1": (verify + ["--jobs", "1", snapshot], None, (1,)),
        "verify --jobs 2": (verify + ["--jobs", "2", snapshot], None, (1,)),
    }
    if has_command(egressc, "lint"):
        commands["lint --jobs 1"] = ([egressc, "lint", "--jobs", "1", snapshot], None, (0, 1))
        commands["lint --jobs 2"] = ([egressc, "lint", "--jobs", "2", snapshot], None, (0, 1))
    show("medium preset, multi-doc YAML", size, measure(commands, options.runs), "libyaml events")
    results = measure({"compile": ([egressc, "compile", "--config", config], None, (0,))}, max(options.runs, 20))
    print(f"compile of one config: {results['compile'][0] * 1e3:.1f} ms wall, {results['compile'][1] * 1e3:.1f} ms cpu")


def many_small(options, egressc, work):
    if not has_command(egressc, "lint"):
        return
    out = os.path.join(work, "small-documents")
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "policies.yaml"), "w") as file:
        for number in range(10000):
            file.write(f"---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata:\n  name: p{number}\n"
                       f"  namespace: n{number % 50}\nspec:\n  podSelector:\n    matchLabels:\n      app: a{number}\n"
                       "  policyTypes: [Ingress]\n")
    results = measure({"lint": ([egressc, "lint", out], None, (0, 1))}, options.runs)
    print(f"lint of 10,000 small documents: {results['lint'][0]:.3f} s wall, {results['lint'][1]:.3f} s cpu")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("generator")
    parser.add_argument("--build", required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--work")
    options = parser.parse_args()
    egressc = os.path.join(options.build, "egressc")
    events = os.path.join(options.build, "tests", "bench", "yaml_events")
    for program in (egressc, events, options.generator):
        if not os.path.exists(program):
            sys.exit(f"speed.py: {program} is not there")
    work = options.work or tempfile.mkdtemp(prefix="egressc-speed-")
    try:
        medium(options, egressc, events, work)
        many_small(options, egressc, work)
    finally:
        if not options.work:
            shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
