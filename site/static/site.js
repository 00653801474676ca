// A search from file:// finds the pages, but the browser does not let it read them for the excerpts.
if (location.protocol === "file:") {
  window.addEventListener("unhandledrejection", (event) => {
    if (event.reason instanceof TypeError) event.preventDefault();
  });
}
