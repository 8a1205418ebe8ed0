"""Outcomes in, tables and pictures out.

Reading order: `published` (the papers' numbers, as printed) → `audit` (which of them follow from others) →
`runs` (one run: configuration, provenance, outcome) → `tables` (published | ours) → the figures. `files`
holds the one way in which this room writes.

This room stands on `helpers.metrics`; it reads no data set, trains nothing and imports no torch.
"""
