"""The main scenario, with Mastodon.py, unmodified: scenario.py URL_A URL_B EMAIL_ALICE EMAIL_BOB PASSWORD.

Alice works on node A, Bob on node B. Prints one line of JSON when everything held; any failed step raises.
"""

import json
import os
import sys

from arrival import until
from mastodon import Mastodon, StreamListener

SCOPES = ["read", "write", "follow", "push"]


def log_in(url, email, password):
    client_id, client_secret = Mastodon.create_app("scenario.py", api_base_url=url, scopes=SCOPES)
    client = Mastodon(client_id=client_id, client_secret=client_secret, api_base_url=url)
    # The servers of this scenario run on loopback, without TLS.
    client.log_in(email, password, scopes=SCOPES, allow_http=True)
    return client


class Listener(StreamListener):
    def __init__(self):
        self.updates = []
        self.notifications = []

    def on_update(self, status):
        self.updates.append(status["id"])

    def on_notification(self, notification):
        self.notifications.append(notification["type"])


def main(url_a, url_b, email_alice, email_bob, password):
    alice, bob = log_in(url_a, email_alice, password), log_in(url_b, email_bob, password)
    alice_account, bob_account = alice.account_verify_credentials(), bob.account_verify_credentials()
    listener, alice_listener = Listener(), Listener()
    streams = [bob.stream_user(listener, run_async=True), alice.stream_user(alice_listener, run_async=True)]
    until("both streams are open", lambda: all(stream.is_receiving() for stream in streams))

    assert bob.account_follow(alice_account)["following"] is True
    posted = [alice.status_post(f"hello, {v}", visibility=v) for v in ("public", "unlisted", "private")]
    posted.append(alice.status_post(f"@{bob_account['username']} psst", visibility="direct"))
    assert [status["visibility"] for status in posted] == ["public", "unlisted", "private", "direct"]
    again = [alice.status_post("once only", idempotency_key="k1")["id"] for _ in range(2)]
    assert again[0] == again[1]
    wanted = [again[0]] + [status["id"] for status in reversed(posted)]
    until("every post in the follower's stream", lambda: set(wanted) <= set(listener.updates))
    assert len(listener.updates) == len(set(listener.updates)), "a status was streamed twice"

    page, paged = bob.timeline_home(limit=2), []
    while page and len(paged) < len(wanted):
        paged += [status["id"] for status in page]
        page = bob.fetch_next(page)
    assert paged[: len(wanted)] == wanted, f"home paged by Link: {paged} instead of {wanted}"

    reply = bob.status_reply(posted[0], "well said")
    assert bob.status_favourite(posted[0])["favourited"] is True
    assert bob.status_reblog(posted[0])["reblog"]["id"] == posted[0]["id"]
    assert [s["id"] for s in alice.status_context(posted[0])["descendants"]] == [reply["id"]]
    counted = alice.status(posted[0])
    assert (counted["favourites_count"], counted["reblogs_count"], counted["replies_count"]) == (1, 1, 1)
    told = {"follow", "mention", "favourite", "reblog"}
    until("all notifications", lambda: told <= {n["type"] for n in alice.notifications()})
    until("all notifications in the stream", lambda: told <= set(alice_listener.notifications))
    assert posted[0]["id"] in [status["id"] for status in bob.timeline_public(limit=40)]

    friends = bob.list_create("friends")
    bob.list_accounts_add(friends, [alice_account])
    assert [a["id"] for a in bob.list_accounts(friends)] == [alice_account["id"]]
    assert [a["id"] for a in bob.account_lists(alice_account)] == [friends["id"]]
    assert posted[0]["id"] in [status["id"] for status in bob.timeline_list(friends, limit=40)]
    muted = bob.account_mute(alice_account, duration=3600)
    assert muted["muting"] is True and [a["id"] for a in bob.mutes()] == [alice_account["id"]]
    assert bob.timeline_list(friends) == []
    assert bob.account_unmute(alice_account)["muting"] is False and bob.mutes() == []
    bob.list_accounts_delete(friends, [alice_account])
    assert bob.timeline_list(friends) == [] and bob.list_accounts(friends) == []
    bob.list_delete(friends)
    assert bob.lists() == []

    bob.status_unfavourite(posted[0])
    bob.status_unreblog(posted[0])
    alice.status_delete(posted[0])
    until("the deleted status is gone", lambda: not_found(lambda: bob.status(posted[0])))
    assert bob.account_unfollow(alice_account)["following"] is False
    print(json.dumps({"ok": True, "updates": len(listener.updates)}), flush=True)
    # Closing a stream waits for its next heartbeat; the process ends instead.
    os._exit(0)


def not_found(call):
    from mastodon import MastodonNotFoundError

    try:
        call()
    except MastodonNotFoundError:
        return True
    return False


if __name__ == "__main__":
    main(*sys.argv[1:])
