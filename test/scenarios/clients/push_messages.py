"""A subscriber: push_messages.py SERVER_KEY. Prints its subscriptions as one line of JSON: one for each encoding.

Then decrypts and verifies one message for each, and prints them as a second line. Any failed step raises.
"""

import json
import os
import sys

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from push_service import PushService, base64url, claims, decrypted


def main(server_key):
    service = PushService()
    keys, subscriptions = {}, []
    for encoding in ("aes128gcm", "aesgcm"):
        private, auth = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
        point = private.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        )
        keys[f"/{encoding}"] = (private, auth)
        subscriptions.append(
            {
                "endpoint": f"{service.url}/{encoding}",
                "p256dh": base64url(point),
                "auth": base64url(auth),
                "encoding": encoding,
            }
        )
    print(json.dumps(subscriptions), flush=True)
    messages = {}
    for _ in subscriptions:
        path, headers, body = service.next()
        assert headers["content-encoding"] == path[1:], headers
        claims(headers, service.url, server_key)
        fields = {name: headers[name] for name in ("ttl", "urgency", "topic")}
        messages[path[1:]] = {"text": decrypted(headers, body, *keys[path]), **fields}
    print(json.dumps(messages), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
