"""Verifies requests as a strict server does: with apsig, and by what their signatures must cover.

Reads a JSON list of {scheme, method, url, headers, body, publicPem}, prints the list of their key ids. Fails at the first
request that is not good. apsig knows neither @target-uri nor Content-Digest; both reach it as headers.
"""

import base64
import hashlib
import json
import re
import sys
from urllib.parse import urlparse

from apsig.draft.verify import Verifier
from apsig.rfc9421 import RFC9421Verifier
from cryptography.hazmat.primitives.serialization import load_pem_public_key

# The parts that a signature must cover, without and with a body (draft-cavage §2.3 as Mastodon demands; RFC 9421 §7.2.1).
COVERED = {
    "cavage": ({"(request-target)", "host", "date"}, {"digest"}),
    "rfc9421": ({"@method", "@target-uri"}, {"content-digest"}),
}


def covered(request):
    """Returns the names of the signed parts."""
    headers = request["headers"]
    if request["scheme"] == "cavage":
        return set(re.search(r'headers="([^"]*)"', headers["signature"])[1].split())
    return set(re.findall(r'"([^"]+)"', re.search(r"\(([^)]*)\)", headers["signature-input"])[1]))


def verified(request, public_pem):
    """Returns the key id of a good signature. Raises an error otherwise."""
    method, url, headers, body = (request[name] for name in ("method", "url", "headers", "body"))
    always, with_body = COVERED[request["scheme"]]
    missing = always.union(with_body if body else ()) - covered(request)
    if missing:
        raise ValueError(f"{method} {url}: not signed: {missing}")
    if request["scheme"] == "cavage":
        return Verifier(public_pem, method, url, headers, body.encode()).verify(raise_on_fail=True)
    digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
    if body and headers["content-digest"] != f"sha-256=:{digest}:":
        raise ValueError(f"{method} {url}: another body was signed")
    parts = urlparse(url)
    key = load_pem_public_key(public_pem.encode())
    told = {**headers, "@target-uri": url}
    return RFC9421Verifier(key, method, parts.path, parts.netloc, told).verify(raise_on_fail=True)


if __name__ == "__main__":
    json.dump([verified(request, request["publicPem"]) for request in json.load(sys.stdin)], sys.stdout)
