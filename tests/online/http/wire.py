"""Servers and proxies of a few lines on the loopback address, for network.py: HTTP as it comes over the wire, so that a
test can break its rules.
"""
import socket
import ssl
import threading
import time

PODS = '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"%s},"items":[%s]}'
POD = '{"metadata":{"name":"one","namespace":"a"}}'


class Listener:
    """A socket on the loopback address, each connection of which is served by a thread."""

    def __init__(self, serve, context=None):
        self.serve, self.context, self.count = serve, context, 0
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.count += 1
            threading.Thread(target=self.run, args=(connection,), daemon=True).start()

    def run(self, connection):
        try:
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
            self.serve(connection)
        except (OSError, ssl.SSLError):
            pass
        finally:
            connection.close()

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


def read_head(connection):
    """The lines of a request; [""] where none came."""
    text = b""
    while b"\r\n\r\n" not in text:
        part = connection.recv(4096)
        if not part:
            return [""]
        text += part
    return text.decode().split("\r\n\r\n")[0].split("\r\n")


def response(body, status="200 OK", kind="application/json", *headers):
    data = body if isinstance(body, bytes) else body.encode()
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(data)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


class Api:
    """An API server whose pods are what `answer` does on the connection; gives up the connection where that is true."""

    def __init__(self, answer, context=None):
        self.answer, self.requests, self.heads = answer, [], []
        self.listener = Listener(self.serve, context)
        self.port, self.close = self.listener.port, self.listener.close

    def serve(self, connection):
        while True:
            head = read_head(connection)
            if not head[0]:
                return
            path = head[0].split(" ")[1]
            self.heads.append(head)
            if path == "/version":
                connection.sendall(response('{"gitVersion":"v1.31.2"}'))
                continue
            self.requests.append((time.monotonic(), path))
            if self.answer(connection, len(self.requests), path):
                return


def fine(connection, _number, _path):
    connection.sendall(response(PODS % ("", POD)))


def pump(one, other):
    try:
        while True:
            data = one.recv(65536)
            if not data:
                break
            other.sendall(data)
    except OSError:
        pass
    for each in (one, other):
        try:
            each.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def join(connection, port):
    with socket.create_connection(("127.0.0.1", port)) as other:
        thread = threading.Thread(target=pump, args=(other, connection), daemon=True)
        thread.start()
        pump(connection, other)
        thread.join()


class Proxy:
    """Leads everything to one port, and notes whom it was asked for."""

    def __init__(self, port, kind="http", context=None):
        self.to, self.wanted, self.heads = port, [], []
        self.listener = Listener(self.socks if kind == "socks" else self.http, context)
        self.port, self.close = self.listener.port, self.listener.close

    def http(self, connection):
        head = read_head(connection)
        self.heads.append(head)
        self.wanted.append(head[0])
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        join(connection, self.to)

    def socks(self, connection):
        connection.recv(1)
        connection.recv(connection.recv(1)[0])
        connection.sendall(b"\x05\x00")
        kind = connection.recv(4)[3]
        length = connection.recv(1)[0] if kind == 3 else 4
        self.wanted.append((kind, connection.recv(length)))
        connection.recv(2)
        connection.sendall(b"\x05\x00\x00\x01" + bytes(6))
        join(connection, self.to)
