"""Hooks of schemathesis that compute the settings of each operation once: they do not change during a run.

Schemathesis computes them several times for each request, and then compares the operation with each part of its
configuration. With a part for each route, that took 70 % of its CPU time.
"""

from schemathesis.config import ProjectConfig


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
