"""A program for one structure: what the optimizer is told between its rounds.

While kernels are simplified, the arrays of a thread are globals, each an object of its own: the optimizer tells them
apart, and folds what nobody writes.  Then those of the entry become its local variables, which it splits into
registers where loops over bodies, joints and rows of known number are unrolled.  What several functions use stays in
memory, at the bottom of the thread's local memory.

A number that each simulation has its own stands in a constant table as the address of a symbol, which no optimizer
knows; wherever it is used in the end, the value takes its place.  All this is done on the text of the program.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from linkwork.compiler.gpu.entry import ITEM, text_of
from linkwork.compiler.gpu.known import WORD, Known, Memory, Place

FEW = 2048  # bytes that are stored word by word
FUNCTIONS = re.compile(r"^(?=define )", re.MULTILINE)
NAME = r"(?:room|table)\d+"
KIND = r"(?:i8|i32|i64|double|\[\d+ x i8\])"
ADDED = r"getelementptr (?:inbounds )?(?:nusw )?(?:nuw )?\({}, ptr @{}, i64 {}\)"
OFFSET = ADDED.format(KIND, NAME, r"-?\d+")
PARTS = re.compile(rf".*\(({KIND}), ptr @({NAME}), i64 (-?\d+)\)")
OFFSETS = re.compile(OFFSET)
PLACES = re.compile(  # within globals, and globals themselves
    "(" + ADDED.format(f"({KIND})", f"({NAME})", r"(-?\d+)") + r")|@([\w.]+)"
)
NAMED = re.compile(r"@([\w.]+)")
COMPUTED = re.compile(r"(?:ptrtoint|cast|getelementptr[\w ]*) (\([^()]*\))")
DEFINED = re.compile(r"^@([\w.]+) =(.*\n)", re.MULTILINE)
POINTER = rf"(?:@{NAME}|{OFFSET})"
GIVEN = re.compile(r"bitcast \(i64 ptrtoint \(ptr @given(\d+) to i64\) to double\)")
ORDERS: Mapping[str, Callable[[int, int], bool]] = {
    "ugt": operator.gt, "uge": operator.ge, "ult": operator.lt, "ule": operator.le, "eq": operator.eq,
    "ne": operator.ne,
}  # fmt: skip
COMPARED = re.compile(rf"icmp (?:samesign )?({'|'.join(ORDERS)}) ptr ({POINTER}), ({POINTER})$", re.MULTILINE)
APART = re.compile(
    rf"sub (?:nuw )?(?:nsw )?\(i64 ptrtoint \(ptr ({POINTER}) to i64\), i64 ptrtoint \(ptr ({POINTER}) to i64\)\)"
)
GLOBAL = re.compile(
    r"^@([\w.]+) = internal (?:\w+ )*global (<?\{.*?\}>?|\[.*?\]|i\d+|double|ptr) (.*?)(?:, align \d+)?$", re.MULTILINE
)
STRUCTURE = re.compile(r"^@(structure\d+) = internal (?:\w+ )*constant \{.*?\} \{ (.*) \}.*$", re.MULTILINE)
NOTES = r"(?:(?:align \d+|dereferenceable\(\d+\)|captures\(\w+\)|no\w+|readonly|writeonly) )*"  # known of an address
ZEROED = re.compile(
    rf"^ *(?:tail )?call void @llvm\.memset\.p0\.i64\(ptr {NOTES}(.+?), i8 0, i64 (\d+), i1 false\).*$", re.MULTILINE
)
COPIED = re.compile(
    rf"^ *(?:tail )?call void @llvm\.memcpy\.p0\.p0\.i64\(ptr {NOTES}(.+?), ptr {NOTES}(.+?), i64 (\d+), i1 false\).*$",
    re.MULTILINE,
)
WIDTHS = {"i8": 1, "i32": 4, "i64": 8, "double": 8}
COPY = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"


class Written(NamedTuple):
    """What a thread writes: an array by its bytes at the start, or one number by its type and value."""

    name: str
    kind: str
    value: str
    content: bytes

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self.content) or WORD

    @property
    def few(self) -> bool:
        """Whether it is filled word by word."""
        return len(self.content) <= FEW and len(self.content) % WORD == 0

    def begin(self, at: str) -> list[str]:
        """Lines that fill it with what it holds at the start."""
        if not self.content:
            return [f"  store {self.kind} {self.value}, ptr {at}"]
        if not self.few:
            return [f"  call void @llvm.memcpy.p0.p0.i64(ptr align 16 {at}, ptr align 16 @begun.{self.name}, "
                    f"i64 {self.size}, i1 false)"]  # fmt: skip
        words = (int.from_bytes(self.content[byte : byte + WORD], "little") for byte in range(0, self.size, WORD))
        lines = []
        for n, word in enumerate(words):
            lines += [f"  %{self.name}.w{n} = getelementptr i8, ptr {at}, i64 {WORD * n}",
                      f"  store i64 {word}, ptr %{self.name}.w{n}"]  # fmt: skip
        return lines

    @property
    def copy(self) -> str:
        """The constant that it is filled from, if there is one."""
        if self.few:
            return ""
        return f"\n@begun.{self.name} = internal constant {' '.join(text_of(self.content)[0])}, align 16\n"


# -- while arrays are globals ------------------------------------------------------------------------------------------
def plain(text: str) -> str:
    """A kernel's text without what the CPU's optimizer has noted about its loops."""
    return re.sub(r", !llvm\.loop !\d+", "", text)


def compared(text: str) -> str:
    """Comparisons of addresses, decided: arrays lie one behind the other, and do not overlap."""
    text = COMPARED.sub(lambda m: f"or i1 {str(ORDERS[m[1]](_at(m[2]), _at(m[3]))).lower()}, false", text)
    return APART.sub(lambda m: str(_at(m[1]) - _at(m[2])), text)


def _at(pointer: str) -> int:
    """An address, in an order that could be."""
    found = PARTS.fullmatch(pointer)
    kind, name, count = found.groups() if found else ("i8", pointer.removeprefix("@"), "0")
    number = int(re.sub(r"\D", "", name)) + (1 << 16 if name.startswith("table") else 0)
    return (number << 32) + int(count) * _width(kind)


def _width(kind: str) -> int:
    return WIDTHS.get(kind) or int(kind[1:].split(" ")[0])


# -- arrays as what they are -----------------------------------------------------------------------------------------
def with_local_arrays(text: str, known: Known) -> str:
    """Arrays that only the entry uses become its local variables."""
    head, functions, k = _split(text)
    written = {one.name: one for one in _written(head, known)}
    elsewhere = _named("".join([*functions[:k], *functions[k + 1 :], DEFINED.sub(r"\2", head)]))
    chosen = _named(functions[k]) & written.keys() - elsewhere - _computed(functions[k])
    own = [one for name, one in written.items() if name in chosen]
    functions[k] = _before(
        _as_locals(functions[k], own), "@begin_room(", [line for one in own for line in one.begin(f"%{one.name}")]
    )
    head = DEFINED.sub(lambda m: "" if m[1] in chosen else m[0], head)
    return _joined(head + "".join(one.copy for one in own), functions)


def with_placed_arrays(text: str, known: Known, place: Callable[[int], str] | None) -> tuple[str, int]:
    """Arrays that are left, at constant addresses, by the bytes before them; None: they stay where they are.

    And how many bytes they are.
    """
    head, functions, k = _split(text)
    size, begun, described = 0, [], STRUCTURE.findall(head)
    for one in _written(head, known):
        if not _uses("".join([*functions, *(content for _, content in described)]), one.name):
            continue
        at = f"@{one.name}"
        if place is not None:
            at = place(size)
            functions = [_renamed(function, one.name, at) for function in functions]
            described = [(name, _renamed(content, one.name, at)) for name, content in described]
            head = _without(head, one.name)
        begun += one.begin(at)
        head += one.copy
        size += -(-one.size // 16) * 16
    for name, content in described:
        if (
            place is not None and "addrspacecast" in content
        ):  # NVIDIA's compiler writes no such addresses into constants
            at, words = place(size), content.split(", ")
            functions = [_renamed(function, name, at) for function in functions]
            head = _without(head, name)
            for n, word in enumerate(words):
                begun += [f"  %{name}.w{n} = getelementptr i8, ptr {at}, i64 {WORD * n}",
                          f"  store {word}, ptr %{name}.w{n}"]  # fmt: skip
            size += -(-WORD * len(words) // 16) * 16
    functions[k] = _before(functions[k], "@begin_room(", begun)
    functions[k] = re.sub(r"^.*call void @begin_room\(\).*\n", "", functions[k], flags=re.MULTILINE)
    return _joined(head, functions), size


def with_numbers(text: str, known: Known) -> str:
    """Numbers of each simulation in the place of the symbols that stood for them.

    A table of which some are read at a place that is found only at run time, or in another function than the entry, is
    an array of the thread from here on, as others are.
    """
    head, functions, k = _split(text)
    values = {
        int(i): value for value, i in re.findall(r"call void @number_is\(double ([^ ]+), ptr @given(\d+)\)", text)
    }
    functions[k] = GIVEN.sub(lambda m: values[int(m[1])], functions[k])
    for n, function in enumerate(functions):
        needed = sorted({int(one) for one in GIVEN.findall(function)})
        loads = [f"  %given{i} = load double, ptr {_address(known.given[i])}" for i in needed]
        functions[n] = GIVEN.sub(r"%given\1", _at_its_start(function, loads) if loads else function)
    for memory in known.memories:
        rest = _without(head, memory.name)
        if memory.given:  # read by functions, or by way of a structure that has its address, or not at all
            head = rest + (_global(memory) if _uses("".join([rest, *functions]), memory.name) else "")

    def stored(call: re.Match[str]) -> str:
        place = known.given[int(call[2])]
        return (
            f"  store double {call[1]}, ptr {_address(place)}" if f"\n@{place.memory} = internal global" in head else ""
        )

    functions[k] = re.sub(
        r"^.*call void @number_is\(double ([^ ]+), ptr @given(\d+)\).*$", stored, functions[k], flags=re.MULTILINE
    )
    return _joined(re.sub(r"^@given\d+ = .*\n", "", head, flags=re.MULTILINE), functions)


def by_words(text: str) -> str:
    """Memory that is set to zero or copied, in words: NVIDIA's compiler would do it byte by byte."""
    numbers = iter(range(text.count("@llvm.mem")))

    def zeros(call: re.Match[str]) -> str:
        return "\n".join(_zeros(f"zero{next(numbers)}", call[1], int(call[2]))) if int(call[2]) % WORD == 0 else call[0]

    def copied(call: re.Match[str]) -> str:
        to, of, size = call[1], call[2], int(call[3])
        return "\n".join(_copied(f"copy{next(numbers)}", to, of, size)) if size % WORD == 0 else call[0]

    return COPIED.sub(copied, ZEROED.sub(zeros, text))


def _zeros(name: str, at: str, size: int) -> list[str]:
    return [line for n in range(size // WORD) for line in (
        f"  %{name}.{n} = getelementptr i8, ptr {at}, i64 {WORD * n}", f"  store i64 0, ptr %{name}.{n}, align 8",
    )]  # fmt: skip


def _copied(name: str, to: str, of: str, size: int) -> list[str]:
    return [line for n in range(size // WORD) for line in (
        f"  %{name}.f{n} = getelementptr i8, ptr {of}, i64 {WORD * n}",
        f"  %{name}.v{n} = load i64, ptr %{name}.f{n}, align 8",
        f"  %{name}.t{n} = getelementptr i8, ptr {to}, i64 {WORD * n}",
        f"  store i64 %{name}.v{n}, ptr %{name}.t{n}, align 8",
    )]  # fmt: skip


# -- text --------------------------------------------------------------------------------------------------------------
def shared(text: str) -> list[str]:
    """Memory that is written and that all threads share, of which there must be none."""
    return [name for name, _, _ in GLOBAL.findall(text)]


def _split(text: str) -> tuple[str, list[str], int]:
    """What stands before the functions, the functions, and which of them is that of an item."""
    head, *functions = FUNCTIONS.split(text)
    return head, functions, next(k for k, one in enumerate(functions) if f"@{ITEM}(" in one.split("\n", 1)[0])


def _written(head: str, known: Known) -> list[Written]:
    """What a thread writes at this stage of the program: memories, or what the optimizer has made of parts of them."""
    found = []
    for name, kind, content in GLOBAL.findall(head):
        memory = next((one for one in known.memories if one.name == name), None)
        found.append(Written(name, kind, content, memory.content if memory else b""))
    return found


def _uses(text: str, name: str) -> bool:
    return re.search(rf"@{re.escape(name)}(?![\w.])", text) is not None


def _renamed(text: str, name: str, by: str) -> str:
    return re.sub(rf"@{re.escape(name)}(?![\w.])", lambda _: by, text)


def _address(place: Place) -> str:
    return f"getelementptr (i8, ptr @{place.memory}, i64 {place.byte})"


def _global(memory: Memory) -> str:
    return f"\n@{memory.name} = internal global {' '.join(text_of(memory.content)[0])}, align 16\n"


def _joined(head: str, functions: Sequence[str]) -> str:
    text = head + "".join(functions)
    if "call void @llvm.memcpy.p0.p0.i64" in text and "declare void @llvm.memcpy.p0.p0.i64" not in text:
        text += f"\n{COPY}\n"
    return text


def _named(text: str) -> set[str]:
    """Globals and functions of which there is a word."""
    return set(NAMED.findall(text))


def _computed(function: str) -> set[str]:
    """Globals with whose address a function computes, other than to add a constant."""
    found = COMPUTED.findall(OFFSETS.sub("", function))
    return _named("".join(found))


def _as_locals(function: str, own: Sequence[Written]) -> str:
    """A function that has these globals as local variables; addresses within them are found at its start."""
    new = [f"  %{one.name} = alloca [{one.size} x i8], align 16" for one in own]
    chosen, found = {one.name for one in own}, dict[str, str]()

    def local(m: re.Match[str]) -> str:
        whole, kind, name, count, plainly = m.groups()
        if (name or plainly) not in chosen:
            return m[0]
        if plainly:
            return f"%{plainly}"
        if whole not in found:
            found[whole] = f"%{name}.o{len(found)}"
            new.append(f"  {found[whole]} = getelementptr i8, ptr %{name}, i64 {int(count) * _width(kind)}")
        return found[whole]

    return _at_its_start(PLACES.sub(local, function), new)


def _at_its_start(function: str, new: Sequence[str]) -> str:
    """A function with more lines at its start."""
    lines = function.split("\n")
    first = next(n for n, line in enumerate(lines) if n > 0 and not re.match(r'^[\w.$"-]+:', line))
    return "\n".join([*lines[:first], *new, *lines[first:]])


def _without(head: str, name: str) -> str:
    return re.sub(rf"^@{re.escape(name)} = .*\n", "", head, flags=re.MULTILINE)


def _before(function: str, call: str, lines: Sequence[str]) -> str:
    """A function with lines before the line that has a call."""
    return re.sub(rf"^.*call void {re.escape(call)}", lambda m: "\n".join([*lines, m[0]]), function, flags=re.MULTILINE)
