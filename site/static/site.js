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

ignoreMissingExcerpts();
document.addEventListener("DOMContentLoaded", breakLists);
