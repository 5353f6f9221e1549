"""Is an implementation right: known answers, agreement with the others, rejection of every change.

`verify` runs all checks that apply and returns a `Report`; nothing that fails one is timed.
"""

from __future__ import annotations

from aeadlab.verify.report import Check, Report
from aeadlab.verify.verification import verify

__all__ = ["Check", "Report", "verify"]
