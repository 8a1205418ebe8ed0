// Puts the views together: reads the address, listens, draws what changed.

/** What is as usual again on another test set. */
const AFRESH = { out: "", a: "", b: "", pinned: [], query: "", labels: "", sort: "alpha", down: true };

function drawControls(test) {
  const sets = Map.groupBy(data.testsets, (one) => one.base);
  $("dataset").replaceChildren(...Array.from(sets, ([value, [one]]) => h("option", { value, selected: value === test.base }, one.title)));
  const versions = sets.get(test.base);
  const version = ({ id, version }) => {
    const radio = h("input", { type: "radio", class: "hidden", name: "version", value: id, "data-key": id, checked: id === test.id, onchange: () => choose({ test: id }) });
    return h("label", {}, radio, h("span", {}, version || "as released"));
  };
  $("versions").hidden = versions.length < 2;
  $("versions").replaceChildren(h("legend", {}, "Gold labels"), ...versions.map(version));
  $("policy-box").hidden = $("score-box").hidden = $("alpha-ticks").hidden = test.facts;
  $("policy").value = state.labels || test.usual;
  $("score").value = state.score;
  $("search").value = state.query;
  $("slider-title").textContent = test.slider.title;
  $("alpha").min = test.slider.min;
  $("alpha").value = state[test.slider.field];
  if (!test.views.includes(state.view)) state.view = "ranking";
  const tab = (name) => {
    const on = name === state.view;
    const more = { role: "tab", id: `tab-${name}`, "aria-controls": panelOf(name).id, "aria-selected": String(on), tabindex: on ? "0" : "-1" };
    return button(name[0].toUpperCase() + name.slice(1), () => choose({ view: name }), more);
  };
  $("tabs").replaceChildren(...test.views.map(tab));
  $("view-ranking").hidden = state.view !== "ranking";
  $("view-other").hidden = state.view === "ranking";
  panelOf(state.view).setAttribute("aria-labelledby", `tab-${state.view}`);
  $("slider-box").hidden = state.view === "direction" || (test.facts && state.view !== "ranking");
  drawAlpha(test);
}

function drawAlpha(test) {
  const value = state[test.slider.field];
  const named = namedAt(value) ? ` · ${namedAt(value)}` : "";
  const recall = value >= 1 ? "whole list" : `recall ≤ ${value.toFixed(2)}`;
  $("alpha-value").textContent = test.facts ? recall : `α = ${value.toFixed(2)}${named}`;
  $("alpha").setAttribute("aria-valuetext", $("alpha-value").textContent);
  $("alpha").style.setProperty("--at", `${100 * value}%`);
}

const panelOf = (view) => $(view === "ranking" ? "view-ranking" : "view-other");
const drawView = (test) => VIEWS[state.view](test, panelOf(state.view));

/** Draw all of it; what was used keeps the focus. */
function draw() {
  const used = document.activeElement;
  const name = ["data-class", "data-sort", "data-key", "aria-label"].find((one) => used.hasAttribute(one));
  const mark = name && `[${name}="${CSS.escape(used.getAttribute(name))}"]`;
  const test = testSet();
  drawControls(test);
  sayHeadline(test);
  if (state.view === "ranking") drawCurves(test);
  drawView(test);
  document.title = `${test.title} · Beyond Micro-F1 leaderboard`;
  remember();
  if (name) document.querySelector(mark)?.focus({ preventScroll: true });
}

function choose(changes) {
  Object.assign(state, changes);
  draw();
}

function slide() {
  const test = testSet();
  const { field, column } = test.slider;
  state[field] = Number($("alpha").value);
  if (state.view === "ranking") {
    if (state.sort !== column) Object.assign(state, { sort: column, down: true });
    moveRule();
  }
  drawView(test);
  drawAlpha(test);
  clearTimeout(slide.later);
  slide.later = setTimeout(remember, 150);
}

function search(event) {
  state.query = event.target.value;
  drawTable(testSet());
  remember();
}

function turnTheme() {
  const { style } = document.documentElement;
  const dark = style.colorScheme ? style.colorScheme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  style.colorScheme = dark ? "light" : "dark";
  say(dark ? "Light" : "Dark");
}

function turnTab(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const { views } = testSet();
  choose({ view: views.at((views.indexOf(state.view) + step) % views.length) });
  $(`tab-${state.view}`).focus();
}

function drawIfWider() {
  if (window.innerWidth === drawn.width) return;
  drawn.width = window.innerWidth;
  clearTimeout(drawIfWider.later);
  drawIfWider.later = setTimeout(draw, 120);
}

function listen() {
  $("dataset").onchange = ({ target }) => choose({ ...AFRESH, test: data.testsets.find((one) => one.base === target.value).id });
  $("policy").onchange = ({ target }) => choose({ labels: target.value === testSet().usual ? "" : target.value, out: "" });
  $("score").onchange = ({ target }) => choose({ score: target.value });
  $("alpha").oninput = slide;
  $("search").oninput = search;
  $("more").onclick = () => choose({ all: !state.all });
  $("curves").onpointerdown = $("curves").onpointermove = slideInFigure;
  $("table-body").onkeydown = roamWithArrows;
  $("copy-place").append(copyButtons(rankingRows, "leaderboard"));
  $("cite").onclick = () => copy(location.href, "Address");
  $("theme").onclick = turnTheme;
  $("tabs").onkeydown = turnTab;
  window.onhashchange = () => (readAddress(), draw());
  window.onresize = drawIfWider;
}

if (data.testsets.length) {
  readAddress();
  listen();
  draw();
} else $("headline").textContent = "No system is stored yet. The command below adds one.";
window.leaderboard = { averages, liveColumn, testSet };
