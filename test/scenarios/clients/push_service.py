"""A push service on loopback, and the client's side of it, with http_ece and py-vapid: independent of the server."""

import base64
import http.server
import json
import queue
import threading
import time

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from py_vapid import Vapid01
from py_vapid.utils import b64urldecode

ARRIVAL_SECONDS = 60
LIFETIME_SECONDS_MAX = 86_400


class PushService:
    """Takes every message and puts (path, headers, body) into a queue."""

    def __init__(self):
        self.arrived = queue.Queue()
        arrived = self.arrived

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                arrived.put((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(201)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def next(self):
        """Returns the next message. Raises queue.Empty when there is none in time."""
        return self.arrived.get(timeout=ARRIVAL_SECONDS)


def claims(headers, audience, server_key):
    """Returns the claims of a sender's token. Raises AssertionError when a push service would refuse it."""
    scheme, _, rest = headers["authorization"].partition(" ")
    if scheme.lower() == "vapid":
        fields = dict(field.strip().split("=", 1) for field in rest.split(","))
        token, key = fields["t"], fields["k"]
    else:
        assert scheme == "WebPush", headers
        token, key = rest, parameter(headers["crypto-key"], "p256ecdsa")
    assert key.rstrip("=") == server_key.rstrip("="), (key, server_key)
    signed, _, signature = token.rpartition(".")
    verified = Vapid01.from_raw_public(key.encode()).verify_token(signed.encode(), signature)
    assert verified, "the signature does not fit the key"
    found = json.loads(b64urldecode(signed.split(".")[1].encode()))
    assert found["aud"] == audience, found
    assert 0 < found["exp"] - time.time() < LIFETIME_SECONDS_MAX, found
    assert found["sub"].startswith(("mailto:", "https://")), found
    return found


def decrypted(headers, body, private_key, auth):
    """Returns the text of a message of either encoding."""
    if headers["content-encoding"] == "aes128gcm":
        plain = http_ece.decrypt(body, private_key=private_key, auth_secret=auth, version="aes128gcm")
    else:
        assert headers["content-encoding"] == "aesgcm", headers
        plain = http_ece.decrypt(
            body,
            salt=b64urldecode(parameter(headers["encryption"], "salt").encode()),
            dh=b64urldecode(parameter(headers["crypto-key"], "dh").encode()),
            private_key=private_key,
            auth_secret=auth,
            version="aesgcm",
        )
    return plain.decode("utf-8")


def parameter(header, name):
    fields = dict(field.strip().split("=", 1) for field in header.split(";"))
    return fields[name]


def private_key_of(number):
    return ec.derive_private_key(number, ec.SECP256R1())


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
