"""The page of a study: its table and a plot of any two numbers; a click on a run shows its mechanism in motion.

The page carries the viewer once and the scenes of the runs that it can show; a run is put into a frame of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import OptionError
from linkwork.output_files import output_file, writing
from linkwork.results.result import Result
from linkwork.view.html import escaped
from linkwork.view.page.page import SUFFIXES, filled, in_script, page_parts, source
from linkwork.view.scene.run_scene import scene_of

if TYPE_CHECKING:
    from linkwork.studies.found import Study

MOST_ROWS = 5000  # of the table in the page
PER_RUN = ("content", "block")  # parts of the viewer that differ from run to run


def write_study_page(study: Study, results: Mapping[int, Result], path: str | Path) -> Path:
    """Write the page; `results`: the runs that it can show in motion, by their number."""
    if not results:
        raise OptionError("the page of a study needs at least one run to show", element="page")
    target = output_file(path, "the page", SUFFIXES)
    parts = {run: page_parts([scene_of(result, loads=False)]) for run, result in results.items()}
    shared = {name: text for name, text in next(iter(parts.values())).items() if name not in PER_RUN}
    names = [*study.varied, *study.outputs]
    rows = np.linspace(0, len(study.run) - 1, min(len(study.run), MOST_ROWS)).astype(int)
    units = study.varied_units | study.units
    content = {
        "viewer": filled(source("page.html"), shared),
        "runs": {str(run): {name: own[name] for name in PER_RUN} for run, own in parts.items()},
        "count": len(study.run), "varied": len(study.varied),
        "names": names, "units": [units.get(name, "") for name in names],
        "rows": [
            {"run": int(study.run[k]), "status": str(study.status[k]), "message": str(study.message[k]),
             "values": [_plain(study[name][k]) for name in names]}
            for k in rows
        ],
    }  # fmt: skip
    title = f"{study.model}: {len(study.run)} of {study.planned} runs"
    text = filled(source("study.html"), {"title": escaped(title), "study": in_script(content)})
    with writing(target):
        target.write_text(text, encoding="utf-8")
    return target


def runs_to_show(study: Study, most: int) -> list[int]:
    """The runs that a page can show: all, or of many those with the least and greatest outputs and some in between."""
    good = np.flatnonzero(study.status != "failed")
    if len(good) <= most:
        return [int(run) for run in study.run[good]]
    numbers = [values for values in study.outputs.values() if np.isfinite(values).any()]
    extremes = [k for values in numbers for k in (np.nanargmin(values), np.nanargmax(values))]
    between = good[np.linspace(0, len(good) - 1, most).astype(int)]
    chosen = list(dict.fromkeys([*extremes, *between]))[:most]
    return sorted(int(study.run[k]) for k in chosen)


def _plain(value: object) -> object:
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else None
    return str(value)
