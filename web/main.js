// Puts the views together: reads the address, listens, draws what changed.

const DRAW = { classes: drawClasses, compare: drawCompare, agreement: drawAgreement, direction: drawDirection };

function viewsOf(test) {
  const direction = test.measures.some((one) => one.kind === "paired") ? ["direction"] : [];
  return ["ranking", ...(isFacts(test) ? [] : ["classes", "compare"]), "agreement", ...direction];
}

function drawControls(test) {
  const sets = data.testsets.filter((one, i) => data.testsets.findIndex((other) => other.base === one.base) === i);
  $("dataset").replaceChildren(...sets.map((one) => h("option", { value: one.base, selected: one.base === test.base }, one.title)));
  const versions = data.testsets.filter((one) => one.base === test.base);
  const version = ({ id, version }) => {
    const radio = h("input", { type: "radio", name: "version", value: id, checked: id === test.id, onchange: () => choose({ test: id }) });
    return h("label", {}, radio, h("span", {}, version || "as released"));
  };
  $("versions").hidden = versions.length < 2;
  $("versions").replaceChildren(h("legend", {}, "Gold labels"), ...versions.map(version));
  const facts = isFacts(test);
  $("policy-box").hidden = $("score-box").hidden = facts;
  const about = { supported: "with gold samples", observed: "gold or predicted", listed: "all listed" };
  const policy = state.labels || usualLabels(test);
  $("policy").replaceChildren(...Object.entries(about).map(([value, words]) => h("option", { value, selected: value === policy }, words)));
  $("score").value = state.score;
  $("search").value = state.query;
  $("slider-title").textContent = facts ? "Area up to recall" : "Weight of a class: n to the power α";
  $("alpha").value = facts ? state.recall : state.alpha;
  $("alpha").min = facts ? "0.01" : "0";
  $("alpha-ticks").hidden = facts;
  const views = viewsOf(test);
  if (!views.includes(state.view)) state.view = "ranking";
  $("tabs").replaceChildren(
    ...views.map((name) => {
      const on = name === state.view;
      const more = { role: "tab", id: `tab-${name}`, "aria-controls": `view-${name}`, "aria-selected": String(on), tabindex: on ? "0" : "-1" };
      return button(VIEWS[name], () => choose({ view: name }), more);
    }),
  );
  for (const name of Object.keys(VIEWS)) $(`view-${name}`).hidden = name !== state.view;
  $("slider-box").hidden = state.view === "direction" || (facts && state.view !== "ranking");
  drawAlpha(facts);
}

function drawAlpha(facts) {
  const value = facts ? state.recall : state.alpha;
  const name = { 0: " · macro", 0.75: " · dodrans", 1: " · weighted" }[value] || "";
  const recall = value >= 1 ? "whole list" : `recall ≤ ${value.toFixed(2)}`;
  $("alpha-value").textContent = facts ? recall : `α = ${value.toFixed(2)}${name}`;
  $("alpha").setAttribute("aria-valuetext", $("alpha-value").textContent);
  $("alpha").style.setProperty("--at", `${100 * value}%`);
}

function drawView(test) {
  if (state.view === "ranking") drawTable(test);
  else DRAW[state.view](test, $(`view-${state.view}`));
}

/** Draw all of it. */
function draw() {
  const test = testSet();
  drawControls(test);
  sayHeadline(test);
  if (state.view === "ranking") drawCurves(test);
  drawView(test);
  document.title = `${test.title} · Beyond Micro-F1 leaderboard`;
  remember();
}

/** Draw all of it after something in it was used, which keeps the focus. */
function redraw() {
  const used = document.activeElement;
  const name = ["data-class", "data-sort", "data-key", "aria-label"].find((one) => used.hasAttribute(one));
  const value = name && used.getAttribute(name);
  draw();
  if (name) [...document.querySelectorAll(`main [${name}]`)].find((one) => one.getAttribute(name) === value)?.focus();
}

function choose(changes) {
  const base = (id) => data.testsets.find((one) => one.id === id).base;
  const other = changes.test && base(changes.test) !== base(state.test);
  Object.assign(state, changes, other ? { out: "", a: "", b: "", pinned: [], query: "", labels: "", sort: "alpha", down: true } : {});
  draw();
}

let waiting = 0;
function slide(event) {
  const test = testSet();
  const facts = isFacts(test);
  state[facts ? "recall" : "alpha"] = Number(event.target.value);
  if (state.view === "ranking") {
    if (!["alpha", "until"].includes(state.sort)) Object.assign(state, { sort: facts ? "until" : "alpha", down: true });
    drawTable(test);
    moveRule();
  } else if (!waiting) waiting = requestAnimationFrame(() => ((waiting = 0), drawView(testSet())));
  drawAlpha(facts);
  clearTimeout(slide.later);
  slide.later = setTimeout(remember, 150);
}

function search(event) {
  state.query = event.target.value;
  drawTable(testSet());
  remember();
}

function showAll() {
  drawn.all = !drawn.all;
  drawTable(testSet());
}

function turnTheme() {
  const { dataset } = document.documentElement;
  const dark = dataset.theme ? dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  dataset.theme = dark ? "light" : "dark";
  say(dark ? "Light" : "Dark");
}

function turnTab(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const views = viewsOf(testSet());
  choose({ view: views[(views.indexOf(state.view) + step + views.length) % views.length] });
  $(`tab-${state.view}`).focus();
}

function drawIfWider() {
  if (window.innerWidth === drawIfWider.width) return;
  drawIfWider.width = window.innerWidth;
  clearTimeout(drawIfWider.later);
  drawIfWider.later = setTimeout(draw, 120);
}

function listen() {
  const chosen = { dataset: (value) => ({ test: data.testsets.find((one) => one.base === value).id }), score: (score) => ({ score }) };
  chosen.policy = (labels) => ({ labels: labels === usualLabels(testSet()) ? "" : labels, out: "" });
  for (const [id, changes] of Object.entries(chosen)) $(id).addEventListener("change", (event) => choose(changes(event.target.value)));
  $("alpha").addEventListener("input", slide);
  $("search").addEventListener("input", search);
  $("more").addEventListener("click", showAll);
  $("curves").addEventListener("pointerdown", dragInFigure);
  $("table-body").addEventListener("keydown", roamWithArrows);
  $("copy-place").append(copyButtons(rankingRows, "leaderboard"));
  $("cite").addEventListener("click", () => copy(location.href, "Address"));
  $("theme").addEventListener("click", turnTheme);
  $("tabs").addEventListener("keydown", turnTab);
  window.addEventListener("hashchange", () => (readAddress(location.hash, data.testsets), draw()));
  drawIfWider.width = window.innerWidth;
  window.addEventListener("resize", drawIfWider);
}

if (data.testsets.length) {
  readAddress(location.hash, data.testsets);
  listen();
  draw();
} else $("headline").textContent = "No system is stored yet. The command below adds one.";
window.leaderboard = { averages, liveColumn, testSet };
