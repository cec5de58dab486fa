"""`linkwork check`: the account of coordinates, equations and degrees of freedom."""

from __future__ import annotations

from dataclasses import asdict

from linkwork.commands.answer import answering
from linkwork.commands.application import JsonOption, ModelArgument, SetOption, app, read_model
from linkwork.commands.tables import print_tables


@app.command(epilog="Example: linkwork check slider-crank")
def check(model: ModelArgument, settings: SetOption = None, as_json: JsonOption = False) -> None:
    """Count degrees of freedom and name redundant equations."""
    with answering("check", as_json, model) as answer:
        found = read_model(model, settings).check()
        facts = asdict(found)
        facts.pop("model")
        answer.warn(*facts.pop("notes"))
        answer |= facts
        if not as_json:
            print_tables(found.tables())
