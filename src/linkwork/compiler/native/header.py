"""The C header of a native library, made of its manifest: records, structures, and a typed function for each kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from linkwork.compiler.native.manifest import Export, Manifest

NUMBERS = {
    "d": "double", "q": "int64_t", "?": "uint8_t", "D": "lw_complex", "v": "void", "l": "int64_t", "i": "int32_t",
    "B": "uint8_t",
}  # fmt: skip
FORMATS = {
    "f8": "double", "f4": "float", "i8": "int64_t", "i4": "int32_t", "i2": "int16_t", "i1": "int8_t", "u1": "uint8_t",
    "b1": "uint8_t", "c16": "lw_complex",
}  # fmt: skip

TOP = """\
/* The kernels of linkwork {version} for {machine} ({cpu}), {compiler}.  Written by linkwork.compiler.build.

   A kernel reads tables (lw_System), a state and a workspace (lw_Work), allocates nothing, and returns a status.  An
   array is described by an lw_array: contiguous, C order.  A structure is such descriptions side by side.  A stage is
   passed as its address, `lw_stage_...`; what it takes is said where the kernel is declared (integrators/stages.py).
*/
#ifndef LINKWORK_KERNELS_H
#define LINKWORK_KERNELS_H
#include <stdint.h>

typedef struct {{ double real, imag; }} lw_complex;
typedef void lw_function(void);
typedef union {{ double real; int64_t whole; const void *at; }} lw_word;
"""
ARRAY = """\
typedef struct {{
    void *unused[2];
    int64_t size, item_size; /* how many, and bytes of one */
    void *data;
    int64_t shape[{axes}], strides[{axes}]; /* of the axes: lengths, and bytes from one to the next */
}} lw_array{axes};
"""

KERNEL_TABLE = """\
/* The kernels of a library by name.  Written by linkwork.compiler.build. */
#include <string.h>

#include "instance.h"

static const struct {{ const char *name; lw_function *kernel; }} table[] = {{
{lines}}};
const char *const library_name = "{name}";

void *kernel_address(const char *name) {{
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (!strcmp(name, table[k].name)) return (void *)table[k].kernel;
    return NULL;
}}
"""

C_WORDS = {
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float",
    "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof",
    "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while",
}  # fmt: skip


def header(manifest: Manifest, names: Mapping[str, str]) -> str:
    """The text; `names`: how the records are called in the house, by their names in the manifest."""
    known = {code: f"lw_{names.get(code, code.replace(' ', '_'))}" for code in manifest.records}
    top = TOP.format(**{key: getattr(manifest, key) for key in ("version", "machine", "cpu", "compiler")})
    arrays = (ARRAY.format(axes=axes) for axes in range(1, 5))
    records = (_record(known[code], content) for code, content in manifest.records.items())
    structures = (_structure(name, fields, known) for name, fields in manifest.structures.items())
    functions = (_function(export, known) for export in manifest.exports)
    return "\n".join([top, "".join(arrays), *records, *structures, *functions, "#endif\n"])


def kernel_table(name: str, stages: Iterable[str]) -> str:
    """C that finds a kernel by its name, and the name of the library: what a model out of a file asks for."""
    return KERNEL_TABLE.format(name=name, lines="".join(f'    {{"{stage}", {stage}}},\n' for stage in stages))


def _record(name: str, content: Any) -> str:
    """A struct of the same layout, checked by the C compiler."""
    return f'typedef {_fields(content)} {name};\n_Static_assert(sizeof({name}) == {content["itemsize"]}, "{name}");\n'


def _fields(content: Any) -> str:
    lines, at, gaps = [], 0, 0
    for field, form, offset in zip(content["names"], content["formats"], content["offsets"], strict=True):
        if offset > at:
            lines.append(f"uint8_t gap{gaps}[{offset - at}];")
            gaps += 1
        kind, shape = form if isinstance(form, list) else (form, [])
        item = _fields(kind) if isinstance(kind, dict) else FORMATS[kind[1:]]
        lines.append(f"{item} {_c_name(field)}{''.join(f'[{n}]' for n in shape)};")
        count = 1
        for n in shape:
            count *= n
        at = offset + count * (kind["itemsize"] if isinstance(kind, dict) else int(kind[2:]))
    if content["itemsize"] > at:
        lines.append(f"uint8_t gap{gaps}[{content['itemsize'] - at}];")
    return "struct {\n    " + "\n    ".join(lines) + "\n}"


def _c_name(name: str) -> str:
    """A word of C gets an underscore."""
    return f"{name}_" if name in C_WORDS else name


def _structure(name: str, fields: list[list[str]], known: Mapping[str, str]) -> str:
    lines = [f"lw_array{code.count(':')} {field}; /* {_held(code, known)} */" for field, code in fields]
    return "typedef struct {\n    " + "\n    ".join(lines) + f"\n}} {_structure_name(name)};\n"


def _structure_name(code: str) -> str:
    return f"lw_{code.replace(' ', '_')}"


def _held(code: str, known: Mapping[str, str]) -> str:
    held = code.partition("[")[0]
    return known.get(held) or NUMBERS[held]


def _function(export: Export, known: Mapping[str, str]) -> str:
    """Its stage; and where it is called from outside, a function of typed arguments that packs them."""
    declared = f"extern lw_function {export.stage}; /* {export.kernel} */\n"
    if export.call is None:
        return declared
    taken, words = [], []
    for name, code in zip(export.names, export.arguments, strict=True):
        name = _c_name(name)
        kind, word = _argument(code, known)
        taken.append(f"{kind}{name}")
        words.append(f"{{.{word} = {name}}}")
    count = len(export.returns)
    result = NUMBERS[export.returns[0]]
    short = export.call.removeprefix("lw_")
    if result != "void":
        taken.append(f"{result} *result")
    head = f"static inline int32_t lw_call_{short}({', '.join(taken)})"
    passed = "result" if result != "void" else "nothing"
    nothing = "" if result != "void" else "    int64_t nothing[1];\n"
    several = f" /* result: {count} numbers */" if count > 1 else ""
    return (
        f"{declared}int32_t {export.call}(void *result, const lw_word *arguments);\n"
        f"{head} {{{several}\n{nothing}    const lw_word arguments[] = {{{', '.join(words)}}};\n"
        f"    return {export.call}({passed}, arguments);\n}}\n"
    )


def _argument(code: str, known: Mapping[str, str]) -> tuple[str, str]:
    """The C type of an argument, and the member of the word that it becomes."""
    if code.endswith("]"):
        return f"const lw_array{code.count(':')} *", "at"
    if code.startswith("stage"):
        return "lw_function *", "at"
    if len(code) == 1:
        return f"{NUMBERS[code]} ", "real" if code == "d" else "whole"
    return f"const {_structure_name(code)} *", "at"
