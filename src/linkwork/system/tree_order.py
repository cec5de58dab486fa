"""The spanning tree of a mechanism and the order of its bodies, compiled: what topology.py calls."""

from __future__ import annotations

from linkwork.compiler.argument_types import VOID, WHOLE_MATRIX, WHOLES
from linkwork.compiler.kernels import Exports, export, kernel, part


@kernel
def grow_tree(first, start, end, joint, preference, heaviest, depth, heap, tree):
    """Bodies as the tree reaches them from ground, body 0: of each tree[n] = (body, its parent, the joint or -1).

    Body i is left by the edges first[i] to first[i + 1], from `start` to `end` by `joint`.  The next edge is that of
    the joint with the least preference, from the least depth, the first in the model (Prim 1957); where there is none,
    the heaviest body floats.
    """
    depth[:] = -1
    depth[0], size, found, heavy = 0, 0, 0, 0
    for e in range(first[0], first[1]):
        size = _push(heap, size, e, start, joint, preference, depth)
    while found < tree.shape[0]:
        if size > 0:
            edge = heap[0]
            size = _pop(heap, size, start, joint, preference, depth)
            if depth[end[edge]] >= 0:
                continue
            body, parent, by = end[edge], start[edge], joint[edge]
        else:
            while depth[heaviest[heavy]] >= 0:
                heavy += 1
            body, parent, by = heaviest[heavy], 0, -1
        tree[found, 0], tree[found, 1], tree[found, 2] = body, parent, by
        found += 1
        depth[body] = depth[parent] + 1
        for e in range(first[body], first[body + 1]):
            if depth[end[e]] < 0:
                size = _push(heap, size, e, start, joint, preference, depth)


@part
def _push(heap, size, edge, start, joint, preference, depth):
    """One more edge on a binary heap of so many; its new size."""
    at = size
    while at > 0:
        above = (at - 1) // 2
        if not _before(edge, heap[above], start, joint, preference, depth):
            break
        heap[at] = heap[above]
        at = above
    heap[at] = edge
    return size + 1


@part
def _pop(heap, size, start, joint, preference, depth):
    """Take the first edge off the heap; its new size."""
    last, at = heap[size - 1], 0
    while 2 * at + 1 < size - 1:
        below = 2 * at + 1
        if below + 1 < size - 1 and _before(heap[below + 1], heap[below], start, joint, preference, depth):
            below += 1
        if not _before(heap[below], last, start, joint, preference, depth):
            break
        heap[at] = heap[below]
        at = below
    heap[at] = last
    return size - 1


@part
def _before(a, b, start, joint, preference, depth):
    """Whether edge a is taken before edge b."""
    i, j = joint[a], joint[b]
    if preference[i] != preference[j]:
        return preference[i] < preference[j]
    if depth[start[a]] != depth[start[b]]:
        return depth[start[a]] < depth[start[b]]
    return i < j


@kernel
def near_neighbours_first(waiting, first_near, near, root, first_child, child, seen, queue, stack, ordered):
    """The links of all trees, each tree from its root depth first, trees that are near each other close together.

    Trees are begun in the order `waiting`; tree k has those near it in near[first_near[k]] and what follows, and hangs
    by the link root[k]; links have children in the same way.  (Cuthill & McKee 1969)
    """
    count = 0
    for w in range(waiting.shape[0]):
        head, tail = 0, 1
        queue[0] = waiting[w]
        while head < tail:
            tree = queue[head]
            head += 1
            if seen[tree] == 1:
                continue
            seen[tree] = 1
            count = _depth_first(root[tree], first_child, child, stack, ordered, count)
            for k in range(first_near[tree], first_near[tree + 1]):
                if seen[near[k]] == 0:
                    queue[tail] = near[k]
                    tail += 1


@part
def _depth_first(root, first_child, child, stack, ordered, count):
    """A link and all that hangs on it, children in their order, behind so many links; how many there are then."""
    stack[0], size = root, 1
    while size > 0:
        size -= 1
        link = stack[size]
        ordered[count] = link
        count += 1
        for k in range(first_child[link + 1] - 1, first_child[link] - 1, -1):
            stack[size] = child[k]
            size += 1
    return count


def exports() -> Exports:
    """For the native library."""
    yield export(grow_tree, VOID, *[WHOLES] * 8, WHOLE_MATRIX)
    yield export(near_neighbours_first, VOID, *[WHOLES] * 10)
