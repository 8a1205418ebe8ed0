"""Samples in, predictions out: pretrained encoders, the classifiers on top of them, and one training loop.

The only room, with `helpers.experiments`, that imports torch. It knows nothing of metrics: predictions are
arrays of label ids.
"""
