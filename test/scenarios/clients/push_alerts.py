"""Alerts of a mention, with Mastodon.py, unmodified: push_alerts.py URL ALICE_OLD ALICE_NEW BOB (three tokens).

One client of alice subscribes with the encoding that Mastodon.py knows, the other with the standard one. Prints one
line of JSON when everything held; any failed step raises.
"""

import json
import sys

import requests
from mastodon import Mastodon
from push_service import PushService, base64url, claims, decrypted, private_key_of


def main(url, token_old, token_new, token_bob):
    old, bob = (Mastodon(access_token=token, api_base_url=url) for token in (token_old, token_bob))
    service = PushService()
    old_private, old_public = old.push_subscription_generate_keys()
    made = old.push_subscription_set(f"{service.url}/old", old_public, mention_events=True)
    assert made["standard"] is False and made["alerts"]["mention"] is True, made
    new_private, new_public = old.push_subscription_generate_keys()
    answer = requests.post(
        f"{url}/api/v1/push/subscription",
        headers={"Authorization": f"Bearer {token_new}"},
        # Mastodon.py does not send its parameter `standard`.
        json={
            "subscription": {
                "endpoint": f"{service.url}/new",
                "keys": {"p256dh": base64url(new_public["pubkey"]), "auth": base64url(new_public["auth"])},
                "standard": True,
            },
            "data": {"alerts": {"mention": True, "favourite": False}, "policy": "all"},
        },
        timeout=60,
    )
    assert answer.status_code == 200 and answer.json()["standard"] is True, answer.text
    server_key = old.instance_v2()["configuration"]["vapid"]["public_key"]
    status = bob.status_post(f"@{old.me()['acct']} look, a murmuration", visibility="public")
    texts = {}
    for _ in range(2):
        path, headers, body = service.next()
        claims(headers, service.url, server_key)
        assert len(body) <= 4096 and int(headers["ttl"]) > 0, headers
        keys = old_private if path == "/old" else new_private
        texts[path] = decrypted(headers, body, private_key_of(keys["privkey"]), keys["auth"])
        if path == "/old":
            by_client = old.push_subscription_decrypt_push(body, keys, headers["encryption"], headers["crypto-key"])
            assert by_client["title"] == json.loads(texts[path])["title"], by_client
    (notification,) = [one for one in old.notifications() if one["type"] == "mention"]
    assert notification["status"]["id"] == status["id"]
    for path, token in (("/old", token_old), ("/new", token_new)):
        alert = json.loads(texts[path])
        assert alert["notification_type"] == "mention", alert
        assert str(alert["notification_id"]) == str(notification["id"]), alert
        assert alert["access_token"] == token, "clients find the account of an alert by its token"
        assert "ben" in alert["title"] and "murmuration" in alert["body"], alert
        assert alert["icon"].startswith("http") and alert["preferred_locale"], alert
    print(json.dumps({"ok": True, "alert": json.loads(texts["/new"])}))


if __name__ == "__main__":
    main(*sys.argv[1:])
