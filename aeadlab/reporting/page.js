"use strict";
// Headings become buttons that sort their table; without this script the tables are as they were written.
for (const table of document.querySelectorAll("table.sortable")) {
  const headings = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  headings.forEach((heading, column) => {
    // No <button>: it would be left out where a printed table's heading is repeated.
    const button = document.createElement("span");
    button.setAttribute("role", "button");
    button.tabIndex = 0;
    button.append(...heading.childNodes);
    heading.append(button);
    const sort = () => {
      const rising = heading.getAttribute("aria-sort") !== "ascending";
      const number = (cell) => cell.dataset.k === undefined ? null : cell.dataset.k === "" ? NaN : +cell.dataset.k;
      const before = (a, b) => {
        const [x, y] = [number(a), number(b)];
        if (x === null || y === null) {
          return a.textContent.localeCompare(b.textContent, "en", { numeric: true }) * (rising ? 1 : -1);
        }
        // An absent number comes last, whichever way.
        return isNaN(x) - isNaN(y) || (x - y) * (rising ? 1 : -1) || 0;
      };
      const rows = [...body.rows].sort((r, s) => before(r.cells[column], s.cells[column]));
      rows.forEach((row) => body.append(row));
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", rising ? "ascending" : "descending");
    };
    button.addEventListener("click", sort);
    button.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        sort();
      }
    });
  });
}
