// Figures, drawn with Observable Plot; each has the same numbers as a table beside it.

const colour = (at) => `var(--c${at % 6})`;
const SOFT = { tickSize: 0, color: "var(--soft)", labelArrow: "none" };
const GRID = { stroke: "var(--rule)", strokeOpacity: 1 };
const asText = { text: (one) => one, fill: "var(--soft)" };

/** A chart with its words for those who do not see it. */
function figureOf(options, label) {
  const style = { fontFamily: "inherit", fontSize: "12px", background: "transparent", overflow: "visible" };
  const svg = Plot.plot({ style, ariaLabel: label, ...options });
  for (const part of svg.querySelectorAll("[aria-label]")) part.removeAttribute("aria-label");
  svg.setAttribute("role", "img");
  return svg;
}

/** Places of labels on a line so that none covers another: as near as they can be, `gap` apart. */
function apart(values, gap, low, high) {
  const order = values.map((value, at) => ({ value, at })).sort((a, b) => a.value - b.value);
  for (let turn = 0; turn < 60; turn++) {
    for (let i = 1; i < order.length; i++) {
      const lack = Math.max(0, gap - (order[i].value - order[i - 1].value));
      order[i].value += lack / 2;
      order[i - 1].value -= lack / 2;
    }
    for (const one of order) one.value = clip(one.value, low, high);
  }
  return order.sort((a, b) => a.at - b.at).map((one) => one.value);
}

const short = (name, most) => (name.length > most ? name.slice(0, most - 1) + "…" : name);
const longest = (names, most) => Math.max(...names.map((name) => Math.min(most, name.length)));

/** The range of a figure, up to `high`: from the least value on, unless a share of them lies so far below that the others, and those that are named, could not be told apart. */
function spread(values, high, share, room, named = []) {
  const order = [...values].sort((a, b) => a - b);
  const rest = order[Math.floor(share * (order.length - 1))];
  return [Math.max(order[0], Math.min(rest - room * (high - rest), ...named)), high];
}

/** Lines with their names at the right end; the others faint. lines: [{name, colour, points: [{x, y, name, colour}]}]. */
function lineChart({ width, height, lines, faint, dots = [], x, y, label }) {
  const [narrow, marginLeft] = [width < 560, 44];
  const marginRight = narrow ? 12 : Math.min(250, 34 + 7.3 * Math.max(4, longest(lines.map((one) => one.name), 30)));
  const [named, others] = [lines, faint].map((some) => some.flatMap((one) => one.points));
  const heights = named.map((point) => point.y);
  const all = [...heights, ...others.map((point) => point.y)];
  const [low, high] = y.domain || spread(all, Math.max(...all), 0.12, 0.35, heights);
  const below = faint.filter((one) => one.points.every((point) => point.y < low)).length;
  const pad = (high - low || 1) * 0.05;
  const domain = y.domain || [low - pad, high + pad];
  const atEnd = apart(lines.map((one) => one.points.at(-1).y), (15 * (domain[1] - domain[0])) / (height - 56), ...domain);
  const atDots = apart(dots.map((one) => one.x), (32 * (x.domain[1] - x.domain[0])) / (width - marginLeft - marginRight), ...x.domain);
  const words = { fontWeight: 600, y: "y", text: "name" };
  const toRight = { x: () => x.domain[1], y: (_, i) => atEnd[i], text: (one) => short(one.name, 30), fill: (one) => one.colour };
  const marks = [
    Plot.gridY({ ...GRID, ticks: 6 }),
    Plot.axisY({ ...SOFT, label: y.label, ticks: 6, fontVariant: "tabular-nums" }),
    Plot.axisX({ ...SOFT, label: x.label, ticks: x.ticks, tickFormat: x.format, labelAnchor: x.anchor }),
    Plot.line(others, { x: "x", y: "y", z: "name", stroke: "var(--faint)", strokeWidth: 1, strokeOpacity: 0.8, clip: true }),
    Plot.line(named, { x: "x", y: "y", z: "name", stroke: "colour", strokeWidth: 2.25, strokeLinejoin: "round" }),
    Plot.dot(dots, { x: "x", y: "y", r: 4.5, fill: "var(--paper)", stroke: "var(--ink)", strokeWidth: 1.5 }),
    Plot.text(narrow ? [] : dots, { x: (_, i) => atDots[i], ...words, dy: -13, fill: "var(--ink)", fontSize: 11 }),
    Plot.text(narrow ? [] : lines, { ...words, ...toRight, dx: 10, textAnchor: "start", fontSize: 12, clip: false }),
    Plot.text(below ? [`${below} ${below > 1 ? "systems lie" : "system lies"} below`] : [], { ...asText, frameAnchor: "bottom-left", dx: 6, dy: -6 }),
  ];
  const margins = { marginLeft, marginRight, marginTop: 22, marginBottom: 36 };
  const svg = figureOf({ width, height, ...margins, x: { domain: x.domain }, y: { domain }, marks }, label);
  const keys = lines.map((one) => h("li", {}, h("i", { style: `background:${one.colour}` }), one.name));
  return [svg, narrow ? h("ul", { class: "legend" }, keys) : ""];
}

/** Bars to both sides of 0 with a name each. rows: [{name, value, more}]. */
function barChart({ width, rows, label, title }) {
  const most = Math.max(1e-9, ...rows.map((one) => Math.abs(one.value)));
  const left = Math.min(width * 0.42, 12 + 6.4 * longest(rows.map((one) => one.name), 34));
  const end = most * (1 + 80 / (width - left - 58)); // room for the numbers
  const domain = [rows.some((one) => one.value < 0) ? -end : 0, rows.some((one) => one.value > 0) ? end : 0];
  const numbers = { x: "value", y: "name", text: "more", fill: "var(--soft)", fontVariant: "tabular-nums" };
  const marks = [
    Plot.axisY({ tickSize: 0, color: "var(--ink)", label: null, tickFormat: (name) => short(name, Math.floor((left - 12) / 6.4)) }),
    Plot.barX(rows, { x: "value", y: "name", fill: (one) => colour(one.value < 0 ? 1 : 0), insetTop: 3, insetBottom: 3, rx: 2 }),
    Plot.ruleX([0], { stroke: "var(--soft)" }),
    Plot.text(rows.filter((one) => one.value >= 0), { ...numbers, textAnchor: "start", dx: 6 }),
    Plot.text(rows.filter((one) => one.value < 0), { ...numbers, textAnchor: "end", dx: -6 }),
    Plot.text([title], { ...asText, frameAnchor: "top-left", lineAnchor: "bottom", lineWidth: (width - 8) / 12, dy: -6, dx: -left + 4, textAnchor: "start" }),
  ];
  const margins = { marginLeft: left, marginRight: 58, marginTop: 30, marginBottom: 14 };
  const scales = { x: { domain, label: null, axis: null }, y: { domain: rows.map((one) => one.name), label: null, tickSize: 0 } };
  return figureOf({ width, height: 46 + 22 * rows.length, ...margins, ...scales, marks }, label);
}

/** A against B, a dot a system, and the line where they are equal. named: those with their name beside them. */
function scatterChart({ width, rows, named, label }) {
  const size = Math.min(width, 560);
  const [left, right] = [true, false].map((side) => named.filter((one) => size > 420 && one.a >= 15 === side));
  const names = { x: "a", y: "b", text: "name", fill: (one) => one.colour, fontWeight: 600 };
  const marks = [
    Plot.gridX(GRID),
    Plot.gridY(GRID),
    Plot.axisX({ ...SOFT, label: "A: score on the test set, %", labelAnchor: "center" }),
    Plot.axisY({ ...SOFT, label: "B: entities exchanged, %" }),
    Plot.link([0], { x1: 0, y1: 0, x2: 100, y2: 100, stroke: "var(--soft)", strokeDasharray: "3 4" }),
    Plot.text(["A = B"], { ...asText, x: 9, y: 9, dx: -4, dy: -16, rotate: -40 }),
    Plot.dot(rows, { x: "a", y: "b", r: 5, fill: (one) => one.colour, fillOpacity: 0.85, stroke: "var(--paper)" }),
    Plot.text(left, { ...names, dx: -10, textAnchor: "end" }),
    Plot.text(right, { ...names, dx: 10, textAnchor: "start" }),
  ];
  const margins = { marginLeft: 48, marginRight: 20, marginTop: 24, marginBottom: 42 };
  return figureOf({ width: size, height: size * 0.86, ...margins, x: { domain: [0, 100] }, y: { domain: [0, 100] }, marks }, label);
}
