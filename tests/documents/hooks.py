#!/usr/bin/env python3
"""Hooks and the action use commands and options that are there, and the action's script runs: hooks.py EGRESSC"""
import os
import re
import subprocess
import sys
import tempfile

HOOKS, ACTION = ".pre-commit-hooks.yaml", "action.yml"
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def options_of(program, command):
    help_text = subprocess.run([program, "help", command], capture_output=True, text=True, check=True).stdout
    return set(OPTION.findall(help_text))


def hook_faults(program, text):
    """Each hook's entry is a command; options in its entry, and in the comment that shows its arguments, are its own. It
    reads more than the files that changed, as what is wrong in one depends on others."""
    faults = []
    hooks = re.split(r"^- id: ", text, flags=re.MULTILINE)
    for before, hook in zip(hooks, hooks[1:]):
        name = hook.split("\n")[0]
        entry = re.search(r"^  entry: egressc (\S+)(.*)$", hook, re.MULTILINE)
        if not entry:
            faults.append(f"{HOOKS}: {name} runs no command of egressc")
            continue
        command = entry.group(1)
        shown = re.findall(r"^#.*args: \[(.*)\]$", before[before.rfind("\n\n"):], re.MULTILINE)
        used = OPTION.findall(entry.group(2) + " " + " ".join(shown))
        if "\n  pass_filenames: false\n" not in hook:
            faults.append(f"{HOOKS}: {name} reads the files that changed alone")
        known = options_of(program, command)
        faults += [f"{HOOKS}: {name}: {command} has no option {option}" for option in used if option not in known]
    return faults, len(hooks) - 1


SCRIPT = re.compile(r"^      run: \|\n((?:        .*\n|\n)+)", re.MULTILINE)


def script_faults(text):
    """Inputs are no text of a script, whose commands they could add to otherwise."""
    scripts = SCRIPT.findall(text)
    faults = [f"{ACTION}: an expression stands in a script" for script in scripts if "${{" in script]
    return faults if scripts else [f"{ACTION} runs no script"]


def run_action(program, folder, command, config, paths, options=""):
    """The script of the action's first step, as the runner runs it: exit status, its outputs, the report's text."""
    block = SCRIPT.search(read(ACTION)).group(1)
    script = "\n".join(line[8:] for line in block.split("\n"))
    report, outputs = os.path.join(folder, "out.sarif"), os.path.join(folder, "outputs")
    open(outputs, "w").close()
    environment = dict(os.environ, EGRESSC_BINARY=program, EGRESSC_COMMAND=command, EGRESSC_PATHS=paths,
                       EGRESSC_CONFIG=config, EGRESSC_OPTIONS=options, EGRESSC_SARIF=report, GITHUB_OUTPUT=outputs)
    done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], env=environment,
                          capture_output=True, text=True)
    return done.returncode, read(outputs), read(report) if os.path.exists(report) else ""


def action_faults(program):
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        for state, expected in (("sound", "status=0\n"), ("broken", "status=1\n")):
            repo = f"fixtures/repo/{state}"
            status, outputs, report = run_action(program, folder, "verify", f"{repo}/egress.yaml", f"{repo}/manifests\n",
                                                 "--strict\n--exclude=*.txt\n")
            if status != 0 or outputs != expected or '"version": "2.1.0"' not in report:
                faults.append(f"{ACTION}: verify of {repo} ends with {status} and {outputs!r}")
        if run_action(program, folder, "compile; id", "", ".")[0] != 2:
            faults.append(f"{ACTION}: a command that is none is run")
        if run_action(program, folder, "verify", "", ".")[0] != 2:
            faults.append(f"{ACTION}: verify without a config is no failure")
    return faults


def main():
    program = os.path.abspath(sys.argv[1])
    faults, count = hook_faults(program, read(HOOKS))
    faults += script_faults(read(ACTION)) + action_faults(program)
    print("\n".join(faults) if faults else f"{count} hooks and the action are as they should be")
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
