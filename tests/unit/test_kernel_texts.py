"""Kernels in LLVM's language come out of their archive as they went in."""

import random
from pathlib import Path

from linkwork.compiler.native.kernel_texts import absolute, read_texts, relative, write_texts

LOOP = """@zeros = internal constant [3 x double] zeroinitializer

define i64 @sum(ptr %v0, i64 %v1) {
v2:
  br label %v3

v3:
  %v4 = phi i64 [ 0, %v2 ], [ %v5, %v3 ]
  %v6 = getelementptr double, ptr %v0, i64 %v4
  %v5 = add i64 %v4, 1
  %v7 = icmp eq i64 %v5, %v1
  br i1 %v7, label %v8, label %v3

v8:
  ret i64 %v5
}

define i64 @same(i64 %v0) {
v1:
  ret i64 %v0
}
"""


def random_function(name: str, length: int) -> str:
    """Values numbered in the order in which they are named, each line naming old and new ones."""
    known, lines = 1, [f"define i64 @{name}(i64 %v0) {{"]
    for _ in range(length):
        if random.random() < 0.2:
            lines.append(f"v{known}:")
        else:
            later = random.random() < 0.1  # as a phi names a value of a block that comes later
            lines.append(f"  %v{known} = add i64 %v{random.randrange(known)}, %v{known + 1 if later else 0}")
            known += later
        known += 1
    return "\n".join([*lines, "}", ""])


def test_values_by_their_distance(tmp_path: Path) -> None:
    random.seed(1)
    texts = {"loop.ll": LOOP, "random.ll": "\n".join(random_function(f"f{n}", 200) for n in range(20))}
    assert "%v-1 = phi i64 [ 0, %v2 ], [ %v-1, %v2 ]" in relative(LOOP)
    assert all(absolute(relative(text)) == text for text in texts.values())
    write_texts(tmp_path, texts)
    assert read_texts(tmp_path) == texts
