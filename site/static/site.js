// Lists of values in tables, such as `auto|direct|fast`, may be broken after each value.
function breakLists() {
  for (const cell of document.querySelectorAll(".bd-content td:not(:first-child)")) {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    for (const text of texts) {
      if (text.parentElement.closest(".math")) continue;
      const parts = text.data.split(/(?<=[\w\]][|,:=])(?=[\w[])/);
      if (parts.length < 2) continue;
      const pieces = parts.flatMap((part) => [part, document.createElement("wbr")]);
      text.replaceWith(...pieces.slice(0, -1));
    }
  }
}

// A search from file:// finds the pages, but the browser does not let it read them for the excerpts.
function ignoreMissingExcerpts() {
  if (location.protocol !== "file:") return;
  window.addEventListener("unhandledrejection", (event) => {
    if (event.reason instanceof TypeError) event.preventDefault();
  });
}

// Above the table of the page "Which method?", a list for each of its questions hides the rows with other answers.
function chooseRows() {
  const table = document.querySelector("#four-questions table");
  if (!table) return;
  const rows = [...table.tBodies[0].rows];
  const answers = new Map();
  const form = document.createElement("form");
  form.className = "chooser";
  const update = () => {
    for (const row of rows) {
      const fits = [...answers].every(([column, answer]) => !answer || row.cells[column].innerText === answer);
      row.hidden = !fits;
    }
  };
  [...table.tHead.rows[0].cells].slice(0, 4).forEach((head, column) => {
    const label = document.createElement("label");
    const select = document.createElement("select");
    label.append(`${head.innerText}: `, select);
    const found = new Set(rows.map((row) => row.cells[column].innerText));
    select.append(new Option("any answer", ""), ...[...found].map((answer) => new Option(answer)));
    select.addEventListener("change", () => {
      answers.set(column, select.value);
      update();
    });
    form.append(label);
  });
  (table.closest(".pst-scrollable-table-container") ?? table).before(form);
}

// Names for screen readers, where the theme and the gallery have only pictures.
function nameControls() {
  for (const toggle of document.querySelectorAll("summary:has(.toctree-toggle)")) {
    const link = toggle.closest("li")?.querySelector("a");
    toggle.setAttribute("aria-label", `Pages of ${link?.textContent ?? "this section"}`);
  }
  for (const link of document.querySelectorAll(".sphx-glr-thumbcontainer a.reference")) {
    link.setAttribute("aria-label", link.textContent);
  }
}

ignoreMissingExcerpts();
document.addEventListener("DOMContentLoaded", nameControls);
document.addEventListener("DOMContentLoaded", chooseRows);
document.addEventListener("DOMContentLoaded", breakLists);
