// The ranking: who leads over α (or the precision–recall curves), and the table.

const firstOf = (systems) => (systems > 200 ? 30 : 60); // rows that are shown: more would make the slider slow where there are a thousand
const THUMB = 11; // half the slider's thumb: its middle stops that far from the ends
const drawn = { x: null, named: [], all: false }; // the figure's x scale, the systems that it names; whether all rows are shown

/** The sentence above: who leads from which α on. */
function leadersOver(test) {
  const lines = spectra(test);
  const leaders = ALPHAS.map((_, at) => lines.reduce((best, line, i) => (line[at] > lines[best][at] ? i : best), 0));
  const turns = leaders.map((leader, at) => ({ leader, from: ALPHAS[at] })).filter(({ leader }, at) => leader !== leaders[at - 1]);
  return turns.map(({ leader, from }, i) => {
    const crossed = i ? crossings(lines[turns[i - 1].leader], lines[leader], ALPHAS).findLast((alpha) => alpha <= from) : from;
    return { system: test.systems[leader], from: crossed ?? from };
  });
}

function sayHeadline(test) {
  const bold = (one) => h("b", {}, one.system.key);
  if (isFacts(test)) {
    const [best] = ranked(test.systems, fixedColumn({ id: "auc" }).value);
    $("headline").replaceChildren(bold(best), ` covers the largest area, ${percent(best.value)}, of ${test.systems.length} ranked lists of facts. Areas compare where the counts of facts are the same.`);
    return;
  }
  const parts = leadersOver(test);
  const names = new Set(parts.map((one) => one.system.key)).size;
  const turn = (part, i) => [i ? (i === parts.length - 1 ? ", and " : ", ") : "", bold(part), i ? ` from α = ${part.from.toFixed(2)}` : " leads from macro"];
  let words = [...parts.flatMap(turn), " to weighted."];
  if (parts.length === 1) words = [bold(parts[0]), " leads at every α, from macro to weighted."];
  if (parts.length > 4) words = [h("b", {}, `${names} systems`), " take the lead in turn as α goes from macro to weighted."];
  const on = ["On ", test.title + (test.version ? `, ${test.version} labels` : ""), ", "];
  $("headline").replaceChildren(...on, ...words, withinChance(test));
}

/** What to say if the interval of the difference of the two that lead under dodrans holds 0; else nothing. */
function withinChance(test) {
  const column = liveColumn("dodrans", test);
  const [first, second] = ranked(test.systems, column.value);
  const interval = second && differenceOf(first.system, second.system, column, test).interval;
  if (!interval || interval[0] > 0 || interval[1] < 0) return "";
  return ` Under dodrans the lead of ${first.system.key} over ${second.system.key} is within chance.`;
}

/** The figure of the ranking; the rule of α is moved without drawing again. */
function drawCurves(test) {
  const place = $("curves");
  const width = place.clientWidth || 900;
  const size = { width, height: (width < 560 ? 260 : 330) + (isFacts(test) ? 40 : 0) };
  const [svg, legend] = lineChart({ ...size, ...(isFacts(test) ? curvesOfFacts(test) : curvesOverAlpha(test, width < 560)) });
  drawn.x = svg.scale("x");
  const rule = h("div", { class: "alpha-rule", id: "alpha-rule", "aria-hidden": "true", style: `height:${svg.height.baseVal.value - 50}px` });
  place.replaceChildren(svg, rule, legend);
  // the slider's track is as wide as the axis
  const [from, to] = isFacts(test) ? [THUMB, place.clientWidth - THUMB] : drawn.x.range;
  $("slider-box").style.setProperty("--left", `${from - THUMB}px`);
  $("slider-box").style.setProperty("--right", `${place.clientWidth - to - THUMB}px`);
  moveRule();
}

/** Lines of the systems that the figure names, and of the others that the search leaves. */
function linesOf(test, named, points, pointsOfOthers) {
  drawn.named = named;
  const others = searched(test).filter((one) => !named.includes(one)).slice(0, test.systems.length > 200 ? 200 : 1000);
  const lines = named.map((one, i) => ({ name: one.key, points: points(one), colour: colour(i) }));
  return { lines, faint: others.map((one) => ({ name: one.key, points: pointsOfOthers(one) })) };
}

function curvesOverAlpha(test, narrow) {
  const all = spectra(test);
  const named = highlighted(test, all);
  const points = (step) => (one) => all[one.at].flatMap((y, i) => (i % step ? [] : [[ALPHAS[i], 100 * y]]));
  const pairs = named.flatMap((one, i) => named.slice(i + 1).map((other) => [all[one.at], all[other.at]]));
  const dots = pairs.flatMap(([first, second]) =>
    crossings(first, second, ALPHAS).map((alpha) => ({ x: alpha, y: 100 * heightAt(first, 100 * alpha), name: alpha.toFixed(2) })),
  );
  const marks = { 0: "0 · macro", 0.75: narrow ? "¾" : "¾ · dodrans", 1: narrow ? "1" : "1 · weighted" };
  const unit = { f1: "F1", precision: "precision", recall: "recall" }[state.score];
  return {
    ...linesOf(test, named, points(1), points(5)),
    dots,
    x: { domain: [0, 1], label: null, ticks: [0, 0.25, 0.5, 0.75, 1], format: (x) => marks[x] || String(x) },
    y: { label: `${unit} under n^α, %` },
    label: `${unit} of ${test.systems.length} systems under n to the α; named: ${named.map((one) => one.key).join(", ")}`,
  };
}

/** Precision–recall curves, thinned to what a screen shows; of several runs the mean at each recall. */
function curvesOfFacts(test) {
  const named = highlighted(test);
  const points = ({ runs }) => {
    const least = Math.min(...runs.map((run) => run.curve.length));
    return runs[0].curve.slice(0, least).map((_, i) => [(i + 1) / 300, 100 * mean(runs.map((run) => run.curve[i]))]);
  };
  const { lines, faint } = linesOf(test, named, points, points);
  const most = Math.max(...[...lines, ...faint].map((one) => one.points.length / 300));
  return {
    lines,
    faint,
    x: { domain: [0, Math.min(1, most * 1.02)], label: "recall", anchor: "center", ticks: 6 },
    y: { label: "precision, %", domain: [0, 100] },
    label: `Precision–recall curves of ${test.systems.length} systems; named: ${named.map((one) => one.key).join(", ")}`,
  };
}

function moveRule() {
  $("alpha-rule").style.transform = `translateX(${drawn.x.apply(isFacts(testSet()) ? state.recall : state.alpha)}px)`;
}

/** The α under the pointer is that of the slider. */
function slideInFigure(event) {
  if (isFacts(testSet())) return;
  const [from, to] = drawn.x.range;
  const x = (event.clientX - $("curves").getBoundingClientRect().left - from) / (to - from);
  $("alpha").value = Math.min(1, Math.max(0, x)).toFixed(2);
  $("alpha").dispatchEvent(new Event("input", { bubbles: true }));
}

function dragInFigure(event) {
  if (event.target.closest(".legend")) return;
  slideInFigure(event);
  $("curves").addEventListener("pointermove", slideInFigure);
  window.addEventListener("pointerup", () => $("curves").removeEventListener("pointermove", slideInFigure), { once: true });
}

/** The columns, the one that sorts, and the systems in its order; ranks are those among all, also of what the search leaves. */
function ordered(test) {
  const columns = columnsOf(test);
  const sorted = columns.find((one) => one.id === state.sort) || columns[0];
  const shown = new Set(searched(test));
  const order = ranked(test.systems, sorted.value, state.down === (sorted.better === "lower"));
  return [columns, sorted, order.filter((one) => shown.has(one.system))];
}

function drawTable(test) {
  const [columns, sorted, order] = ordered(test);
  state.sort = sorted.id;
  const heads = ["#", "System"].map((words, i) => h("th", { scope: "col", class: ["rank", "system"][i] }, words));
  $("table-head").replaceChildren(h("tr", {}, heads, h("td", { class: "range" }), columns.map((one) => columnHead(one, sorted))));
  const first = firstOf(test.systems.length);
  const shown = order.slice(0, drawn.all ? order.length : first);
  const scale = intervalScale(shown, sorted.interval);
  $("table-body").replaceChildren(...shown.map((one) => rowOf(test, one, columns, sorted, scale)));
  const cell = document.querySelector("#table-body .value");
  if (cell) cell.tabIndex = 0; // one tab stop for all numbers; arrows go from cell to cell
  const all = whole(test.systems.length);
  const some = order.length === test.systems.length ? all : `${whole(order.length)} of ${all}`;
  $("count").textContent = `${some} system${order.length === 1 ? "" : "s"}${isFacts(test) ? "" : `, ${whole(test.n)} samples`}`;
  $("more").hidden = order.length <= first;
  $("more").textContent = drawn.all ? `Show the first ${first}` : `Show all ${whole(order.length)}`;
  let note = null;
  if (!isFacts(test) && !rulesOf(test).usual) note = "Intervals belong to F1 under the usual label policy, so none is shown here.";
  else if (sorted.id === "alpha" && isBetween()) note = "The interval at this α lies on the line between those computed at the two nearest twentieths.";
  $("notes").replaceChildren(h("code", { class: "signature", id: "signature" }, sorted.signature()), note ? h("span", {}, note) : "");
}

function columnHead(column, sorted) {
  const [on, falling] = [column === sorted, state.down !== (column.better === "lower")];
  const sort = () => {
    Object.assign(state, { down: on ? !state.down : true, sort: column.id });
    redraw();
  };
  const words = [h("span", {}, column.title), h("span", { class: "arrow", "aria-hidden": "true" }, on ? (falling ? "↓" : "↑") : "")];
  const attributes = { scope: "col", class: on ? "on" : null, "aria-sort": on ? (falling ? "descending" : "ascending") : null, "data-column": column.id };
  return h("th", attributes, h("button", { type: "button", title: column.about || null, "data-sort": column.id, onclick: sort }, ...words));
}

/** A name that may break after a mark. */
const breakable = (name) => name.split(/(?<=[_/+-])/).flatMap((part, i) => (i ? [h("wbr"), part] : [part]));

function rowOf(test, { system, rank, value }, columns, sorted, scale) {
  const number = (column) => {
    const interval = column.interval(system);
    const words = [h("span", { class: "number" }, percent(column.value(system))), h("span", { class: "ends" }, ends(interval))];
    const onclick = () => showNumber(test, system, column);
    return h("td", { class: column === sorted ? "score on" : "score", "data-column": column.id }, h("button", { type: "button", class: "value", tabindex: "-1", onclick }, ...words));
  };
  return h(
    "tr",
    {},
    h("td", { class: "rank" }, Number.isNaN(value) ? "–" : String(rank)),
    h("th", { scope: "row", class: "system" }, nameOf(system), aboutSystem(test, system, sorted)),
    h("td", { class: "range", "aria-hidden": "true" }, glyph(sorted.interval(system), value, scale)),
    columns.map(number),
  );
}

/** The name of a system; pressed, the figure names it, in the colour of its mark. */
function nameOf(system) {
  const pinned = state.pinned.includes(system.key);
  const place = drawn.named.indexOf(system);
  const pin = () => {
    state.pinned = pinned ? state.pinned.filter((one) => one !== system.key) : [...state.pinned, system.key].slice(-6);
    redraw();
  };
  const look = { class: "name", title: "Name this system in the figure", style: `--mark:${place < 0 ? "transparent" : colour(place)}` };
  return h("button", { type: "button", ...look, "data-key": system.key, "aria-pressed": String(pinned), onclick: pin }, ...breakable(system.name));
}

function aboutSystem(test, system, sorted) {
  const origin = { submitted: "submitted", published: "published", trained: "trained here" }[system.origin];
  const facts = isFacts(test) && `${whole(system.facts)} true facts`;
  const several = system.runs.length > 1;
  const runs = several ? `mean of ${system.runs.length} seeds` : system.seed !== null && `one run, seed ${system.seed}`;
  const spread = several && h("span", { title: "standard deviation over the seeds, of the column that sorts" }, ` ± ${percent(sorted.spread(system))}`);
  const more = [system.encoder, /^none stated/.test(system.licence) ? "no licence stated" : system.licence].filter(Boolean);
  const source = system.link && h("a", { href: system.link, rel: "noopener noreferrer nofollow", target: "_blank" }, "source");
  const words = [[origin, facts, runs].filter(Boolean).join(" · "), spread, ...more.map((one) => ` · ${one}`), source && " · ", source];
  return h("span", { class: "about" }, words.filter(Boolean));
}

/** The scale of the intervals: those of all rows, but for the few that are far behind. */
function intervalScale(order, interval) {
  const known = order.filter((one) => !Number.isNaN(one.value)).map(({ system, value }) => interval(system) || [value, value]);
  if (!known.length) return [0, 0];
  const lows = known.map((one) => one[0]).sort((a, b) => a - b);
  const high = Math.max(...known.map((one) => one[1]));
  const tenth = lows[Math.floor(0.1 * (lows.length - 1))];
  return [Math.max(lows[0], tenth - 0.25 * (high - tenth)), high];
}

/** The interval of the sorted column as a small line on a common scale. */
function glyph(interval, value, [low, high]) {
  if (Number.isNaN(value) || !(high > low)) return "";
  const place = (x) => Math.min(100, Math.max(0, (100 * (x - low)) / (high - low)));
  const [from, to] = (interval || [value, value]).map(place);
  const dot = value < low ? "" : h("b", { style: `left:${place(value)}%` });
  return h("span", { class: "glyph" }, h("i", { style: `left:${from}%;width:${to - from}%` }), dot);
}

function roamWithArrows(event) {
  const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
  const cell = event.target.closest?.(".value");
  if (!step || !cell) return;
  event.preventDefault();
  const rows = [...$("table-body").rows].map((row) => [...row.querySelectorAll(".value")]);
  const row = rows.findIndex((cells) => cells.includes(cell));
  const next = rows[row + step[0]]?.[rows[row].indexOf(cell) + step[1]];
  if (!next) return;
  cell.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

/** One number with all that it needs to be cited. */
function showNumber(test, system, column) {
  const [value, interval] = [column.value(system), column.interval(system)];
  const sign = column.signature(Boolean(interval));
  const rows = [["System", column.title, ...(interval ? ["low", "high"] : [])], [system.key, value, ...(interval || [])]];
  const copied = (kind) => () => copy(tableText(kind, rows, [sign]), "Number");
  $("number").replaceChildren(
    h("form", { method: "dialog" }, h("button", { class: "close", "aria-label": "Close" }, "×")),
    h("h2", { id: "number-title" }, system.key),
    h("p", { class: "big" }, percent(value), interval ? h("small", {}, ` ${ends(interval)} (95 %)`) : ""),
    h("p", {}, `${column.title} on ${test.title}${test.version ? `, ${test.version} labels` : ""}. ${column.about || ""}`),
    h("code", { class: "signature" }, sign),
    h(
      "div",
      { class: "copying" },
      button("Copy as Markdown", copied("markdown")),
      button("Copy as LaTeX", copied("latex")),
      button("Copy this view's address", () => copy(location.href, "Address")),
    ),
  );
  $("number").showModal();
}

/** The table as it is shown, for copying. */
function rankingRows() {
  const [columns, , order] = ordered(testSet());
  const rows = order.map(({ system }) => [system.key, ...columns.map((one) => one.value(system))]);
  return [[["System", ...columns.map((one) => one.title)], ...rows], columns.map((one) => one.signature(false))];
}
