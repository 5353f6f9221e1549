from __future__ import annotations

from aeadlab.verify import Check, Report
from aeadlab.verify.summary import Summary

RIGHT, BROKEN, ALONE = "b/aes-256-gcm", "a/aes-256-gcm", "a/rot13"


def check(name: str, run: int, failed: int = 0, **sources: int) -> Check:
    failures = ("Wycheproof aes_gcm tcId 7: open accepted what is invalid",) if failed else ()
    return Check(name, run, failed, failures, {"other tag length": 4500} if failed else {}, sources)


def report(name: str, *checks: Check, unverifiable: bool = False) -> Report:
    reason = next((c.reason for c in checks if c.reason), "no second library" if unverifiable else "")
    return Report(name, "1.0", checks, unverifiable, reason)


REPORTS = {
    RIGHT: report(RIGHT, check("known answers", 300, Wycheproof=300), check("agreement", 131, **{BROKEN: 131})),
    BROKEN: report(BROKEN, check("known answers", 300, 2, Wycheproof=300), check("tamper", 90, tag=90)),
    ALONE: report(ALONE, check("round trip", 39), unverifiable=True),
}


def test_describes_each_kind_of_check() -> None:
    names = ("known answers", "agreement", "round trip", "tamper", "contexts", "randomness")
    one = report("a/rc4.locked", *(check(name, 5, **{"those": 5}) for name in names))
    assert "5 tests of randomness: those 5" in Summary([one], {}).as_text()


def test_counts_variants_as_agreeing_on_one_algorithm() -> None:
    plain = report("a/aes-128-ctr", check("agreement", 39, **{"b/aes-128-ctr.tables": 39}))
    tables = report("b/aes-128-ctr.tables", check("agreement", 39, **{"a/aes-128-ctr": 39}))
    assert Summary([plain, tables], {}).as_text().endswith("agreeing: aes-128-ctr 2")


def test_text_fits_80_columns_and_ends_with_totals() -> None:
    text = Summary(list(REPORTS.values()), {"cryptopp": "libcryptopp is not installed " * 5}).as_text()
    assert max(map(len, text.splitlines())) <= 80
    assert "1 ok, 1 failed, 1 cannot be verified" in text
    assert "known answers: Wycheproof 600" in text
    assert "agreeing: aes-256-gcm 2" in text
    assert "not run: other tag length 4500" in text
    assert "absent: cryptopp" in text
