"""Verifies and makes signatures with apsig. Reads a JSON object, prints one: see other-verifiers.test.ts.

apsig knows neither @target-uri nor Content-Digest; both reach it as headers.
"""

import base64
import hashlib
import json
import sys
from urllib.parse import urlparse

from apsig.draft.sign import Signer
from apsig.rfc9421 import RFC9421Signer
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from strict_signatures import verified


def signed(request, private_pem, key_id):
    scheme, method, url, body = (request[name] for name in ("scheme", "method", "url", "body"))
    key = load_pem_private_key(private_pem.encode(), None)
    same = {"scheme": scheme, "method": method, "url": url, "body": body}
    if scheme == "cavage":
        return {**same, "headers": Signer({}, key, method, url, key_id, body.encode()).sign()}
    parts = urlparse(url)
    signer = RFC9421Signer(key, key_id)
    digest = f"sha-256=:{base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()}:"
    signer.sign_headers = ["@method", "@target-uri", "@authority", "date"] + (["content-digest"] if body else [])
    told = {"@target-uri": url, "content-digest": digest}
    headers = signer.sign(method, parts.path, parts.netloc, told, body.encode())
    del headers["@target-uri"]
    return {**same, "headers": {**headers, "content-digest": digest}}


given = json.load(sys.stdin)
json.dump(
    {
        "verified": [verified(request, given["publicPem"]) for request in given["requests"]],
        "signed": [signed(request, given["privatePem"], given["keyId"]) for request in given["requests"]],
    },
    sys.stdout,
)
