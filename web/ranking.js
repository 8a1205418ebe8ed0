// The ranking: who leads over α (or the precision–recall curves), and the table.

const THUMB = 11; // half the slider's thumb: its middle stops that far from the ends
/** The figure's x scale, the systems that it names; the width of the window that it was drawn for. */
const drawn = { x: null, named: [], width: window.innerWidth };

/** The systems that lead over α, each with the α from which on. */
function leadersOver(test) {
  const lines = spectra(test);
  const leaders = ALPHAS.map((_, at) => lines.reduce((best, line, i) => (line[at] > lines[best][at] ? i : best), 0));
  const turns = ALPHAS.map((from, at) => ({ from, leader: leaders[at], last: leaders[at - 1] })).filter(({ leader, last }) => leader !== last);
  return turns.map(({ from, leader, last }) => {
    const crossed = last === undefined ? [] : crossings(lines[last], lines[leader], ALPHAS);
    return { system: test.systems[leader], from: crossed.findLast((alpha) => alpha <= from) ?? from };
  });
}

function sayHeadline(test) {
  const bold = (one) => h("b", {}, one.system.key);
  if (test.facts) {
    const [best] = ranked(test.systems, fixedColumn({ id: "auc" }).value);
    $("headline").replaceChildren(bold(best), ` covers the largest area, ${percent(best.value)}, of ${test.systems.length} ranked lists of facts. Areas compare where the counts of facts are the same.`);
    return;
  }
  const parts = leadersOver(test);
  const names = new Set(parts.map((one) => one.system)).size;
  const turn = (part, i) => [i ? (i === parts.length - 1 ? ", and " : ", ") : "", bold(part), i ? ` from α = ${part.from.toFixed(2)}` : " leads from macro"];
  let words = [...parts.flatMap(turn), " to weighted."];
  if (parts.length === 1) words = [bold(parts[0]), " leads at every α, from macro to weighted."];
  if (parts.length > 4) words = [h("b", {}, `${names} systems`), " take the lead in turn as α goes from macro to weighted."];
  $("headline").replaceChildren(`On ${test.whole}, `, ...words, withinChance(test));
}

/** What to say if the interval of the difference of the two that lead under dodrans holds 0; else nothing. */
function withinChance(test) {
  const column = liveColumn("dodrans", test);
  const [first, second] = ranked(test.systems, column.value).map((one) => one.system);
  const interval = second && differenceOf(first, second, column, test).interval;
  return interval?.[0] <= 0 && interval[1] >= 0 ? ` Under dodrans the lead of ${first.key} over ${second.key} is within chance.` : "";
}

/** The figure of the ranking; the rule of α is moved without drawing again. */
function drawCurves(test) {
  const place = $("curves");
  const width = place.clientWidth || 900;
  const size = { width, height: (width < 560 ? 260 : 330) + (test.facts ? 40 : 0) };
  const [svg, legend] = lineChart({ ...size, ...(test.facts ? curvesOfFacts(test) : curvesOverAlpha(test, width < 560)) });
  drawn.x = svg.scale("x");
  const rule = h("div", { class: "alpha-rule", id: "alpha-rule", "aria-hidden": "true", style: `height:${svg.height.baseVal.value - 50}px` });
  place.replaceChildren(svg, rule, legend);
  // the slider's track is as wide as the axis
  const [from, to] = test.facts ? [THUMB, place.clientWidth - THUMB] : drawn.x.range;
  $("slider-box").style.setProperty("--left", `${from - THUMB}px`);
  $("slider-box").style.setProperty("--right", `${place.clientWidth - to - THUMB}px`);
  moveRule();
}

/** Lines of the systems that the figure names, and thinner ones of the others that the search leaves. heights: of a system, fractions at the x of each step. */
function linesOf(test, named, heights, x, thinned) {
  drawn.named = named;
  const others = searched(test).filter((one) => !named.includes(one)).slice(0, test.systems.length > 200 ? 200 : 1000);
  const drawnOf = (systems, every) => {
    const looks = systems.map((one, i) => ({ system: one, name: one.key, colour: colour(i) }));
    const pointsOf = ({ system, ...look }) => heights(system).map((y, at) => ({ ...look, x: x(at), y: 100 * y }));
    const lines = looks.map((look) => ({ ...look, points: pointsOf(look).filter((_, at) => at % every === 0) }));
    return lines.filter((one) => one.points.length); // a list without a hit has no curve
  };
  return { lines: drawnOf(named, 1), faint: drawnOf(others, thinned) };
}

function curvesOverAlpha(test, narrow) {
  const all = spectra(test);
  const named = highlighted(test, all);
  const dotsOf = (first, second) =>
    crossings(first, second, ALPHAS).map((alpha) => ({ x: alpha, y: 100 * heightAt(first, 100 * alpha), name: alpha.toFixed(2) }));
  const marks = { 0: "0 · macro", 0.75: narrow ? "¾" : "¾ · dodrans", 1: narrow ? "1" : "1 · weighted" };
  const unit = state.score === "f1" ? "F1" : state.score;
  return {
    ...linesOf(test, named, (one) => all[one.at], (at) => ALPHAS[at], 5),
    dots: named.flatMap((one, i) => named.slice(i + 1).flatMap((other) => dotsOf(all[one.at], all[other.at]))),
    x: { domain: [0, 1], label: null, ticks: [0, 0.25, 0.5, 0.75, 1], format: (x) => marks[x] || String(x) },
    y: { label: `${unit} under n^α, %` },
    label: `${unit} of ${test.systems.length} systems under n to the α; named: ${named.map((one) => one.key).join(", ")}`,
  };
}

/** Precision–recall curves, thinned to what a screen shows; of several runs the mean at each recall that all reach. */
function curvesOfFacts(test) {
  const named = highlighted(test);
  const heights = ({ runs }) => means(runs.map((run) => run.curve).sort((a, b) => a.length - b.length));
  const { lines, faint } = linesOf(test, named, heights, (at) => (at + 1) / 300, 1);
  const most = Math.max(1, ...[...lines, ...faint].map((one) => one.points.length)) / 300;
  return {
    lines,
    faint,
    x: { domain: [0, Math.min(1, most * 1.02)], label: "recall", anchor: "center", ticks: 6 },
    y: { label: "precision, %", domain: [0, 100] },
    label: `Precision–recall curves of ${test.systems.length} systems; named: ${named.map((one) => one.key).join(", ")}`,
  };
}

function moveRule() {
  $("alpha-rule").style.transform = `translateX(${drawn.x.apply(state[testSet().slider.field])}px)`;
}

/** While the figure is pressed, the α under the pointer is that of the slider. */
function slideInFigure(event) {
  const [curves, [from, to]] = [$("curves"), drawn.x.range];
  if (event.type === "pointerdown" && !testSet().facts && !event.target.closest(".legend")) curves.setPointerCapture(event.pointerId);
  if (!curves.hasPointerCapture(event.pointerId)) return;
  $("alpha").value = clip((event.clientX - curves.getBoundingClientRect().left - from) / (to - from)).toFixed(2);
  slide();
}

/** The columns, the one that sorts, and the systems in its order; ranks are those among all, also of what the search leaves. */
function ordered(test) {
  const columns = columnsOf(test);
  const sorted = columns.find((one) => one.id === state.sort) || columns[0];
  const shown = searched(test);
  const order = ranked(test.systems, sorted.value, state.down === (sorted.better === "lower"));
  return [columns, sorted, order.filter((one) => shown.includes(one.system))];
}

function drawTable(test) {
  const [columns, sorted, order] = ordered(test);
  state.sort = sorted.id;
  const heads = ["#", "System"].map((words, i) => h("th", { scope: "col", class: ["rank", "system"][i] }, words));
  $("table-head").replaceChildren(h("tr", {}, heads, h("td", { class: "range" }), columns.map((one) => columnHead(one, sorted))));
  const first = test.systems.length > 200 ? 30 : 60; // more would make the slider slow where there are a thousand
  const shown = order.slice(0, state.all ? order.length : first);
  const scale = intervalScale(shown, sorted.interval);
  $("table-body").replaceChildren(...shown.map((one) => rowOf(test, one, columns, sorted, scale)));
  // one tab stop for all numbers; arrows go from cell to cell
  $("table-body").querySelector(".value")?.setAttribute("tabindex", "0");
  const all = whole(test.systems.length);
  const some = order.length === test.systems.length ? all : `${whole(order.length)} of ${all}`;
  $("count").textContent = `${some} system${order.length === 1 ? "" : "s"}${test.facts ? "" : `, ${whole(test.n)} samples`}`;
  $("more").hidden = order.length <= first;
  $("more").textContent = state.all ? `Show the first ${first}` : `Show all ${whole(order.length)}`;
  const steps = state.alpha * data.alphaSteps;
  let note = "";
  if (!test.facts && !rulesOf(test).usual) note = "Intervals belong to F1 under the usual label policy, so none is shown here.";
  else if (sorted.id === "alpha" && Math.abs(steps - Math.round(steps)) > 1e-6) note = "The interval at this α lies on the line between those computed at the two nearest twentieths.";
  $("notes").replaceChildren(h("code", { class: "signature", id: "signature" }, sorted.signature()), note && h("span", {}, note));
}

function columnHead(column, sorted) {
  const [on, falling] = [column === sorted, state.down !== (column.better === "lower")];
  const words = [h("span", {}, column.title), h("span", { class: "arrow", "aria-hidden": "true" }, on ? (falling ? "↓" : "↑") : "")];
  const sort = button(words, () => choose({ sort: column.id, down: !(on && state.down) }), { title: column.about || null, "data-sort": column.id });
  return h("th", { scope: "col", class: on && "on", "aria-sort": on && (falling ? "descending" : "ascending"), "data-column": column.id }, sort);
}

/** A name that may break after a mark. */
const breakable = (name) => name.split(/(?<=[_/+-])/).flatMap((part, i) => (i ? [h("wbr"), part] : [part]));

function rowOf(test, { system, rank, value }, columns, sorted, scale) {
  const number = (column) => {
    const words = [h("span", { class: "number" }, percent(column.value(system))), h("span", { class: "ends" }, ends(column.interval(system)))];
    const shown = button(words, () => showNumber(test, system, column), { class: "value", tabindex: "-1" });
    return h("td", { class: column === sorted ? "score on" : "score", "data-column": column.id }, shown);
  };
  const first = [
    h("td", { class: "rank" }, Number.isNaN(value) ? "–" : String(rank)),
    h("th", { scope: "row", class: "system" }, nameOf(system), aboutSystem(test, system, sorted)),
    h("td", { class: "range", "aria-hidden": "true" }, glyph(sorted.interval(system), value, scale)),
  ];
  return h("tr", {}, first, columns.map(number));
}

/** The name of a system; pressed, the figure names it, in the colour of its mark. */
function nameOf(system) {
  const { key, name } = system;
  const place = drawn.named.indexOf(system);
  const [pinned, others] = [state.pinned.includes(key), state.pinned.filter((one) => one !== key)];
  const look = { class: "name", title: "Name this system in the figure", style: `--mark:${place < 0 ? "transparent" : colour(place)}` };
  const pin = () => choose({ pinned: pinned ? others : [...others, key].slice(-6) });
  return button(breakable(name), pin, { ...look, "data-key": key, "aria-pressed": String(pinned) });
}

function aboutSystem(test, system, sorted) {
  const { runs, seed, encoder, link } = system;
  const origin = system.origin === "trained" ? "trained here" : system.origin;
  const facts = test.facts && `${whole(system.facts)} true facts`;
  const spread = () => h("span", { title: "standard deviation over the seeds, of the column that sorts" }, ` ± ${percent(sorted.spread(system))}`);
  const seeds = runs.length > 1 ? [`mean of ${runs.length} seeds`, spread()] : seed !== null && `one run, seed ${seed}`;
  const licence = /^none stated/.test(system.licence) ? "no licence stated" : system.licence;
  const source = link && h("a", { href: link, rel: "noopener noreferrer nofollow", target: "_blank" }, "source");
  const words = [origin, facts, seeds, encoder, licence, source].filter(Boolean);
  return h("span", { class: "about" }, words.flatMap((one, i) => [i ? " · " : "", one].flat()));
}

/** The scale of the intervals: those of all rows, but for the few that are far behind. */
function intervalScale(order, interval) {
  const known = order.filter((one) => !Number.isNaN(one.value)).map(({ system, value }) => interval(system) || [value, value]);
  return spread(known.map((one) => one[0]), Math.max(...known.map((one) => one[1])), 0.1, 0.25);
}

/** The interval of the sorted column as a small line on a common scale. */
function glyph(interval, value, [low, high]) {
  if (Number.isNaN(value) || !(high > low)) return "";
  const [from, to, at] = [...(interval || [value, value]), value].map((x) => 100 * clip((x - low) / (high - low)));
  const dot = value < low ? "" : h("b", { style: `left:${at}%` });
  return h("span", { class: "glyph" }, h("i", { style: `left:${from}%;width:${to - from}%` }), dot);
}

function roamWithArrows(event) {
  const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
  const cell = event.target.closest(".value");
  if (!step || !cell) return;
  event.preventDefault();
  const row = cell.closest("table").rows[cell.closest("tr").rowIndex + step[0]];
  const next = row?.cells[cell.closest("td").cellIndex + step[1]]?.querySelector(".value");
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
  const buttons = [
    button("Copy as Markdown", copied("markdown")),
    button("Copy as LaTeX", copied("latex")),
    button("Copy this view's address", () => copy(location.href, "Address")),
  ];
  $("number").replaceChildren(
    h("form", { method: "dialog" }, h("button", { class: "close", "aria-label": "Close" }, "×")),
    h("h2", { id: "number-title" }, system.key),
    h("p", { class: "big" }, percent(value), interval ? h("small", {}, ` ${ends(interval)} (95 %)`) : ""),
    h("p", {}, `${column.title} on ${test.whole}. ${column.about || ""}`),
    h("code", { class: "signature" }, sign),
    h("div", { class: "copying" }, buttons),
  );
  $("number").showModal();
}

/** The table as it is shown, for copying. */
function rankingRows() {
  const [columns, , order] = ordered(testSet());
  const rows = order.map(({ system }) => [system.key, ...columns.map((one) => one.value(system))]);
  return [[["System", ...columns.map((one) => one.title)], ...rows], columns.map((one) => one.signature(false))];
}
