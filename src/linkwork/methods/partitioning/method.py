"""What the methods that partition have in common: their stages but one, and their options."""

from __future__ import annotations

from collections.abc import Mapping

from linkwork.compiler.kernels import Kernel
from linkwork.formulations.records import Option
from linkwork.methods.contract import Method, common_options
from linkwork.methods.partitioning.decisions import accept
from linkwork.methods.partitioning.partitioned import solve
from linkwork.methods.partitioning.printed_position import correct
from linkwork.methods.reasons import Basis

PARTITION = common_options("literal", "rank_cut", "constraint_tolerance")
CHOICE = PARTITION | common_options("better", "shrunk", "steady")
KEPT_BASIS = PARTITION | common_options("alpha_limit")
PROJECTION = KEPT_BASIS | common_options("corrected")
HYBRID = CHOICE | KEPT_BASIS | common_options(
    "leave_below", "return_above", "foresee_below",
    "changes", "window", "energy_jump", "collapse", "fades", "return_steps", "at_maximum",
)  # fmt: skip


def partitioning_method(
    name: str,
    title: str,
    factor: Kernel,
    basis: Basis,
    options: Mapping[str, Option] = PARTITION,
    other: Basis = Basis.NONE,
) -> Method:
    """A method whose `factor` builds the basis; one built at each position anew is dense, and mass-weighted there."""
    built_anew = basis in (Basis.SVD, Basis.GRAM_SCHMIDT)
    return Method(
        name, title, factor, solve, correct, accept, basis, other,
        dense=built_anew, mass_weighted=built_anew, options=options,
    )  # fmt: skip
