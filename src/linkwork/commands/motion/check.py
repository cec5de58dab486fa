"""`linkwork check`: the account of coordinates, equations and freedoms."""

from __future__ import annotations

from linkwork.commands.answer import JsonOption, ModelArgument, SetOption, answering, app, print_table, read_model


@app.command(epilog="Example: linkwork check slider-crank")
def check(model: ModelArgument, settings: SetOption = None, as_json: JsonOption = False) -> None:
    """Account for coordinates, equations, freedoms; name redundant equations."""
    from dataclasses import asdict

    with answering("check", as_json, model) as answer:
        found = read_model(model, settings).check()
        facts = asdict(found)
        answer["warnings"] = facts.pop("notes")
        answer |= facts
        if not as_json:
            redundant = [
                (
                    "redundant",
                    f"{r.element}: {r.equation}"
                    + (f" (shared with {', '.join(r.shared_with)})" if r.shared_with else ""),
                )
                for r in found.redundant
            ]
            papers = found.papers
            rows = [
                ("bodies, joints, loops", f"{found.bodies}, {found.joints}, {found.loops}"),
                ("coordinates, velocities", f"{found.coordinates}, {found.velocities} (absolute)"),
                ("equations, rank", f"{found.equations}, {found.rank}"),
                ("degrees of freedom", f"{found.dof} (velocities - equations = {found.gruebler})"),
                *redundant,
                ("cut in joint coordinates", ", ".join(found.cut) or "none"),
                *((f"flexible '{name}'", account or "modal data as given") for name, account in found.flexible.items()),
                ("counted as in P5", f"{papers['coordinates']} coordinates, {papers['equations']} equations, "
                                     f"{papers['redundant']} redundant"),
                *(("warning", note) for note in found.notes),
            ]  # fmt: skip
            print_table(model, rows)
