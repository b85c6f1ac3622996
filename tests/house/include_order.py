#!/usr/bin/env python3
"""A folder includes itself and the folders before it, and nothing after it; each library has its one place."""
import re
import source

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)

# Headers of libraries, and the one file (or beginning of file names) that may know them.
WRAPPERS = {
    "yaml.h": "document/reader_yaml",
    "cjson/cJSON.h": "document/reader_json_decode.c",
    "cJSON.h": "document/reader_json_decode.c",
    "pcre2.h": "grammar/pattern.c",
    "curl/curl.h": "online/transport_curl.c",
}

# Stricter than the order.
NOT_EVEN = {
    "ir": {"grammar", "document"},
    "document": {"grammar"},
    "online": {"ir", "kube", "compiler", "analyzer", "report", "cli"},
}
ALLOWED_ANYWAY = {
    "ir": {"grammar/address.h"},  # the type of an address, no text
    "online": {"compiler/config.h"},  # what a config needs to be read
}

# Headers that would open a door to the network, or to the host, from an offline program.
CLOSED = ("sys/socket.h", "netinet/in.h", "arpa/inet.h", "netdb.h", "sys/un.h", "sys/utsname.h", "locale.h")


def faults_of(path, text):
    """The faults of one file, as lines of text."""
    folder = path.split("/")[0]
    # Strings are blanked in bare text, and names of headers are strings: only comments must go.
    code = re.sub(r"/\*.*?\*/|//[^\n]*", lambda match: "\n" * match.group().count("\n"), text, flags=re.DOTALL)
    faults = []
    for match in INCLUDE.finditer(code):
        line = code.count("\n", 0, match.start()) + 1
        quote, header = match.groups()
        place = f"{path}:{line}: "
        if quote == "<":
            wrapper = WRAPPERS.get(header)
            if wrapper and not path.startswith(wrapper):
                faults.append(f"{place}<{header}> belongs to {wrapper} alone")
            if header in CLOSED:
                faults.append(f"{place}<{header}> is not for an offline program")
            continue
        other = header.split("/")[0]
        if "/" not in header or other not in source.FOLDERS:
            faults.append(f'{place}"{header}" is not spelled from the root of the sources')
        elif source.FOLDERS.index(other) > source.FOLDERS.index(folder):
            faults.append(f"{place}{folder}/ includes {header}, and {other}/ comes after it")
        elif other in NOT_EVEN.get(folder, ()) and header not in ALLOWED_ANYWAY.get(folder, ()):
            faults.append(f"{place}{folder}/ includes {header}, and is to know nothing of {other}/")
    return faults


def main():
    paths = source.files(*source.FOLDERS)
    faults = [fault for path in paths for fault in faults_of(path, source.read(path))]
    source.finish(faults, len(paths), "files")


if __name__ == "__main__":
    main()
