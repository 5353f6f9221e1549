"use strict";
// Turns table headings into buttons that sort the table by that column.
for (const table of document.querySelectorAll("table.sortable")) {
  const headings = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  headings.forEach((heading, column) => {
    // Browsers omit a <button> in the repeated heading of a printed table, so this is a span with the role.
    const button = document.createElement("span");
    button.setAttribute("role", "button");
    button.tabIndex = 0;
    button.append(...heading.childNodes);
    heading.append(button);
    const sort = () => {
      const ascending = heading.getAttribute("aria-sort") !== "ascending";
      const number = (cell) => cell.dataset.k === undefined ? null : cell.dataset.k === "" ? NaN : +cell.dataset.k;
      const compare = (a, b) => {
        const [x, y] = [number(a), number(b)];
        if (x === null || y === null) {
          return a.textContent.localeCompare(b.textContent, "en", { numeric: true }) * (ascending ? 1 : -1);
        }
        // Missing numbers are last in both directions.
        return isNaN(x) - isNaN(y) || (x - y) * (ascending ? 1 : -1) || 0;
      };
      const rows = [...body.rows].sort((r, s) => compare(r.cells[column], s.cells[column]));
      rows.forEach((row) => body.append(row));
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
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
