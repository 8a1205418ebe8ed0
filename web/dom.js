// Elements and texts. Names of systems are anybody's: they are only ever put in as text.

/** An element with attributes, listeners (onclick, …) and children; strings become text nodes. */
function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if ((value ?? false) === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat());
  return element;
}

const $ = (id) => document.getElementById(id);

/** A button with words, or with other children. */
const button = (words, onclick, more = {}) => h("button", { type: "button", onclick, ...more }, words);

/** A fraction in per cent with two decimals, as the tables of the project have it. */
function percent(value) {
  if (!Number.isFinite(value)) return "–";
  const shown = 100 * value;
  const tie = Math.abs(8 * shown) % 4 === 1; // x.125 and x.625, which toFixed rounds up; to even, as Python rounds
  return (tie ? shown - Math.sign(shown) / 1000 : shown).toFixed(2);
}

/** Ends of an interval, one decimal. */
const ends = (interval) => (interval ? interval.map((end) => (100 * end).toFixed(1)).join("–") : "");

function signed(value) {
  const text = percent(Math.abs(value));
  return Number(text) === 0 ? "0.00" : (value < 0 ? "−" : "+") + text;
}

const whole = (n) => n.toLocaleString("en-US", { maximumFractionDigits: 1 });

const LATEX = { "\\": "\\textbackslash{}", "^": "\\^{}", "~": "\\~{}" };
const latexText = (text) => String(text).replace(/[\\^~_%&#${}]/g, (one) => LATEX[one] || "\\" + one);
const markdownText = (text) => String(text).replace(/[\r\n]+/g, " ").replace(/[\\|`*_<>[\]]/g, (one) => "\\" + one);
/** A cell of a CSV file that no spreadsheet runs as a formula (OWASP). */
function csvText(value) {
  const text = String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? "'" + text : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Rows (the header first) as text of a kind; signatures stand beside. */
function tableText(kind, rows, notes) {
  if (kind === "csv") return rows.map((row) => `${row.map(csvText).join(",")}\n`).join("");
  const latex = kind === "latex";
  const text = (cell) => (latex ? latexText : markdownText)(typeof cell === "number" ? percent(cell) : cell);
  const [head, ...body] = rows.map((row) => (latex ? `${row.map(text).join(" & ")} \\\\` : `| ${row.map(text).join(" | ")} |`));
  const numbers = rows[0].length - 1;
  const marked = notes.map((note) => (latex ? `% ${note}` : `\`${note.replaceAll("`", "'")}\``));
  if (!latex) return [head, `|---|${"---:|".repeat(numbers)}`, ...body, "", ...marked, ""].join("\n");
  const begin = `\\begin{tabular}{l${"r".repeat(numbers)}}`;
  return [...marked, begin, "\\toprule", head, "\\midrule", ...body, "\\bottomrule", "\\end{tabular}", ""].join("\n");
}

/** Put text into the clipboard; says so to everybody, screen readers too. */
async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea", { class: "hidden" }, text);
    (document.querySelector("dialog[open]") || document.body).append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say(`${what} copied`);
}

function say(text) {
  $("said").textContent = text;
  $("said").classList.add("on");
  clearTimeout(say.later);
  say.later = setTimeout(() => $("said").classList.remove("on"), 1800);
}

/** Buttons that copy a table, or save it. */
function copyButtons(rowsAndNotes, name) {
  const copied = (kind) => () => copy(tableText(kind, ...rowsAndNotes()), "Table");
  const saved = () => {
    const blob = new Blob([tableText("csv", ...rowsAndNotes())], { type: "text/csv" });
    const link = h("a", { href: URL.createObjectURL(blob), download: `${name}.csv` });
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const kinds = [button("Markdown", copied("markdown")), button("LaTeX", copied("latex")), button("CSV", saved)];
  return h("div", { class: "copying", role: "group", "aria-label": "Copy the table" }, kinds);
}
