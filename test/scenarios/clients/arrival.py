"""Waits for what arrives behind an answer: a post reaches its readers' homes and streams after its author is answered."""

import time

ARRIVAL_SECONDS = 60


def until(what, probe):
    """The first value of probe() that is true. Raises AssertionError when none comes in time."""
    deadline = time.monotonic() + ARRIVAL_SECONDS
    while time.monotonic() < deadline:
        value = probe()
        if value:
            return value
        time.sleep(0.1)
    raise AssertionError(f"not in {ARRIVAL_SECONDS} s: {what}")
