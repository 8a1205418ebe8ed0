"""Sentences made from numbers: lists of names, signs, and an answer that is folded away.

What a notebook says about stored runs is written by a function that looks at them, so that it changes with
them; these are the words that such functions share.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pandas as pd

from .tables import to_markdown

if TYPE_CHECKING:
    from IPython.display import Markdown


def listed(names: Iterable[object], nothing: str = "none") -> str:
    """Names in a row, the last one after 'and'; `nothing` without any.

    >>> listed(["A", "B", "C"]), listed(["A", "B"]), listed(["A"]), listed([])
    ('A, B and C', 'A and B', 'A', 'none')
    """
    *first, last = [str(name) for name in names] or [nothing]
    return f"{', '.join(first)} and {last}" if first else last


def signed(points: float, decimals: int = 1) -> str:
    """A difference with its sign; a proper minus, no sign for what is printed as 0.

    >>> signed(1.26), signed(-0.71), signed(-0.04)
    ('+1.3', '−0.7', '0.0')
    """
    text = f"{points:+.{decimals}f}".replace("-", "−")
    return text[1:] if float(text[1:]) == 0 else text


def p_value(p: float) -> str:
    """A p-value as the pages print it: three decimals without the leading 0; '–' where there is none.

    >>> p_value(0.0314), p_value(0.0002), p_value(float("nan"))
    ('.031', '< .001', '–')
    """
    return "–" if pd.isna(p) else "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def from_to(values: Iterable[float], decimals: int = 1) -> str:
    """The smallest and the largest value; one number where they are printed alike.

    >>> from_to([3.21, 1.0, 2.5]), from_to([1.01, 0.99])
    ('1.0 to 3.2', '1.0')
    """
    ordered = sorted(values)
    low, high = (f"{value:.{decimals}f}".replace("-", "−") for value in (ordered[0], ordered[-1]))
    return low if low == high else f"{low} to {high}"


def answer(*parts: str | pd.DataFrame, decimals: int = 2, title: str = "Answer") -> Markdown:
    """Text and tables under a line, *Answer* or another, that opens with a click, in JupyterLab and in HTML.

    >>> print(answer("Half of them.").data)
    <details><summary><b>Answer</b></summary>
    <BLANKLINE>
    Half of them.
    <BLANKLINE>
    </details>
    >>> "| &lt;e1>fire&lt;/e1> |" in answer(pd.DataFrame({"sentence": ["<e1>fire</e1>"]})).data
    True
    """
    from IPython.display import Markdown  # a notebook has it; scoring does without

    # tags such as <e1> in a table are text: a browser would take them for elements and show nothing
    texts = [
        part if isinstance(part, str) else to_markdown(part, decimals).replace("<", "&lt;") for part in parts
    ]
    inside = "\n\n".join(texts)
    return Markdown(f"<details><summary><b>{title}</b></summary>\n\n{inside}\n\n</details>")
