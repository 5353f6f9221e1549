"""Verification of implementations: known answers, agreement with other libraries, rejection of forgeries.

`verify` runs all applicable checks and returns a `Report`; an implementation that fails a check is not timed.
"""

from __future__ import annotations

from aeadlab.verify.report import Check, Report
from aeadlab.verify.verification import verify

__all__ = ["Check", "Report", "verify"]
