"""Verifies and makes signatures with apsig. Reads a JSON object, prints one: see other-verifiers.test.ts.

apsig knows neither @target-uri nor Content-Digest; both reach it as headers.
"""

import base64
import hashlib
import json
import sys
from urllib.parse import urlparse

from apsig.draft.sign import Signer
from apsig.draft.verify import Verifier
from apsig.rfc9421 import RFC9421Signer, RFC9421Verifier
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key


def verified(request, public_pem):
    method, url, headers, body = (request[name] for name in ("method", "url", "headers", "body"))
    if request["scheme"] == "cavage":
        return Verifier(public_pem, method, url, headers, body.encode()).verify(raise_on_fail=True)
    parts = urlparse(url)
    key = load_pem_public_key(public_pem.encode())
    told = {**headers, "@target-uri": url}
    return RFC9421Verifier(key, method, parts.path, parts.netloc, told).verify(raise_on_fail=True)


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
