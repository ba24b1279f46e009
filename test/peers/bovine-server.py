"""A bovine-herd server with one person, fred, who accepts every follow. It prints what it receives, one JSON text a line.

usage: python bovine-server.py KEY CERTIFICATE (files of its TLS; SSL_CERT_FILE names the authority of others). Lines on
standard input send activities to the actor at ADDRESS: `follow ADDRESS`, `like ADDRESS STATUS`,
`post|edit|delete ADDRESS NUMBER TEXT` about fred's status NUMBER. bovine-herd leaves decisions to clients; this program
decides for fred, and the packages store, sign, verify, send and answer.
"""

import asyncio
import json
import logging
import os
import socket
import sys
import tempfile
from datetime import datetime, timezone

FRED = "fred"
PUBLIC = "https://www.w3.org/ns/activitystreams#Public"
SECURITY = "https://w3id.org/security#"

[_, key_path, certificate_path] = sys.argv

folder = tempfile.TemporaryDirectory(prefix="murmuration-bovine-")
os.chdir(folder.name)  # bovine opens its cache of JSON-LD contexts in the current folder when it is imported.

from bovine.jsonld import jsonld_cache  # noqa: E402
from bovine_herd import BovineHerd  # noqa: E402
from bovine_process import handle_outbox_item, process_inbox_item, process_outbox_item  # noqa: E402
from bovine_process.types import ProcessingItem  # noqa: E402
from bovine_store import BovineAdminStore  # noqa: E402
from hypercorn.asyncio import serve  # noqa: E402
from hypercorn.config import Config  # noqa: E402
from quart import Quart  # noqa: E402

# The contexts that bovine would fetch; no test leaves this machine. Only these terms occur in documents of the tests.
jsonld_cache.add(
    "https://w3id.org/security/v1",
    {
        "id": "@id",
        "type": "@type",
        "publicKey": {"@id": f"{SECURITY}publicKey", "@type": "@id"},
        "publicKeyPem": f"{SECURITY}publicKeyPem",
        "owner": {"@id": f"{SECURITY}owner", "@type": "@id"},
    },
)
for unused in ("https://www.w3.org/ns/did/v1", "https://w3id.org/security/multikey/v1"):
    jsonld_cache.add(unused, [])

listener = socket.create_server(("127.0.0.1", 0))
port = listener.getsockname()[1]
app = Quart(__name__)
fred = None
posted = {}


def say(**what):
    print(json.dumps(what), flush=True)


class FailedSending(logging.Handler):
    """bovine only logs what it failed to send."""

    def emit(self, record):
        say(type="error", message=record.getMessage())


logging.getLogger("bovine_process.send_item").addHandler(FailedSending(logging.WARNING))


def id_of(value):
    return value.get("id") if isinstance(value, dict) else value


async def send(kind, target, **more):
    data = {
        "@context": "https://www.w3.org/ns/activitystreams",
        "type": kind,
        "actor": fred.actor_id,
        "to": [target],
        "cc": [],
        **more,
    }
    item = await handle_outbox_item(ProcessingItem(fred.actor_id, data), fred)
    await process_outbox_item(item, fred)
    return item.data


async def received(item, actor):
    """Processes one activity as the packages do by default, and says what their store contains afterwards."""
    done = await process_inbox_item(item, actor)
    if done is None:
        return say(type="error", message=f"failed to process {json.dumps(item.data)}")
    kind, about = done.data["type"], done.data.get("object")
    if kind == "Follow":
        await send("Accept", done.submitter, object=done.data["id"])
    stored = await actor.retrieve(id_of(about), skip_fetch=True) or {}
    say(
        type=kind,
        object=id_of(about),
        of=stored.get("type"),
        kind=stored.get("type"),
        content=stored.get("content"),
    )


async def start_received(item, actor):
    app.add_background_task(received, item, actor)


BovineHerd(app, start_background_task_inbox=start_received, db_url=f"sqlite://{folder.name}/bovine.sqlite3")


@app.before_serving
async def register():
    global fred
    name = await BovineAdminStore(domain=f"https://127.0.0.1:{port}").register(FRED)
    fred = await app.config["bovine_store"].actor_for_name(name)
    app.add_background_task(commands)
    say(type="listens", port=port)


def note(number, text):
    note = posted.setdefault(number, {"published": datetime.now(timezone.utc).isoformat()})
    addressed = {"to": [PUBLIC], "cc": [fred.actor_object.followers]}
    return {**note, "type": "Note", "attributedTo": fred.actor_id, "content": text, **addressed}


async def obey(verb, address, number="", *words):
    text = " ".join(words)
    public = {"cc": [address, PUBLIC]}
    if verb == "follow":
        await send("Follow", address, object=address)
    elif verb == "like":
        await send("Like", address, object=number)
    elif verb == "post":
        created = await send("Create", address, object=note(number, text), **public)
        posted[number]["id"] = id_of(created["object"])
    elif verb == "edit":
        updated = datetime.now(timezone.utc).isoformat()
        await send("Update", address, object={**note(number, text), "updated": updated}, **public)
    elif verb == "delete":
        await send("Delete", address, object=posted[number]["id"], **public)


async def commands():
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        try:
            await obey(*line.decode().split())
        except Exception as error:
            say(type="error", message=repr(error))


config = Config()
config.bind = [f"fd://{listener.fileno()}"]
config.keyfile = key_path
config.certfile = certificate_path
config.loglevel = "WARNING"
config.graceful_timeout = 1
asyncio.run(serve(app, config))
folder.cleanup()
