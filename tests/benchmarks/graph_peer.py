"""GCN as the public code has it: in every step each sample's tree is built, node by node, and made a matrix.

Written out from the description of the released code of C-GCN (qipeng/gcn-over-pruned-trees): a tree
object for each word that stays, queues to fill an adjacency matrix, one matrix for each sample, all joined to
a batch. Layers, pooling and weights are those of the model that it is compared with.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from helpers.data import ParsedSample
from helpers.models.graph import Gcn
from helpers.models.inputs import Batch, Example


class Node:
    """A word of a tree, with its children."""

    def __init__(self, place: int) -> None:
        self.place, self.children = place, []


def head_to_tree(heads: list[int], subject: list[int], object_: list[int], prune: int) -> Node:
    """The pruned tree of one sentence, and its top."""
    ancestors, common = set(), None
    for words in (subject, object_):
        for word in words:
            way, head = [word], heads[word]
            while head > 0:
                way.append(head - 1)
                head = heads[head - 1]
            ancestors.update(way)
            common = set(way) if common is None else common & set(way)
    children = dict.fromkeys(common, 0)
    for word in common:
        if heads[word] > 0 and heads[word] - 1 in common:
            children[heads[word] - 1] += 1
    top = next(word for word in common if children[word] == 0)
    path = (ancestors - common) | {top}
    distance = [0 if word in path else -1 for word in range(len(heads))]
    for word in range(len(heads)):
        if distance[word] < 0:
            stack = [word]
            while stack[-1] >= 0 and stack[-1] not in path:
                stack.append(heads[stack[-1]] - 1)
            if stack[-1] in path:
                for steps, one in enumerate(reversed(stack)):
                    distance[one] = steps
            else:
                for one in stack:
                    if one >= 0 and distance[one] < 0:
                        distance[one] = 10_000
    nodes = [Node(word) if distance[word] <= prune else None for word in range(len(heads))]
    for word, node in enumerate(nodes):
        if node is not None and heads[word] > 0 and word != top:
            nodes[heads[word] - 1].children.append(node)
    return nodes[top]


def tree_to_adjacency(size: int, top: Node) -> np.ndarray:
    """(size, size) both directions of every edge."""
    found = np.zeros((size, size), dtype=np.float32)
    queue = [top]
    while queue:
        node, queue = queue[0], queue[1:]
        for child in node.children:
            found[node.place, child.place] = 1
        queue += node.children
    return found + found.T


def whole(model: Gcn, samples: Sequence[ParsedSample]) -> list[Example]:
    """Whole sentences; extra `heads` (T,) of the whole trees, `entities` (2, T)."""
    found = []
    for sample in samples:
        inside = torch.zeros(2, len(sample.words), dtype=torch.bool)
        for row, span in zip(inside, (sample.head, sample.tail), strict=True):
            row[list(sample.words_of(span))] = True
        extra = {"heads": np.array(sample.heads), "entities": inside}
        target = model.labels.index(sample.relation)
        found.append(Example(model.words.ids(sample.tokens), (), target, extra=extra))
    return found


def forward(model: Gcn, batch: Batch, prune: int) -> torch.Tensor:
    """The logits of a batch of `whole` sentences."""
    longest = batch.ids.shape[1]
    heads, inside = batch.extra["heads"].numpy(), batch.extra["entities"].numpy()
    lengths = batch.mask.sum(dim=1).tolist()
    rows = []
    for row, length in enumerate(lengths):
        entities = [np.flatnonzero(one[:length]).tolist() for one in inside[row]]
        top = head_to_tree(heads[row, :length].tolist(), *entities, prune)
        rows.append(tree_to_adjacency(longest, top).reshape(1, longest, longest))
    edges = torch.from_numpy(np.concatenate(rows, axis=0))
    degree = edges.sum(2).unsqueeze(2) + 1
    outside = (edges.sum(2) + edges.sum(1)).eq(0).unsqueeze(2)
    vectors = model._inputs(batch)
    for place, layer in enumerate(model.graph.layers):
        joined = layer(edges.bmm(vectors)) + layer(vectors)
        vectors = torch.relu(joined / degree)
        if place + 1 < len(model.graph.layers):
            vectors = model.graph.dropout(vectors)
    masks = [outside, *(~batch.extra["entities"][:, which].unsqueeze(2) for which in range(2))]
    found = torch.cat([vectors.masked_fill(mask, -1e12).max(dim=1)[0] for mask in masks], dim=1)
    return model.classifier(found)
