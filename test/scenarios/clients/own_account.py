"""Users' own settings, with Mastodon.py, unmodified: own_account.py URL TOKEN_ALICE TOKEN_BOB.

Prints one line of JSON when everything held; any failed step raises.
"""

import base64
import json
import sys

from arrival import until
from mastodon import Mastodon


def filters_of_both_generations(alice, bob):
    old = alice.filter_create("old cats", ["home", "public"], irreversible=False, whole_word=True, expires_in=3600)
    assert alice.filter(old["id"])["phrase"] == "old cats"
    assert alice.filter_update(old["id"], phrase="older cats", context=["home"])["context"] == ["home"]
    assert alice.filter_update(old["id"], whole_word=False)["phrase"] == "older cats"
    new = alice.create_filter_v2("dogs", ["home", "thread"], "warn", 3600, [{"keyword": "dog", "whole_word": True}])
    assert [word["keyword"] for word in new["keywords"]] == ["dog"], new
    word = alice.add_filter_keyword_v2(new["id"], "puppy", whole_word=True)
    assert {one["keyword"] for one in alice.filter_keywords_v2(new["id"])} == {"dog", "puppy"}
    alice.delete_filter_keyword_v2(word["id"])
    alice.update_filter_v2(new["id"], title="all dogs", keywords_attributes=[{"keyword": "hound", "whole_word": False}])
    seen = alice.filter_v2(new["id"])
    assert (seen["title"], len(seen["keywords"])) == ("all dogs", 2), seen
    assert {one["id"] for one in alice.filters_v2()} >= {new["id"]}
    status = bob.status_post("a dog and a hound")
    named = alice.add_filter_status_v2(new["id"], status["id"])
    assert [one["status_id"] for one in alice.filter_statuses_v2(new["id"])] == [status["id"]]
    in_home = lambda: [one for one in alice.timeline_home() if one["id"] == status["id"]]
    shown = until("the followed one's post in the home timeline", in_home)[0]
    assert [match["filter"]["title"] for match in shown["filtered"]] == ["all dogs"], shown["filtered"]
    alice.delete_filter_status_v2(named["id"])
    alice.delete_filter_v2(new["id"])
    alice.filter_delete(old["id"])
    assert alice.filters() == [] and alice.filters_v2() == []


def people_and_domains(alice, bob, bob_id):
    assert alice.account_note_set(bob_id, "met in Rome")["note"] == "met in Rome"
    assert alice.account_endorse(bob_id)["endorsed"] is True
    assert [one["id"] for one in alice.endorsements()] == [bob_id]
    assert alice.account_unendorse(bob_id)["endorsed"] is False
    assert alice.account_familiar_followers([bob_id])[0]["accounts"] == []
    bob_follows = bob.account_follow(alice.me()["id"])
    assert bob_follows["following"] is True
    assert alice.account_remove_from_followers(bob_id)["followed_by"] is False
    alice.domain_block("bad.example")
    assert list(alice.domain_blocks()) == ["bad.example"]
    alice.domain_unblock("bad.example")
    assert list(alice.domain_blocks()) == []


def own_profile(alice):
    tag = alice.featured_tag_create("birds")
    assert [one["name"] for one in alice.featured_tags()] == ["birds"]
    assert alice.account_featured_tags(alice.me()["id"])[0]["id"] == tag["id"]
    alice.featured_tag_delete(tag["id"])
    alice.featured_tag_suggestions()
    changed = alice.account_update_credentials(
        display_name="Alice", note="hi", bot=True, discoverable=True, fields=[("site", "https://example.org")]
    )
    assert (changed["bot"], changed["source"]["fields"][0]["value"]) == (True, "https://example.org")
    assert alice.profile()["display_name"] == "Alice"
    assert alice.profile_update(display_name="A.", show_media=False)["show_media"] is False
    assert alice.preferences()["posting:default:visibility"] == "public"


# Keys of a browser: RFC 8291 appendix A.
PUSH_KEYS = {
    "pubkey": base64.urlsafe_b64decode(
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4="
    ),
    "auth": base64.urlsafe_b64decode("BTBZMqHH6r4Tts7J_aSIgg=="),
}


def push_subscription(alice):
    made = alice.push_subscription_set("https://push.example/1", PUSH_KEYS, mention_events=True, policy="followed")
    assert made["alerts"]["mention"] is True and made["policy"] == "followed"
    assert alice.push_subscription()["id"] == made["id"]
    assert alice.push_subscription_update(poll_events=True)["alerts"]["poll"] is True
    alice.push_subscription_delete()


def main(url, token_alice, token_bob):
    alice, bob = (Mastodon(access_token=token, api_base_url=url) for token in (token_alice, token_bob))
    bob_id = bob.me()["id"]
    assert alice.account_follow(bob_id)["following"] is True
    filters_of_both_generations(alice, bob)
    people_and_domains(alice, bob, bob_id)
    own_profile(alice)
    push_subscription(alice)
    print(json.dumps({"ok": True}))


if __name__ == "__main__":
    main(*sys.argv[1:])
