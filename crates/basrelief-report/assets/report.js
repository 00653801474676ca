"use strict";
// Copies the command, saves tables as CSV and figures as SVG, and shows all features, sorted and filtered; only the
// visible rows are in the document.
(() => {
  const find = (id) => document.getElementById(id);

  const copy = find("copy");
  if (copy && navigator.clipboard) {
    copy.hidden = false;
    copy.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(find("command").textContent);
        copy.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(find("command"));
        copy.textContent = "Selected";
      }
      setTimeout(() => { copy.textContent = "Copy"; }, 2000);
    });
  }

  function save(name, address) {
    const link = document.createElement("a");
    link.href = address;
    const [what, ending] = name.split(".");
    link.download = `${`${document.title} ${what}`.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 80)}.${ending}`;
    link.click();
  }

  function saveText(name, type, text) {
    const address = URL.createObjectURL(new Blob([text], { type }));
    save(name, address);
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  function saveButton(format, what, action) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "save";
    button.textContent = `Save as ${format}`;
    button.setAttribute("aria-label", `Save as ${format}: ${what}`);
    button.addEventListener("click", action);
    return button;
  }

  // One line of CSV.
  const csvLine = (cells) => `${cells.map((cell) => (/[",\n\r]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : cell)).join(",")}\n`;
  const words = (cell) => cell.textContent.replace(/\s+/g, " ").trim();

  for (const table of document.querySelectorAll(".facts, .pairs")) {
    const what = words(table.caption), cells = (row) => [...row.cells].filter((cell) => !cell.matches(".bar, .barhead"));
    const action = () => saveText("table.csv", "text/csv", [...table.rows].map((row) => csvLine(cells(row).map(words))).join(""));
    table.after(saveButton("CSV", what, action));
  }

  // The style of the page becomes attributes of the figure.
  const looks = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "font-family", "font-size", "font-weight", "text-anchor"];
  function drawing(svg) {
    const copy = svg.cloneNode(true), originals = [svg, ...svg.querySelectorAll("*")];
    [copy, ...copy.querySelectorAll("*")].forEach((element, place) => {
      const style = getComputedStyle(originals[place]);
      for (const look of looks) element.setAttribute(look, style.getPropertyValue(look));
      element.removeAttribute("class");
    });
    const paper = document.createElementNS(svg.namespaceURI, "rect"), box = svg.viewBox.baseVal;
    paper.setAttribute("fill", getComputedStyle(document.documentElement).backgroundColor);
    for (const side of ["width", "height"]) {
      copy.setAttribute(side, box[side]);
      paper.setAttribute(side, box[side]);
    }
    copy.prepend(paper);
    return new XMLSerializer().serializeToString(copy);
  }

  for (const figure of document.querySelectorAll("svg[viewBox][role=img], figure img")) {
    const isImage = figure.tagName === "IMG";
    const what = (isImage ? figure.alt : figure.getAttribute("aria-label")).slice(0, 80);
    const action = () => (isImage ? save("figure.svg", figure.src) : saveText("figure.svg", "image/svg+xml", drawing(figure)));
    (figure.closest(".scroll-x, .histogram") || figure).after(saveButton("SVG", what, action));
  }

  const packed = find("packed");
  if (!packed || typeof DecompressionStream === "undefined") return;
  const ROW = 30, AROUND = 12, PRINTED = 30;
  const rows = Number(packed.dataset.rows);
  const kinds = packed.dataset.kinds.split(" ");
  const box = find("features"), body = box.querySelector("tbody"), heads = [...box.querySelectorAll("thead th")];
  const columns = heads.map((head) => head.dataset.column);
  const integers = new Set(["rank", "kind", "widths", "numbers", "chrom", "pos", "allele"]);
  const lists = new Set(["stems", "chroms", "alleles"]);
  const isText = new Set(["name", "kind", "chrom", "allele"]);
  const natural = new Intl.Collator("en", { numeric: true }).compare;

  // The bytes of a column.
  async function unpack(id) {
    const text = packed.querySelector(`[data-column="${id}"]`).textContent;
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")));
  }

  // Whole numbers: the lowest bytes of all, then the next ones; the lowest bit is the sign, if there are signs.
  function numbers(bytes, signed) {
    const values = new Float64Array(rows), places = bytes.length / rows;
    for (let row = 0; row < rows; row++) {
      let value = 0;
      for (let place = places - 1; place >= 0; place--) value = value * 256 + bytes[place * rows + row];
      values[row] = signed ? (value % 2 ? -(value + 1) / 2 : value / 2) : value;
    }
    return values;
  }

  function sums(values) {
    for (let row = 1; row < rows; row++) values[row] += values[row - 1];
    return values;
  }

  // A decimal from its index among all decimals with the given count of digits.
  function decimal(key, digits) {
    if (key === 0) return 0;
    const least = 10 ** (digits - 1), place = Math.abs(key) - 1;
    const exponent = Math.floor(place / (9 * least)) - 60;
    const size = Number(`${(place % (9 * least)) + least}e${exponent - digits + 1}`);
    return key < 0 ? -size : size;
  }

  // The notation of the program.
  function spell(value, digits) {
    if (value === 0) return "0";
    const exponent = Number(value.toExponential(digits - 1).split("e")[1]);
    if (exponent < -4 || exponent >= digits) return value.toExponential(digits - 1).replace("e+", "e");
    return value.toFixed(digits - 1 - exponent);
  }

  const data = {};
  async function load() {
    const ids = [...packed.children].map((child) => child.dataset.column);
    await Promise.all(ids.map(async (id) => {
      const found = await unpack(id);
      data[id] = lists.has(id) ? await found.json() : numbers(new Uint8Array(await found.arrayBuffer()), !integers.has(id));
    }));
    for (const id of ids) if (!lists.has(id) && (id === "rank" || !integers.has(id))) sums(data[id]);
    for (let row = 0; row < rows; row++) {
      const width = data.widths[row];
      if (width) data.stems[row] += String(data.numbers[row]).padStart(width, "0");
    }
    data.name = data.stems;
    if (!data.chroms) return;
    // Chromosomes sort by their numbers.
    const sortedChroms = [...data.chroms].sort(natural);
    data.chrom = data.chrom.map((code) => sortedChroms.indexOf(data.chroms[code]));
    data.chroms = sortedChroms;
    box.classList.add("loci");
  }

  // The value of a cell for CSV.
  function raw(column, row) {
    const value = data[column][row];
    switch (column) {
      case "name": return value;
      case "kind": return kinds[value];
      case "chrom": return data.chroms[value];
      case "allele": return data.alleles[value];
      case "rank": case "pos": return String(value);
      default: return String(decimal(value, column === "weight" ? 4 : 3));
    }
  }

  function text(column, row) {
    const value = data[column][row];
    switch (column) {
      case "name": case "kind": case "chrom": case "allele": case "pos": return raw(column, row);
      case "rank": return value.toLocaleString("en");
      case "weight": return spell(decimal(value, 4), 4);
      case "missing": return `${Number((decimal(value, 3) * 100).toFixed(1))} %`;
      default: return spell(decimal(value, 3), 3);
    }
  }

  let order = [], sorted = "rank", down = false;

  function gap(height) {
    const row = document.createElement("tr"), cell = document.createElement("td");
    row.className = "gap";
    row.setAttribute("aria-hidden", "true");
    cell.colSpan = columns.length;
    cell.style.height = `${height}px`;
    row.append(cell);
    return row;
  }

  function line(place) {
    const row = document.createElement("tr");
    row.setAttribute("aria-rowindex", place + 2);
    for (const column of columns) {
      const cell = document.createElement(column === "name" ? "th" : "td");
      const value = text(column, order[place]);
      if (column === "name") {
        const name = document.createElement("bdi");
        cell.scope = "row";
        // The layout of longer names is slow.
        name.textContent = value.length > 200 ? `${value.slice(0, 200)}…` : value;
        cell.title = value;
        cell.append(name);
      } else {
        if (!isText.has(column)) cell.className = "num";
        cell.textContent = value;
      }
      row.append(cell);
    }
    return row;
  }

  let drawn = "", isPrinting = false;
  function draw() {
    if (isPrinting) return;
    const first = Math.max(0, Math.floor(box.scrollTop / ROW) - AROUND);
    const last = Math.min(order.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + AROUND);
    const now = `${first} ${last}`;
    if (now === drawn) return;
    drawn = now;
    const lines = [];
    if (first > 0) lines.push(gap(first * ROW));
    for (let place = first; place < last; place++) lines.push(line(place));
    if (last < order.length) lines.push(gap((order.length - last) * ROW));
    body.replaceChildren(...lines);
  }

  function redraw() {
    drawn = "";
    box.scrollTop = 0;
    draw();
    box.querySelector("table").setAttribute("aria-rowcount", order.length + 1);
    const spelled = (count) => count.toLocaleString("en");
    find("shown").textContent = order.length === rows
      ? `${spelled(rows)} ${rows === 1 ? "feature" : "features"}` : `${spelled(order.length)} of ${spelled(rows)} features`;
  }

  function sort() {
    const values = data[sorted], sign = down ? -1 : 1;
    if (sorted === "name") {
      order.sort((a, b) => sign * natural(values[a].slice(0, 200), values[b].slice(0, 200)) || a - b);
    } else if (sorted === "chrom") {
      order.sort((a, b) => sign * (values[a] - values[b] || data.pos[a] - data.pos[b]) || a - b);
    } else if (sorted === "rank" && !down) {
      order.sort((a, b) => a - b);
    } else {
      order.sort((a, b) => sign * (values[a] - values[b]) || a - b);
    }
    for (const head of heads) {
      if (head.dataset.column !== sorted) head.removeAttribute("aria-sort");
      else head.setAttribute("aria-sort", down ? "descending" : "ascending");
    }
  }

  function filter() {
    const wanted = find("filter").value.toLowerCase(), kind = find("kind") ? find("kind").value : "";
    const code = kinds.indexOf(kind);
    order = [];
    for (let row = 0; row < rows; row++) {
      if (kind && data.kind[row] !== code) continue;
      if (wanted && !data.name[row].toLowerCase().includes(wanted)) continue;
      order.push(row);
    }
    if (sorted !== "rank" || down) sort();
    redraw();
  }

  function start() {
    const names = heads.map(words);
    for (const head of heads) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        // The first click on a weight sorts in descending order.
        const first = head.dataset.column === "weight" || head.dataset.column === "missing";
        down = sorted === head.dataset.column ? !down : first;
        sorted = head.dataset.column;
        sort();
        redraw();
      });
    }
    const csv = () => saveText("features.csv", "text/csv", csvLine(names) + order.map((row) => csvLine(columns.map((column) => raw(column, row)))).join(""));
    find("filters").append(saveButton("CSV", "all features", csv));
    // The first rows are printed, with heads without buttons, which browsers do not repeat on every page.
    const buttons = heads.map((head) => head.firstElementChild);
    addEventListener("beforeprint", () => {
      const count = Math.min(order.length, PRINTED);
      drawn = "";
      isPrinting = true;
      heads.forEach((head, place) => head.replaceChildren(...buttons[place].childNodes));
      body.replaceChildren(...Array.from({ length: count }, (_, place) => line(place)));
      find("printed").textContent = `${count} of ${rows.toLocaleString("en")} ${rows === 1 ? "row" : "rows"} printed`;
    });
    addEventListener("afterprint", () => {
      isPrinting = false;
      heads.forEach((head, place) => {
        buttons[place].append(...head.childNodes);
        head.append(buttons[place]);
      });
      draw();
    });
    const plain = find("plain");
    if (plain) plain.textContent = plain.dataset.all;
    let waiting;
    find("filters").hidden = false;
    find("filters").addEventListener("submit", (event) => event.preventDefault());
    find("filter").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 80); });
    if (find("kind")) find("kind").addEventListener("change", filter);
    box.classList.add("live");
    box.addEventListener("scroll", () => requestAnimationFrame(draw));
    addEventListener("resize", draw);
    filter();
    sort();
  }

  load().then(start);
})();
