"""The channels of loads and numbers, registered: to import this module is enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.lazy_import import lazy_functions
from linkwork.results.channels import register_channels

if TYPE_CHECKING:
    from linkwork.analyses.loads.channels import load_channels
    from linkwork.analyses.loads.number_channels import number_channels
else:  # what a simulation does not need loads when it is used
    (load_channels,) = lazy_functions("linkwork.analyses.loads.channels", "load_channels")
    (number_channels,) = lazy_functions("linkwork.analyses.loads.number_channels", "number_channels")

register_channels(load_channels)
register_channels(number_channels)
