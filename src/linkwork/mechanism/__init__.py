"""The model as given: elements with names, in SI units, validated; plain data.

Read mechanism.py (the data), then checks.py (what must fit together), wording.py (failed validations as sentences),
registration.py (kinds of elements from other packages).
"""

from linkwork.mechanism.mechanism import GROUND, Mechanism
from linkwork.mechanism.wording import checked

__all__ = ["GROUND", "Mechanism", "checked"]
