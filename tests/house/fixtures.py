#!/usr/bin/env python3
"""The two states of the policy repo differ in the eight files that are wrong, and each of those says how."""
import os
import source

SOUND, BROKEN = "fixtures/repo/sound", "fixtures/repo/broken"


def files_of(folder):
    return {os.path.relpath(path, folder): source.read(path) for path in source.files(folder, ending=(".yaml",))}


def main():
    sound, broken = files_of(SOUND), files_of(BROKEN)
    faults = [f"{BROKEN}/{path} is not as in {SOUND}" for path in sound if broken.get(path) != sound[path]]
    added = sorted(set(broken) - set(sound))
    if len(added) != 8:
        faults.append(f"{BROKEN} holds {len(added)} files more than {SOUND}: {', '.join(added)}")
    faults += [f"{BROKEN}/{path} does not begin with `# Broken: `" for path in added if not broken[path].startswith("# Broken: ")]
    source.finish(faults, len(sound) and len(broken), "files")


if __name__ == "__main__":
    main()
