// Elements and texts. Names of systems are anybody's: they are only ever put in as text.

/** An element with attributes, listeners (onclick, …) and children; strings become text nodes. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((one) => one !== null && one !== undefined));
  return element;
}

export const $ = (id) => document.getElementById(id);

/** A fraction in per cent with two decimals, as the tables of the project have it. */
export function percent(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const shown = 100 * value;
  if (!Number.isInteger(shown * 8)) return shown.toFixed(2);
  const half = Math.floor(shown * 100); // a tie is possible: to even, as Python rounds
  return shown * 100 - half === 0.5 ? ((half + (half % 2)) / 100).toFixed(2) : shown.toFixed(2);
}

/** Ends of an interval, one decimal. */
export function ends(interval) {
  return interval && interval[0] !== null ? `${(100 * interval[0]).toFixed(1)}–${(100 * interval[1]).toFixed(1)}` : "";
}

export function signed(value) {
  const text = percent(Math.abs(value));
  return Number(text) === 0 ? "0.00" : (value < 0 ? "−" : "+") + text;
}

export const whole = (n) => n.toLocaleString("en-US", { maximumFractionDigits: 1 });

const LATEX = { "\\": "\\textbackslash{}", "^": "\\^{}", "~": "\\~{}" };
/** Text for LaTeX. */
export const latexText = (text) => String(text).replace(/[\\^~_%&#${}]/g, (one) => LATEX[one] || "\\" + one);
/** Text for a cell of a Markdown table. */
export const markdownText = (text) =>
  String(text).replace(/[\r\n]+/g, " ").replace(/[\\|`*_<>[\]]/g, (one) => "\\" + one);
/** A cell of a CSV file that no spreadsheet runs as a formula (OWASP). */
export function csvText(value) {
  const text = value === null || value === undefined ? "" : String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? "'" + text : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Rows (the header first) as text of a kind; signatures stand below. */
export function tableText(kind, rows, notes) {
  if (kind === "csv") return rows.map((row) => row.map(csvText).join(",")).join("\n") + "\n";
  const shown = rows.map((row) => row.map((cell) => (typeof cell === "number" ? percent(cell) : (cell ?? ""))));
  const [head, ...body] = shown;
  if (kind === "markdown") {
    const line = (row) => `| ${row.map(markdownText).join(" | ")} |`;
    const rule = `|${head.map((_, i) => (i ? "---:" : "---")).join("|")}|`;
    return [line(head), rule, ...body.map(line), "", ...notes.map((note) => `\`${note.replaceAll("`", "'")}\``)].join("\n") + "\n";
  }
  const line = (row) => `${row.map(latexText).join(" & ")} \\\\`;
  const begin = `\\begin{tabular}{l${"r".repeat(head.length - 1)}}`;
  return [...notes.map((note) => `% ${note}`), begin, "\\toprule", line(head), "\\midrule", ...body.map(line), "\\bottomrule", "\\end{tabular}"].join("\n") + "\n";
}

/** Put text into the clipboard; says so to everybody, screen readers too. */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea", { class: "hidden-copy" });
    area.value = text;
    (document.querySelector("dialog[open]") || document.body).append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say(`${what} copied`);
}

let silence;
export function say(text) {
  const place = $("said");
  place.textContent = text;
  place.classList.add("on");
  clearTimeout(silence);
  silence = setTimeout(() => place.classList.remove("on"), 1800);
}

export function download(name, text) {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Buttons that copy a table. */
export function copyButtons(rowsAndNotes, name) {
  const of = (kind) => () => {
    const [rows, notes] = rowsAndNotes();
    if (kind === "csv") download(`${name}.csv`, tableText(kind, rows, notes));
    else copy(tableText(kind, rows, notes), "Table");
  };
  return h(
    "div",
    { class: "copying", role: "group", "aria-label": "Copy the table" },
    h("button", { type: "button", onclick: of("markdown") }, "Markdown"),
    h("button", { type: "button", onclick: of("latex") }, "LaTeX"),
    h("button", { type: "button", onclick: of("csv") }, "CSV"),
  );
}
