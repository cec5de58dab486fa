"""Elements from other packages: modules named by entry points of the group "linkwork.elements" register them.

In the pyproject.toml of such a package:

    [project.entry-points."linkwork.elements"]
    slotted-pin = "my_package.slotted_pin"
    magnet = "my_package.magnet:MAGNETS"

Importing a module that registers something is enough; a family that is named itself is registered.  This happens when a
name is met that is not known otherwise.
"""

from __future__ import annotations

from functools import cache

from linkwork.errors import ModelError

GROUP = "linkwork.elements"


@cache
def load_plugins() -> tuple[object, ...]:
    """Import what the entry points name, once: modules, or objects in them."""
    from importlib.metadata import entry_points  # 0.05 s: only where a name is not known

    found = []
    for point in entry_points(group=GROUP):
        try:
            found.append(point.load())
        except (ImportError, AttributeError) as failure:
            raise ModelError(f"plugin '{point.name}' ({point.value}): {failure}; fix or uninstall it") from failure
    return tuple(found)
