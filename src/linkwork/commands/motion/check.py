"""`linkwork check`: the account of coordinates, equations and degrees of freedom."""

from __future__ import annotations

from dataclasses import asdict

from linkwork.commands.answer import answering
from linkwork.commands.application import JsonOption, ModelArgument, SetOption, app, read_model
from linkwork.commands.tables import print_facts
from linkwork.view.summary import account_facts


@app.command(epilog="Example: linkwork check slider-crank")
def check(model: ModelArgument, settings: SetOption = None, as_json: JsonOption = False) -> None:
    """Count coordinates, equations and degrees of freedom; name redundant equations."""
    with answering("check", as_json, model) as answer:
        found = read_model(model, settings).check()
        facts = asdict(found)
        answer.warn(*facts.pop("notes"))
        answer |= facts
        if not as_json:
            papers = found.papers
            print_facts(model, [
                *account_facts(found),
                *((f"flexible '{name}'", account or "modal data as given") for name, account in found.flexible.items()),
                ("counted as in P5", f"{papers['coordinates']} coordinates, {papers['equations']} equations, "
                                     f"{papers['redundant']} redundant"),
                *(("warning", note) for note in found.notes),
            ])  # fmt: skip
