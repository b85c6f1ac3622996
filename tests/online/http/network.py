#!/usr/bin/env python3
"""What lies between egressc-snapshot and an API server, on sockets of our own: network.py SNAPSHOT

Proxies (HTTP, HTTPS, SOCKS; of the kubeconfig and of the environment), TLS of old, servers that break the rules of
HTTP, and signals at any moment.
"""
import email.utils
import gzip
import json
import os
import pty
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True  # the folder is the repository's
from wire import POD, PODS, Api, Proxy, fine, response  # noqa: E402

SNAPSHOT = None
HERE = os.path.dirname(os.path.abspath(__file__))
VARIABLES = ("http_proxy", "https_proxy", "HTTPS_PROXY", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY")


class Network(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.certificates = tempfile.TemporaryDirectory(prefix="egressc-test.")
        subprocess.run([os.path.join(HERE, "certificates.sh"), cls.certificates.name], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.certificates.cleanup()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="egressc-test.")
        self.addCleanup(self.folder.cleanup)
        self.output = os.path.join(self.folder.name, "snap")
        self.environment = {name: value for name, value in os.environ.items() if name not in VARIABLES}
        self.environment.pop("KUBECONFIG", None)

    def certificate(self, name):
        return os.path.join(self.certificates.name, name)

    def tls(self, name="server"):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate(name + ".pem"), self.certificate(name + ".key"))
        return context

    def kubeconfig(self, server, **cluster):
        path = os.path.join(self.folder.name, "kubeconfig")
        cluster["server"] = server
        if server.startswith("https"):
            cluster["certificate-authority"] = self.certificate("authority.pem")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"current-context": "c", "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
                       "users": [{"name": "u", "user": {"token": "of-the-auditor"}}],
                       "clusters": [{"name": "c", "cluster": cluster}]}, file)
        return path

    def command(self, server, *options, **cluster):
        return [SNAPSHOT, "--kubeconfig", self.kubeconfig(server, **cluster), "--output", self.output,
                "--collections", "pods", *options]

    def take(self, server, *options, **cluster):
        """The exit status, what was said, and the collection of pods, None where there is no snapshot."""
        result = subprocess.run(self.command(server, *options, **cluster), env=self.environment, capture_output=True,
                                text=True, timeout=60, check=False)
        self.assertEqual(result.stdout, "")
        self.assertNotIn("of-the-auditor", result.stderr)
        entries = [name for name in os.listdir(self.folder.name) if name.startswith("snap")]
        self.assertEqual(entries, [] if result.returncode == 2 else ["snap"], result.stderr)
        if result.returncode == 2:
            return 2, result.stderr, None
        with open(os.path.join(self.output, "snapshot.json"), encoding="utf-8") as file:
            pods = json.load(file)["collections"][0]
        self.assertEqual(os.path.exists(os.path.join(self.output, "pods.json")), pods["status"] == "read")
        return result.returncode, result.stderr, pods

    def api(self, answer=fine, **options):
        api = Api(answer, **options)
        self.addCleanup(api.close)
        return api

    def proxy(self, *arguments, **options):
        proxy = Proxy(*arguments, **options)
        self.addCleanup(proxy.close)
        return proxy

    # ---- proxies ----

    def through(self, api, **cluster):
        """Takes pods of a server whose name nobody can resolve, but for the proxy."""
        status, said, pods = self.take(f"https://api.test:{api.port}", **cluster)
        self.assertEqual((status, said, pods["status"]), (0, "", "read"))

    def test_a_proxy_of_the_kubeconfig_is_used_whatever_the_environment_says(self):
        api = self.api(context=self.tls())
        proxy, other = self.proxy(api.port), self.proxy(api.port)
        self.environment.update(https_proxy=f"http://127.0.0.1:{other.port}", no_proxy="api.test")
        self.through(api, **{"proxy-url": f"http://me:hush@127.0.0.1:{proxy.port}"})
        self.assertEqual(proxy.wanted, [f"CONNECT api.test:{api.port} HTTP/1.1"])
        self.assertIn("Proxy-Authorization: Basic bWU6aHVzaA==", proxy.heads[0])
        self.assertNotIn("of-the-auditor", str(proxy.heads))
        self.assertIn("Authorization: Bearer of-the-auditor", api.heads[0])
        self.assertEqual(other.wanted, [])

    def test_a_proxy_may_speak_tls(self):
        api = self.api(context=self.tls())
        proxy = self.proxy(api.port, context=self.tls())
        self.through(api, **{"proxy-url": f"https://127.0.0.1:{proxy.port}"})
        self.assertEqual(len(proxy.wanted), 1)

    def test_a_proxy_that_is_not_trusted_is_not_used(self):
        api = self.api(context=self.tls())
        proxy = self.proxy(api.port, context=self.tls("expired"))
        status, said, _ = self.take(f"https://api.test:{api.port}", "--retries", "0",
                                    **{"proxy-url": f"https://127.0.0.1:{proxy.port}"})
        self.assertEqual((status, proxy.wanted), (2, []))
        self.assertIn("TLS failed", said)

    def test_a_socks_proxy_resolves_names(self):
        for scheme in ("socks5", "socks5h"):
            with self.subTest(scheme):
                self.setUp()
                api = self.api(context=self.tls())
                proxy = self.proxy(api.port, kind="socks")
                self.through(api, **{"proxy-url": f"{scheme}://127.0.0.1:{proxy.port}"})
                self.assertEqual(proxy.wanted, [(3, b"api.test")])

    def test_the_environment_has_proxies_and_exceptions(self):
        api = self.api(context=self.tls())
        proxy = self.proxy(api.port)
        for name in ("https_proxy", "HTTPS_PROXY"):
            with self.subTest(name):
                self.setUp()
                proxy.wanted.clear()
                self.environment[name] = f"http://127.0.0.1:{proxy.port}"
                self.through(api)
                self.assertEqual(len(proxy.wanted), 1)
        for name, value in (("no_proxy", "other.test,.test"), ("NO_PROXY", "api.test"), ("no_proxy", "*")):
            with self.subTest(name + "=" + value):
                self.setUp()
                proxy.wanted.clear()
                self.environment.update({"https_proxy": f"http://127.0.0.1:{proxy.port}", name: value})
                status, said, _ = self.take(f"https://api.test:{api.port}", "--retries", "0")
                self.assertEqual((status, proxy.wanted), (2, []))
                self.assertIn("no connection", said)  # nobody can resolve that name

    def test_this_machine_is_reached_without_a_proxy_of_the_environment(self):
        api = self.api(context=self.tls())
        proxy = self.proxy(api.port)
        self.environment.update(https_proxy=f"http://127.0.0.1:{proxy.port}",
                                ALL_PROXY=f"http://127.0.0.1:{proxy.port}")
        status, _, pods = self.take(f"https://127.0.0.1:{api.port}")
        self.assertEqual((status, pods["status"], proxy.wanted), (0, "read", []))

    # ---- kubeconfigs ----

    def test_kubeconfigs_of_the_environment_are_merged(self):
        """The first that has a name gives the entry, paths are relative to their file, and one need not be there."""
        api = self.api(context=self.tls())
        folder = self.folder.name
        os.mkdir(os.path.join(folder, "first"))
        os.symlink(self.certificate("authority.pem"), os.path.join(folder, "first", "ca.pem"))
        with open(os.path.join(folder, "token"), "w", encoding="utf-8") as file:
            file.write("of-the-second\n")
        url = f"https://127.0.0.1:{api.port}"
        files = {
            "first/config": {"clusters": [{"name": "c",
                                           "cluster": {"server": url, "certificate-authority": "ca.pem"}}]},
            "second": {"current-context": "x", "users": [{"name": "u", "user": {"tokenFile": "token"}}],
                       "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
                       "clusters": [{"name": "c",
                                     "cluster": {"server": "https://127.0.0.1:1", "proxy-url": "http://x"}}]},
            "third": {"current-context": "y", "users": [{"name": "u", "user": {"token": "no"}}]}}
        for name, content in files.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                json.dump(content, file)
        self.environment["KUBECONFIG"] = ":".join(
            os.path.join(folder, name) for name in ("first/config", "not-there", "second", "third"))
        done = subprocess.run([SNAPSHOT, "--output", self.output, "--collections", "pods"], env=self.environment,
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("Authorization: Bearer of-the-second", api.heads[0])

    # ---- TLS ----

    def old_tls(self, version):
        """TLS up to that version; the system lets both sides speak older ones."""
        path = os.path.join(self.folder.name, "openssl.cnf")
        with open(path, "w", encoding="utf-8") as file:
            file.write("openssl_conf = a\n[a]\nssl_conf = b\n[b]\nsystem_default = c\n[c]\n"
                       "MinProtocol = TLSv1\nCipherString = ALL:@SECLEVEL=0\n")
        self.environment["OPENSSL_CONF"] = path
        context = self.tls()
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = version
        return context

    def test_tls_is_1_2_at_least_with_a_proxy_too(self):
        api = self.api(context=self.tls())
        for version, answers in ((ssl.TLSVersion.TLSv1_1, False), (ssl.TLSVersion.TLSv1_2, True)):
            proxy = self.proxy(api.port, context=self.old_tls(version))
            status, said, _ = self.take(f"https://api.test:{api.port}", "--retries", "0",
                                        **{"proxy-url": f"https://127.0.0.1:{proxy.port}"})
            self.assertEqual((status == 0, "TLS failed" in said), (answers, not answers))

    def test_tls_is_1_2_at_least(self):
        """The last step shows that the server would speak the older one."""
        for version, answers in ((ssl.TLSVersion.TLSv1_1, False), (ssl.TLSVersion.TLSv1_2, True)):
            api = self.api(context=self.old_tls(version))
            status, said, _ = self.take(f"https://127.0.0.1:{api.port}", "--retries", "0")
            self.assertEqual((status == 0, "TLS failed" in said), (answers, not answers))
            client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            client.set_ciphers("ALL:@SECLEVEL=0")
            client.minimum_version = ssl.TLSVersion.TLSv1
            client.load_verify_locations(self.certificate("authority.pem"))
            with socket.create_connection(("127.0.0.1", api.port)) as plain:
                with client.wrap_socket(plain, server_hostname="127.0.0.1") as session:
                    self.assertEqual(session.version(), "TLSv1.1" if not answers else "TLSv1.2")

    # ---- answers ----

    def expect(self, answer, status, pods_status, reason=None, options=("--retries", "0")):
        self.setUp()
        api = self.api(answer)
        got, _, pods = self.take(f"http://127.0.0.1:{api.port}", *options)
        self.assertEqual((got, pods["status"]), (status, pods_status))
        if reason:
            self.assertRegex(pods["reason"], reason)
        return api

    def test_what_is_no_answer_fails(self):
        text = PODS % ("", ",".join([POD] * 1000))

        def cut(connection, number, path):
            connection.sendall(response(text)[:20000])
            return True

        def reset(connection, number, path):
            cut(connection, number, path)
            time.sleep(0.1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return True

        def unfinished(connection, number, path):
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                               b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n" % (len(text), text.encode()))
            return True

        def sender(data):
            def send(connection, number, path):
                connection.sendall(data)
                return True
            return send

        zipped = gzip.compress(text.encode())
        cases = {
            "the connection broke off": (cut, reset, unfinished, sender(b""), sender(
                response(text, "200 OK", "application/json", "Content-Encoding: gzip"))),
            "the answer is malformed: the text ends too early": (
                sender(response(text[:20000])), sender(response("")), sender(
                    response(zipped[:len(zipped) // 2], "200 OK", "application/json", "Content-Encoding: gzip"))),
            "the answer is malformed": (sender(response(text + "x")), sender(response('{"items":[{}}'))),
            "the answer is text/html, not application/json": (sender(response("<html>", "200 OK", "text/html")),),
            "the answer is application/yaml, not": (sender(response(text, "200 OK", "application/yaml")),),
            "the answer is no PodList": (sender(response('{"kind":"Status","apiVersion":"v1"}')),),
            "": (sender(b"hello\r\n\r\n"), sender(b"HTTP/1.1 200 OK\r\n" + b"A: " + b"b" * 9000000 + b"\r\n\r\n"),
                 sender(response("", "204 No Content")), sender(response(text, "206 Partial Content"))),
        }
        for reason, answers in cases.items():
            for number, answer in enumerate(answers):
                with self.subTest(reason, number=number):
                    self.expect(answer, 1, "failed", reason)

    def test_what_is_compressed_is_read_and_has_its_bound(self):
        text = PODS % ("", POD)
        bomb = gzip.compress((PODS % ("", POD + " " * (3 << 20))).encode())
        self.assertLess(len(bomb), 100000)

        def answer(body):
            return lambda connection, number, path: connection.sendall(
                response(body, "200 OK", "application/json", "Content-Encoding: gzip"))

        self.expect(answer(gzip.compress(text.encode())), 0, "read")
        self.expect(answer(bomb), 0, "read")
        self.expect(answer(bomb), 1, "failed", "the answer is larger than 2097152 bytes", ("--answer-limit", "2"))

    def test_answers_are_compressed_unless_the_kubeconfig_says_no(self):
        for cluster, header in (({}, True), ({"disable-compression": True}, False)):
            self.setUp()
            api = self.api()
            self.take(f"http://127.0.0.1:{api.port}", **cluster)
            self.assertEqual("Accept-Encoding: gzip" in api.heads[-1], header)

    def test_a_redirect_leads_nowhere(self):
        other = self.api()
        for status in (301, 302, 303, 307, 308):
            with self.subTest(status):
                api = self.expect(lambda connection, number, path, status=status: connection.sendall(response(
                    "", f"{status} Elsewhere", "text/html", f"Location: http://127.0.0.1:{other.port}{path}")), 1,
                    "failed", f"status {status}: a redirect, which is not followed")
                self.assertEqual(len(api.requests), 1)
        self.assertEqual(other.heads, [])

    def test_statuses_are_told_apart(self):
        status = '{"kind":"Status","message":"no"}'
        for code, result, requests, exit_status in (
                ("401 Unauthorized", "forbidden", 1, 1), ("403 Forbidden", "forbidden", 1, 1),
                ("404 Not Found", "not-served", 1, 0), ("400 Bad Request", "failed", 1, 1),
                ("410 Gone", "failed", 1, 1), ("429 Too Many", "failed", 2, 1), ("500 Internal", "failed", 2, 1),
                ("502 Bad Gateway", "failed", 2, 1), ("503 Unavailable", "failed", 2, 1),
                ("504 Timeout", "failed", 2, 1), ("501 Not Implemented", "failed", 1, 1)):
            with self.subTest(code):
                api = self.expect(lambda connection, number, path, code=code: connection.sendall(
                    response(status, code)), exit_status, result, None, ("--retries", "1"))
                self.assertEqual(len(api.requests), requests)

    def test_a_list_that_expired_is_read_anew(self):
        def answer(connection, number, path):
            if number == 2:
                connection.sendall(response('{"kind":"Status"}', "410 Gone"))
            else:
                connection.sendall(response(PODS % (',"continue":"x"' if number in (1, 3) else "", POD)))

        api = self.expect(answer, 0, "read")
        self.assertEqual([("continue" in path) for _, path in api.requests], [False, True, False, True])
        with open(os.path.join(self.output, "pods.json"), encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["items"]), 2)

    def test_a_server_says_how_long_to_wait(self):
        def after(value):
            def answer(connection, number, path):
                if number > 1:
                    return fine(connection, number, path)
                connection.sendall(response("", "429 Too Many", "text/plain", "Retry-After: " + value()))
                return False
            return answer

        for name, value in (("seconds", lambda: "1"),
                            ("a date", lambda: email.utils.formatdate(time.time() + 2, usegmt=True))):
            with self.subTest(name):
                api = self.expect(after(value), 0, "read", None, ())
                waited = api.requests[1][0] - api.requests[0][0]
                self.assertTrue(0.8 < waited < 4, waited)

    def test_an_answer_that_drips_has_an_end(self):
        def drip(connection, number, path):
            for byte in response(PODS % ("", POD)):
                connection.sendall(bytes([byte]))
                time.sleep(0.05)

        began = time.monotonic()
        self.expect(drip, 1, "failed", "no whole answer in time", ("--retries", "0", "--timeout", "1"))
        self.assertLess(time.monotonic() - began, 5)

    # ---- the terminal, and signals ----

    def test_progress_is_shown_on_a_terminal(self):
        api = self.api()
        ours, its = pty.openpty()
        with subprocess.Popen(self.command(f"http://127.0.0.1:{api.port}"), env=self.environment, stderr=its) as child:
            self.assertEqual(child.wait(20), 0)
        os.close(its)
        shown = os.read(ours, 4096).decode()
        os.close(ours)
        self.assertRegex(shown, "\r1 of 1 collections, 1 objects\r?\n$")

    def test_a_signal_ends_a_plug_in_with_its_children(self):
        folder = self.folder.name
        plugin = os.path.join(folder, "plugin")
        with open(plugin, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nsleep 60 &\necho $! >{folder}/new\nmv {folder}/new {folder}/child\nwait\n")
        os.chmod(plugin, 0o700)
        command = self.command("https://api.test")
        with open(command[2], encoding="utf-8") as file:
            config = json.load(file)
        config["users"][0]["user"] = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "./plugin",
                                               "interactiveMode": "Never"}}
        with open(command[2], "w", encoding="utf-8") as file:
            json.dump(config, file)
        with subprocess.Popen(command, env=self.environment, stderr=subprocess.PIPE) as child:
            while not os.path.exists(os.path.join(folder, "child")):
                time.sleep(0.01)
            child.terminate()
            said = child.communicate(timeout=20)[1].decode()
        self.assertEqual(child.returncode, -signal.SIGTERM)
        self.assertIn("the plug-in ./plugin was interrupted", said)
        with open(os.path.join(folder, "child"), encoding="utf-8") as file:
            path = f"/proc/{file.read().strip()}/stat"
        until = time.monotonic() + 10
        while os.path.exists(path) and time.monotonic() < until:
            with open(path, encoding="utf-8") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":  # nobody waits for it here
                    break
            time.sleep(0.01)
        self.assertLess(time.monotonic(), until)

    def test_a_signal_at_any_moment_leaves_all_or_nothing(self):
        """With one in its place before: that one or the new one, whole."""
        def slowly(connection, number, path):
            time.sleep(0.01)
            more = ',"continue":"%d"' % number if number % 6 else ""
            connection.sendall(response(PODS % (more, POD)))

        ends = set()
        self.take(f"http://127.0.0.1:{self.api(slowly).port}")
        for step in range(40):
            api = self.api(slowly)
            number = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[step % 3]
            command = ["env", "--default-signal=INT", *self.command(f"http://127.0.0.1:{api.port}", "--force")]
            with subprocess.Popen(command, env=self.environment, stderr=subprocess.PIPE) as child:
                time.sleep(step * 0.004)
                child.send_signal(number)
                said = child.communicate(timeout=20)[1].decode()
            ends.add(child.returncode != 0)
            self.assertIn(child.returncode, (0, -number), said)
            self.assertEqual([name for name in os.listdir(self.folder.name) if name.startswith("snap")], ["snap"])
            with open(os.path.join(self.output, "snapshot.json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file)["collections"][0]["items"], 6)
            with open(os.path.join(self.output, "pods.json"), encoding="utf-8") as file:
                self.assertEqual(len(json.load(file)["items"]), 6)
        self.assertIn(True, ends)


if __name__ == "__main__":
    SNAPSHOT = os.path.abspath(sys.argv.pop(1))
    unittest.main(warnings="ignore")  # of TLS of old, which is what is tested
