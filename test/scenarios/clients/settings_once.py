"""Hooks of schemathesis that find the settings of each operation fast, and once: they do not change during a run.

Schemathesis computes them several times for each request, and then compares the operation with each part of its
configuration. With a part for each route, that took 70 % of its CPU time.
"""

from functools import cache

from requests import sessions
from schemathesis.config import ProjectConfig
from schemathesis.core import transport
from schemathesis.filters import FilterSet
from schemathesis.specs.openapi import checks
from schemathesis.specs.openapi.adapter import responses


def once(compute):
    """Keeps the results for operations. A run has one project, so its settings are not part of the key."""
    results = {}

    def computed(project, *, operation=None, **others):
        if operation is None:
            return compute(project, operation=operation, **others)
        key = (operation.label, *sorted(others.items()))
        if key not in results:
            results[key] = compute(project, operation=operation, **others)
        return results[key]

    return computed


for name in ("generation_for", "phases_for", "checks_config_for"):
    setattr(ProjectConfig, name, once(getattr(ProjectConfig, name)))


def by_name(applies_to):
    """Compares names: each part of the configuration is for the operation of one name."""
    names = {}

    def name_of(filters):
        matchers = [matcher for one in filters._includes for matcher in one.matchers]
        is_plain = len(matchers) == 1 and matchers[0].attribute == "label" and not filters._excludes
        return matchers[0].criterion if is_plain else None

    def applied(filters, operation):
        # The entry keeps its filters, whose id is therefore not that of others.
        known = names.get(id(filters)) or names.setdefault(id(filters), (filters, name_of(filters)))
        return known[1] == operation.label if isinstance(known[1], str) else applies_to(filters, operation)

    return applied


FilterSet.applies_to = by_name(FilterSet.applies_to)
# Otherwise each request looks for a file of passwords, and for a proxy among all variables of the environment.
sessions.get_netrc_auth = lambda *_, **__: None
sessions.get_environ_proxies = lambda *_, **__: {}
# The codes that a pattern such as 2XX stands for; callers only read the lists.
codes = cache(transport.expand_status_code)
for module in (transport, checks, responses):
    module.expand_status_code = codes
