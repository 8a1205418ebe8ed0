// The ranking: who leads over α (or the precision–recall curves), and the table.

import { h, $, percent, ends, whole, copy, copyButtons, tableText } from "./dom.js";
import { state } from "./state.js";
import { crossings, mean } from "./metrics.js";
import * as model from "./model.js";
import { lineChart, colour } from "./charts.js";

const firstOf = (systems) => (systems > 200 ? 30 : 60); // rows that are shown: more would make the slider slow where there are a thousand
const THUMB = 11; // half the slider's thumb: its middle stops that far from the ends
const rowsOf = new WeakMap();
let shownAll = false;
const drawn = { x: null, named: [] };

/** The sentence above: who leads from which α on. */
export function headline(test) {
  const alphas = model.ALPHAS;
  const lines = model.spectra(test);
  const leaders = alphas.map((_, at) => {
    let best = 0;
    for (let i = 1; i < lines.length; i++) if (lines[i][at] > lines[best][at]) best = i;
    return best;
  });
  const parts = [];
  leaders.forEach((leader, at) => {
    if (!at || leader !== leaders[at - 1]) parts.push({ leader, from: alphas[at] });
  });
  parts.forEach((part, i) => {
    if (i) part.from = crossings(lines[parts[i - 1].leader], lines[part.leader], alphas).findLast((alpha) => alpha <= part.from) ?? part.from;
  });
  return parts.map((part) => ({ system: test.systems[part.leader], from: part.from }));
}

export function sayHeadline(test) {
  const place = $("headline");
  if (test.kind === "facts") {
    const [best] = model.ranked(test.systems, model.valueOf({ id: "auc", fixed: true }, test));
    place.replaceChildren(h("b", {}, best.system.key), ` covers the largest area, ${percent(best.value)}, of ${test.systems.length} ranked lists of facts.`);
    return;
  }
  const parts = headline(test);
  const all = ["On ", test.title + (test.version ? `, ${test.version} labels` : ""), ", "];
  const chance = withinChance(test);
  if (parts.length === 1) place.replaceChildren(...all, h("b", {}, parts[0].system.key), " leads at every α, from macro to weighted.", chance);
  else if (parts.length <= 4) {
    const words = parts.flatMap((part, i) => [
      i ? (i === parts.length - 1 ? ", and " : ", ") : "",
      h("b", {}, part.system.key),
      i ? ` from α = ${part.from.toFixed(2)}` : " leads from macro",
    ]);
    place.replaceChildren(...all, ...words, parts.length ? " to weighted." : "", chance);
  } else {
    const names = new Set(parts.map((one) => one.system.key)).size;
    place.replaceChildren(...all, h("b", {}, `${names} systems`), ` take the lead in turn as α goes from macro to weighted.`, chance);
  }
}

/** What to say if the interval of the difference of the two that lead under dodrans holds 0; else nothing. */
function withinChance(test) {
  const column = { id: "dodrans" };
  const [first, second] = model.ranked(test.systems, model.valueOf(column, test));
  const interval = second && model.differenceOf(first.system, second.system, column, test).interval;
  if (!interval || interval[0] > 0 || interval[1] < 0) return "";
  return ` Under dodrans the lead of ${first.system.key} over ${second.system.key} is within chance.`;
}

/** The figure of the ranking; the rule of α is moved without drawing again. */
export function drawCurves(test) {
  const place = $("curves");
  const width = place.clientWidth || 900;
  const height = width < 560 ? 260 : 330;
  const unit = { f1: "F1", precision: "precision", recall: "recall" }[state.score];
  if (test.kind === "facts") return drawFacts(test, place, width, height);
  const coarse = test.systems.length > 200;
  const all = model.spectra(test);
  const named = (drawn.named = model.highlighted(test, all));
  const set = new Set(named);
  const points = (line, step) => line.flatMap((y, i) => (i % step ? [] : [[model.ALPHAS[i], 100 * y]]));
  const lines = named.map((one, i) => ({ name: one.key, points: points(all[one.at], 1), colour: colour(i) }));
  const visible = new Set(model.visible(test));
  const faint = test.systems.filter((one) => !set.has(one) && visible.has(one)).slice(0, coarse ? 200 : 1000);
  const dots = [];
  for (let i = 0; i < named.length; i++) {
    for (let j = i + 1; j < named.length; j++) {
      const [first, second] = [all[named[i].at], all[named[j].at]];
      for (const alpha of crossings(first, second, model.ALPHAS)) {
        const at = Math.min(99, Math.floor(alpha * 100));
        const y = first[at] + (alpha * 100 - at) * (first[at + 1] - first[at]);
        dots.push({ x: alpha, y: 100 * y, name: alpha.toFixed(2) });
      }
    }
  }
  const { svg, legend } = lineChart({
    width,
    height,
    lines,
    faint: faint.map((one) => ({ name: one.key, points: points(all[one.at], 5) })),
    dots,
    x: { domain: [0, 1], label: null, ticks: [0, 0.25, 0.5, 0.75, 1], format: (x) => ({ 0: "0 · macro", 0.75: width < 560 ? "¾" : "¾ · dodrans", 1: width < 560 ? "1" : "1 · weighted" })[x] || String(x) },
    y: { label: `${unit} under n^α, %` },
    label: `${unit} of ${test.systems.length} systems under n to the α; named: ${named.map((one) => one.key).join(", ")}`,
  });
  putChart(place, svg, legend);
  if (!place.dataset.drags) {
    place.dataset.drags = "1";
    const set = (event) => {
      if (model.test().kind === "facts") return;
      const x = (event.clientX - place.getBoundingClientRect().left - drawn.x.range[0]) / (drawn.x.range[1] - drawn.x.range[0]);
      const slider = $("alpha");
      slider.value = Math.min(1, Math.max(0, x)).toFixed(2);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    };
    place.addEventListener("pointerdown", (event) => {
      if (event.target.closest(".legend")) return;
      set(event);
      const end = () => place.removeEventListener("pointermove", set);
      place.addEventListener("pointermove", set);
      window.addEventListener("pointerup", end, { once: true });
    });
  }
  moveRule();
}

/** The figure with the rule of α above it; the slider's track is as wide as its axis. */
function putChart(place, svg, legend) {
  drawn.x = svg.scale("x");
  const rule = h("div", { class: "alpha-rule", id: "alpha-rule", "aria-hidden": "true", style: `height:${svg.height.baseVal.value - 50}px` });
  place.replaceChildren(svg, rule, ...(legend ? [legend] : []));
  const [from, to] = model.test().kind === "facts" ? [THUMB, place.clientWidth - THUMB] : drawn.x.range;
  $("slider-box").style.setProperty("--left", `${from - THUMB}px`);
  $("slider-box").style.setProperty("--right", `${place.clientWidth - to - THUMB}px`);
}

export function moveRule() {
  const rule = $("alpha-rule");
  if (!rule || !drawn.x) return;
  rule.style.transform = `translateX(${drawn.x.apply(model.test().kind === "facts" ? state.recall : state.alpha)}px)`;
}

/** Precision–recall curves, thinned to what a screen shows; of several runs the mean at each recall. */
function drawFacts(test, place, width, height) {
  const named = (drawn.named = model.highlighted(test));
  const set = new Set(named);
  const curve = (system) => {
    const lines = system.runs.map((run) => run.curve);
    const most = Math.min(...lines.map((one) => one.length));
    return Array.from({ length: most }, (_, i) => [(i + 1) / 300, 100 * mean(lines.map((one) => one[i]))]);
  };
  const lines = named.map((one, i) => ({ name: one.key, points: curve(one), colour: colour(i) }));
  const faint = model.visible(test).filter((one) => !set.has(one)).map((one) => ({ name: one.key, points: curve(one) }));
  const most = Math.max(...[...lines, ...faint].flatMap((one) => one.points.map((point) => point[0])));
  const { svg, legend } = lineChart({
    width,
    height: height + 40,
    lines,
    faint,
    x: { domain: [0, Math.min(1, most * 1.02)], label: "recall", anchor: "center", ticks: 6 },
    y: { label: "precision, %", domain: [0, 100] },
    label: `Precision–recall curves of ${test.systems.length} systems; named: ${named.map((one) => one.key).join(", ")}`,
  });
  putChart(place, svg, legend);
  moveRule();
}

/** Head and rows of the table. */
export function drawTable(test) {
  const columns = model.columns(test);
  if (!columns.some((one) => one.id === state.sort)) state.sort = columns[0].id;
  const head = h("tr", {}, h("th", { scope: "col", class: "rank" }, "#"), h("th", { scope: "col", class: "system" }, "System"), h("td", { class: "range" }));
  for (const column of columns) {
    const on = column.id === state.sort;
    const turned = state.down !== (column.better === "lower");
    const button = h(
      "button",
      { type: "button", title: column.about || null, "data-sort": column.id, onclick: () => sortBy(column) },
      h("span", {}, column.id === "alpha" ? alphaTitle() : column.title),
      h("span", { class: "arrow", "aria-hidden": "true" }, on ? (turned ? "↓" : "↑") : ""),
    );
    head.append(h("th", { scope: "col", class: on ? "on" : null, "aria-sort": on ? (turned ? "descending" : "ascending") : null, "data-column": column.id }, button));
  }
  $("table-head").replaceChildren(head);
  for (const one of test.systems) rowsOf.delete(one);
  fillTable(test);
}

function sortBy(column) {
  if (state.sort === column.id) state.down = !state.down;
  else Object.assign(state, { sort: column.id, down: true });
  document.dispatchEvent(new CustomEvent("changed", { detail: "sort" }));
}

const alphaTitle = () => `n^${state.alpha.toFixed(2)}`;

/** The column that sorts, and what the search leaves, in its order. */
function ordered(test, columns) {
  const sorted = columns.find((one) => one.id === state.sort) || columns[0];
  return [sorted, model.rankedVisible(test, model.valueOf(sorted, test), state.down === (sorted.better === "lower"))];
}

/** Order the rows and write their cells. */
export function fillTable(test) {
  const columns = model.columns(test);
  const [sorted, order] = ordered(test, columns);
  const first = firstOf(test.systems.length);
  const most = shownAll ? order.length : Math.min(order.length, first);
  const [values, intervals] = [model.valueOf, model.intervalOf].map((of) => columns.map((column) => of(column, test)));
  const at = columns.indexOf(sorted);
  const range = intervalRange(order.slice(0, most), intervals[at]);
  const spread = model.spreadOf(sorted, test);
  const rows = order.slice(0, most).map(({ system, rank, value }) => {
    if (!rowsOf.has(system)) rowsOf.set(system, newRow(test, system, columns));
    const row = rowsOf.get(system);
    row.rank.textContent = Number.isNaN(value) ? "–" : rank;
    if (system.runs.length > 1) row.spread.textContent = ` ± ${percent(spread(system))}`;
    row.cells.forEach((cell, i) => {
      cell.number.textContent = percent(values[i](system));
      cell.ends.textContent = ends(intervals[i](system));
    });
    drawGlyph(row, at, intervals[at](system), value, range);
    return row.element;
  });
  $("table-body").replaceChildren(...rows);
  const head = document.querySelector('[data-sort="alpha"] span');
  if (head) head.textContent = alphaTitle();
  const all = whole(test.systems.length);
  const samples = test.kind === "facts" ? "" : `, ${whole(test.n)} samples`;
  $("count").textContent = `${order.length === test.systems.length ? all : `${whole(order.length)} of ${all}`} systems${samples}`;
  const more = $("more");
  more.hidden = order.length <= first;
  more.textContent = shownAll ? `Show the first ${first}` : `Show all ${whole(order.length)}`;
  $("notes").replaceChildren(...notes(test, sorted));
  roam();
}

export function toggleAll() {
  shownAll = !shownAll;
  fillTable(model.test());
}

function notes(test, sorted) {
  const found = [h("code", { class: "signature", id: "signature" }, model.signatureOf(sorted, test))];
  if (test.kind !== "facts" && !model.isUsual(model.rules(test), test)) found.push(h("span", {}, "Intervals belong to F1 under the usual label policy, so none is shown here."));
  else if (sorted.id === "alpha" && model.isBetween()) found.push(h("span", {}, "The interval at this α lies on the line between those computed at the two nearest twentieths."));
  return found;
}

/** A name that may break after a mark. */
const breakable = (name) => name.split(/(?<=[_/+-])/).flatMap((part, i) => (i ? [h("wbr"), part] : [part]));

function newRow(test, system, columns) {
  const rank = h("td", { class: "rank" });
  const range = h("td", { class: "range", "aria-hidden": "true" });
  const tag = { submitted: "submitted", published: "published", trained: "trained here" }[system.origin];
  const name = h("th", { scope: "row", class: "system" }, h("button", { type: "button", class: "name", title: "Name this system in the figure", "data-key": system.key, onclick: () => pin(system) }, breakable(system.name)));
  const facts = test.kind === "facts" ? `${whole(system.facts)} true facts` : "";
  const several = system.runs.length > 1;
  const runs = several ? `mean of ${system.runs.length} seeds` : system.seed === null ? "" : `one run, seed ${system.seed}`;
  const join = (...words) => words.filter(Boolean).join(" · ");
  const more = join(system.encoder, /^none stated/.test(system.licence) ? "no licence stated" : system.licence);
  const spread = h("span", { title: "standard deviation over the seeds, of the column that sorts" });
  const small = h("span", { class: "about" }, join(tag, facts, runs), several ? spread : "", more ? ` · ${more}` : "");
  if (system.link) small.append(" · ", h("a", { href: system.link, rel: "noopener noreferrer nofollow", target: "_blank" }, "source"));
  name.append(small);
  const cells = columns.map((column) => {
    const cell = h("td", { class: "score", "data-column": column.id }, h("button", { type: "button", class: "value", tabindex: "-1", onclick: () => showNumber(test, system, column) }, h("span", { class: "number" }), h("span", { class: "ends" })));
    return { cell, number: cell.querySelector(".number"), ends: cell.querySelector(".ends") };
  });
  return { rank, name, spread, cells, range, element: h("tr", {}, rank, name, range, cells.map((one) => one.cell)) };
}

/** The scale of the intervals: those of all rows, but for the few that are far behind. */
function intervalRange(order, interval) {
  const found = order.filter((one) => !Number.isNaN(one.value)).map(({ system, value }) => interval(system) || [value, value]);
  if (!found.length) return [0, 0];
  const lows = found.map((one) => one[0]).sort((a, b) => a - b);
  const high = Math.max(...found.map((one) => one[1]));
  const tenth = lows[Math.floor(0.1 * (lows.length - 1))];
  return [Math.max(lows[0], tenth - 0.25 * (high - tenth)), high];
}

/** The interval of the sorted column as a small line on a common scale. */
function drawGlyph(row, at, interval, value, [low, high]) {
  row.cells.forEach((one, i) => one.cell.classList.toggle("on", i === at));
  row.range.replaceChildren();
  if (Number.isNaN(value) || !(high > low)) return;
  const place = (x) => Math.min(100, Math.max(0, (100 * (x - low)) / (high - low)));
  const [from, to] = (interval || [value, value]).map(place);
  const line = h("i", { style: `left:${from}%;width:${to - from}%` });
  row.range.append(h("span", { class: "glyph" }, line, value < low ? null : h("b", { style: `left:${place(value)}%` })));
}

function pin(system) {
  const key = system.key;
  state.pinned = state.pinned.includes(key) ? state.pinned.filter((one) => one !== key) : [...state.pinned, key].slice(-6);
  document.dispatchEvent(new CustomEvent("changed", { detail: "pin" }));
}

export function markPinned() {
  const names = new Map(drawn.named.map((one, i) => [one.key, i]));
  for (const button of document.querySelectorAll("#table-body .name")) {
    const place = names.get(button.dataset.key);
    button.style.setProperty("--mark", place === undefined ? "transparent" : colour(place));
    button.setAttribute("aria-pressed", String(state.pinned.includes(button.dataset.key)));
  }
}

/** One tab stop for all numbers; arrows go from cell to cell. */
function roam() {
  const first = document.querySelector("#table-body .value");
  if (first && !document.querySelector('#table-body .value[tabindex="0"]')) first.tabIndex = 0;
}

export function roamWithArrows(event) {
  const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
  const cell = event.target.closest?.(".value");
  if (!steps || !cell) return;
  event.preventDefault();
  const rows = [...$("table-body").rows];
  const row = rows.indexOf(cell.closest("tr")) + steps[0];
  const column = [...cell.closest("tr").querySelectorAll(".value")].indexOf(cell) + steps[1];
  const next = rows[row]?.querySelectorAll(".value")[column];
  if (!next) return;
  cell.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

/** One number with all that it needs to be cited. */
function showNumber(test, system, column) {
  const value = model.valueOf(column, test)(system);
  const interval = model.intervalOf(column, test)(system);
  const sign = model.signatureOf(column, test, Boolean(interval));
  const title = column.id === "alpha" ? alphaTitle() : column.title;
  const rows = [["System", title, ...(interval ? ["low", "high"] : [])], [system.key, value, ...(interval || [])]];
  const dialog = $("number");
  dialog.replaceChildren(
    h("form", { method: "dialog" }, h("button", { class: "close", "aria-label": "Close" }, "×")),
    h("h2", { id: "number-title" }, system.key),
    h("p", { class: "big" }, percent(value), interval ? h("small", {}, ` ${ends(interval)} (95 %)`) : ""),
    h("p", {}, `${title} on ${test.title}${test.version ? `, ${test.version} labels` : ""}. ${column.about || ""}`),
    h("code", { class: "signature" }, sign),
    h(
      "div",
      { class: "copying" },
      h("button", { type: "button", onclick: () => copy(tableText("markdown", rows, [sign]), "Number") }, "Copy as Markdown"),
      h("button", { type: "button", onclick: () => copy(tableText("latex", rows, [sign]), "Number") }, "Copy as LaTeX"),
      h("button", { type: "button", onclick: () => copy(location.href, "Address") }, "Copy this view's address"),
    ),
  );
  dialog.showModal();
}

/** The table as it is shown, for copying. */
function tableRows(test) {
  const columns = model.columns(test);
  const [, order] = ordered(test, columns);
  const values = columns.map((column) => model.valueOf(column, test));
  const head = ["System", ...columns.map((one) => (one.id === "alpha" ? alphaTitle() : one.title))];
  return [[head, ...order.map(({ system }) => [system.key, ...values.map((of) => of(system))])], columns.map((one) => model.signatureOf(one, test, false))];
}

export const rankingCopy = () => copyButtons(() => tableRows(model.test()), "leaderboard");
