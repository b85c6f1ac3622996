#!/usr/bin/env python3
"""The program needs no library but a few, and takes nothing from them that reaches the network: no_network.py PROGRAM"""
import re
import subprocess
import sys
import source

LIBRARIES = ("libc.so", "libm.so", "libpthread.so", "libyaml-0.so", "libcjson.so", "libpcre2-8.so", "ld-linux")
CALLS = re.compile(
    r"^(socket|socketpair|connect|bind|listen|accept4?|send(to|msg|mmsg)?|recv(from|msg|mmsg)?|getaddrinfo"
    r"|gethostby.*|getnameinfo|res_.*|getservby.*|gethostname|uname|getifaddrs|system|popen|exec.*|fork|vfork|posix_spawnp?"
    r"|dlopen)(@.*)?$")


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main():
    program = sys.argv[1]
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-dW", program))
    taken = [line.split()[-1] for line in output("nm", "-D", "--undefined-only", program).splitlines()]
    faults = [f"{program} needs {library}" for library in needed if not library.startswith(LIBRARIES)]
    faults += [f"{program} calls {name}" for name in taken if CALLS.match(name)]
    source.finish(faults, min(len(needed), len(taken)) and len(taken), "functions of other libraries")


if __name__ == "__main__":
    main()
