"""The audit of W and R: do their printed numbers follow from each other?"""
