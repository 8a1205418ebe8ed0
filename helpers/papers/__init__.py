"""What exactly one paper needs, a module a subject; the audit of the printed numbers is in `audit`."""
