"""Waits for effects after an answer: a post reaches its readers' homes and streams after its author has the answer."""

import time

ARRIVAL_SECONDS = 60


def until(what, probe):
    """Returns the first true value of probe(). Raises AssertionError when there is none in time."""
    deadline = time.monotonic() + ARRIVAL_SECONDS
    while time.monotonic() < deadline:
        value = probe()
        if value:
            return value
        time.sleep(0.1)
    raise AssertionError(f"not in {ARRIVAL_SECONDS} s: {what}")
