"use strict";
// What the page does beyond its text: copy the command, and show all features, sorted and filtered,
// of which only the rows in sight are in the document.
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

  const packed = find("packed");
  if (!packed || typeof DecompressionStream === "undefined") return;
  const ROW = 30, AROUND = 12;
  const rows = Number(packed.dataset.rows);
  const kinds = packed.dataset.kinds.split(" ");
  const box = find("features"), body = box.querySelector("tbody"), heads = [...box.querySelectorAll("thead th")];
  const columns = heads.map((head) => head.dataset.column);
  const integers = new Set(["rank", "kind", "widths", "numbers"]);

  // The bytes of a column.
  async function unpack(id) {
    const text = packed.querySelector(`[data-column="${id}"]`).textContent;
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")));
  }

  // Whole numbers: the lowest bytes of all, then the next; those with a sign have it in the lowest bit.
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

  // A decimal from its place among all of so many digits.
  function decimal(key, digits) {
    if (key === 0) return 0;
    const least = 10 ** (digits - 1), place = Math.abs(key) - 1;
    const exponent = Math.floor(place / (9 * least)) - 60;
    const size = Number(`${(place % (9 * least)) + least}e${exponent - digits + 1}`);
    return key < 0 ? -size : size;
  }

  // As the program writes numbers.
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
      data[id] = id === "stems" ? await found.json() : numbers(new Uint8Array(await found.arrayBuffer()), !integers.has(id));
    }));
    for (const id of ids) if (id !== "stems" && (id === "rank" || !integers.has(id))) sums(data[id]);
    for (let row = 0; row < rows; row++) {
      const width = data.widths[row];
      if (width) data.stems[row] += String(data.numbers[row]).padStart(width, "0");
    }
    data.name = data.stems;
  }

  function text(column, row) {
    const value = data[column][row];
    switch (column) {
      case "name": return value;
      case "kind": return kinds[value];
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
        // A longer one would make the row slow to lay out.
        name.textContent = value.length > 200 ? `${value.slice(0, 200)}…` : value;
        cell.title = value;
        cell.append(name);
      } else {
        if (column !== "kind") cell.className = "num";
        cell.textContent = value;
      }
      row.append(cell);
    }
    return row;
  }

  let drawn = "";
  function draw() {
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
    const told = (count) => count.toLocaleString("en");
    find("shown").textContent = order.length === rows
      ? `${told(rows)} ${rows === 1 ? "feature" : "features"}` : `${told(order.length)} of ${told(rows)} features`;
  }

  function sort() {
    const values = data[sorted], sign = down ? -1 : 1;
    if (sorted === "name") {
      const compare = new Intl.Collator("en", { numeric: true }).compare;
      order.sort((a, b) => sign * compare(values[a].slice(0, 200), values[b].slice(0, 200)) || a - b);
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
    for (const head of heads) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        // Weights are of interest from the greatest on.
        const first = head.dataset.column === "weight" || head.dataset.column === "missing";
        down = sorted === head.dataset.column ? !down : first;
        sorted = head.dataset.column;
        sort();
        redraw();
      });
    }
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
