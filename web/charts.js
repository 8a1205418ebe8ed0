// Figures, drawn with Observable Plot; each has the same numbers as a table beside it.

import { h } from "./dom.js";

export const colour = (at) => `var(--c${at % 6})`;
const INK = "var(--ink)";
const FAINT = "var(--faint)";

/** A chart with its words for those who do not see it. */
export function figureOf(options, label) {
  const svg = Plot.plot({ style: { fontFamily: "inherit", fontSize: "12px", background: "transparent", overflow: "visible" }, ...options });
  for (const part of svg.querySelectorAll("[aria-label], [aria-hidden]")) part.removeAttribute("aria-label");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  return svg;
}

/** Places of labels on a line so that none covers another: as near as they can be, `gap` apart. */
export function apart(values, gap, low, high) {
  const order = values.map((value, at) => ({ value, at })).sort((a, b) => a.value - b.value);
  for (let turn = 0; turn < 60; turn++) {
    let moved = false;
    for (let i = 1; i < order.length; i++) {
      const lack = gap - (order[i].value - order[i - 1].value);
      if (lack > 1e-9) {
        order[i].value += lack / 2;
        order[i - 1].value -= lack / 2;
        moved = true;
      }
    }
    for (const one of order) one.value = Math.min(high, Math.max(low, one.value));
    if (!moved) break;
  }
  const found = [];
  for (const one of order) found[one.at] = one.value;
  return found;
}

const short = (name, most) => (name.length > most ? name.slice(0, most - 1) + "…" : name);

/** The range of a figure: all values, unless a few lie so far below that the others could not be told apart. */
function spread(values, named) {
  const order = [...values].sort((a, b) => a - b);
  const at = (share) => order[Math.floor(share * (order.length - 1))];
  const high = order[order.length - 1];
  const low = at(0.12) - 0.35 * (high - at(0.12));
  return [Math.max(order[0], Math.min(low, ...named)), high];
}

/** Lines with their names at the right end; the others faint. lines: [{name, points: [[x, y]], colour}]. */
export function lineChart({ width, height, lines, faint, dots = [], x, y, label, marginLeft = 44 }) {
  const narrow = width < 560;
  const marginRight = narrow ? 12 : Math.min(250, 34 + 7.3 * Math.max(4, ...lines.map((one) => Math.min(30, one.name.length))));
  const all = [...lines, ...faint].flatMap((one) => one.points.map((point) => point[1]));
  const [low, high] = y.domain || spread(all, lines.flatMap((one) => one.points.map((point) => point[1])));
  const below = y.domain ? 0 : faint.filter((one) => one.points.every((point) => point[1] < low)).length;
  const pad = (high - low || 1) * 0.05;
  const domain = y.domain || [low - pad, high + pad];
  const perPixel = (domain[1] - domain[0]) / (height - 56);
  const lastOf = (one) => one.points[one.points.length - 1];
  const atEnd = apart(lines.map((one) => lastOf(one)[1]), 15 * perPixel, domain[0], domain[1]);
  const flat = (some) => some.flatMap((one) => one.points.map((point) => ({ x: point[0], y: point[1], z: one.name })));
  const marks = [
    Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1, ticks: 6 }),
    Plot.axisY({ tickSize: 0, color: "var(--soft)", label: y.label, labelArrow: "none", ticks: 6, fontVariant: "tabular-nums" }),
    Plot.axisX({ tickSize: 0, color: "var(--soft)", label: x.label, labelArrow: "none", ticks: x.ticks, tickFormat: x.format, ...(x.anchor ? { labelAnchor: x.anchor } : {}) }),
    Plot.line(flat(faint), { x: "x", y: "y", z: "z", stroke: FAINT, strokeWidth: 1, strokeOpacity: 0.8, clip: true }),
  ];
  lines.forEach((one) => marks.push(Plot.line(flat([one]), { x: "x", y: "y", stroke: one.colour, strokeWidth: 2.25, strokeLinejoin: "round" })));
  if (dots.length) marks.push(Plot.dot(dots, { x: "x", y: "y", r: 4.5, fill: "var(--paper)", stroke: INK, strokeWidth: 1.5 }));
  const named = apart(dots.map((one) => one.x), (32 * (x.domain[1] - x.domain[0])) / (width - marginLeft - marginRight), ...x.domain);
  if (dots.length && !narrow) marks.push(Plot.text(dots, { x: (_, i) => named[i], y: "y", text: "name", dy: -13, fill: INK, fontSize: 11, fontWeight: 600 }));
  if (!narrow) {
    lines.forEach((one, i) =>
      marks.push(
        Plot.text([{ x: x.domain[1], y: atEnd[i] }], { x: "x", y: "y", text: () => short(one.name, 30), dx: 10, textAnchor: "start", fill: one.colour, fontWeight: 600, fontSize: 12, clip: false }),
      ),
    );
  }
  if (below) marks.push(Plot.text([`${below} ${below > 1 ? "systems lie" : "system lies"} below`], { frameAnchor: "bottom-left", dx: 6, dy: -6, fill: "var(--soft)", text: (one) => one }));
  const options = { width, height, marginLeft, marginRight, marginTop: 22, marginBottom: 36, x: { domain: x.domain }, y: { domain }, marks };
  const svg = figureOf(options, label);
  const legend = narrow
    ? h("ul", { class: "legend" }, lines.map((one) => h("li", {}, h("i", { style: `background:${one.colour}` }), one.name)))
    : null;
  return { svg, legend };
}

/** Bars to both sides of 0 with a name each. rows: [{name, value, more}]. */
export function barChart({ width, rows, label, title, positive, negative }) {
  const most = Math.max(1e-9, ...rows.map((one) => Math.abs(one.value)));
  const left = Math.min(width * 0.42, 12 + 6.4 * Math.max(...rows.map((one) => Math.min(34, one.name.length))));
  return figureOf(
    {
      width,
      height: 46 + 22 * rows.length,
      marginLeft: left,
      marginRight: 58,
      marginTop: 30,
      marginBottom: 14,
      x: { domain: [rows.some((one) => one.value < 0) ? -most * 1.15 : 0, rows.some((one) => one.value > 0) ? most * 1.15 : 0], label: null, axis: null },
      y: { domain: rows.map((one) => one.name), label: null, tickSize: 0 },
      marks: [
        Plot.axisY({ tickSize: 0, color: "var(--ink)", label: null, tickFormat: (name) => short(name, 34) }),
        Plot.barX(rows, { x: "value", y: "name", fill: (one) => (one.value < 0 ? negative : positive), insetTop: 3, insetBottom: 3, rx: 2 }),
        Plot.ruleX([0], { stroke: "var(--soft)" }),
        Plot.text(rows.filter((one) => one.value >= 0), { x: "value", y: "name", text: "more", textAnchor: "start", dx: 6, fill: "var(--soft)", fontVariant: "tabular-nums" }),
        Plot.text(rows.filter((one) => one.value < 0), { x: "value", y: "name", text: "more", textAnchor: "end", dx: -6, fill: "var(--soft)", fontVariant: "tabular-nums" }),
        Plot.text([title], { frameAnchor: "top-left", dy: -22, fill: "var(--soft)", text: (one) => one, dx: -left + 4, textAnchor: "start" }),
      ],
    },
    label,
  );
}

/** A against B, a dot a system, and the line where they are equal. */
export function scatterChart({ width, rows, label }) {
  const size = Math.min(width, 560);
  const named = size > 420;
  return figureOf(
    {
      width: size,
      height: size * 0.86,
      marginLeft: 48,
      marginRight: 20,
      marginTop: 24,
      marginBottom: 42,
      x: { domain: [0, 100] },
      y: { domain: [0, 100] },
      marks: [
        Plot.gridX({ stroke: "var(--rule)", strokeOpacity: 1 }),
        Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1 }),
        Plot.axisX({ label: "A: score on the test set, %", labelAnchor: "center", labelArrow: "none", tickSize: 0, color: "var(--soft)" }),
        Plot.axisY({ label: "B: entities exchanged, %", labelArrow: "none", tickSize: 0, color: "var(--soft)" }),
        Plot.link([0], { x1: 0, y1: 0, x2: 100, y2: 100, stroke: "var(--soft)", strokeDasharray: "3 4" }),
        Plot.text(["A = B"], { x: 9, y: 9, dx: -4, dy: -16, rotate: -40, fill: "var(--soft)", text: (one) => one }),
        Plot.dot(rows, { x: "a", y: "b", r: 5, fill: (one) => one.colour, fillOpacity: 0.85, stroke: "var(--paper)" }),
        named ? Plot.text(rows.filter((one) => one.named), { x: "a", y: "b", text: "name", dx: -10, textAnchor: "end", fill: (one) => one.colour, fontWeight: 600 }) : null,
      ],
    },
    label,
  );
}
