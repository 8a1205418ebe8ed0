// Puts the views together: reads the address, listens, draws what changed.

import { h, $, say, copy } from "./dom.js";
import { state, readAddress, remember, VIEWS } from "./state.js";
import * as metrics from "./metrics.js";
import * as model from "./model.js";
import * as ranking from "./ranking.js";
import { drawClasses, drawCompare, drawAgreement, drawDirection } from "./views.js";

const DRAW = { classes: drawClasses, compare: drawCompare, agreement: drawAgreement, direction: drawDirection };

function viewsOf(test) {
  const found = ["ranking"];
  if (test.kind !== "facts") found.push("classes", "compare");
  found.push("agreement");
  if (test.measures.some((one) => one.kind === "paired")) found.push("direction");
  return found;
}

function drawControls(test) {
  const groups = new Map();
  model.data.testsets.forEach((one) => groups.set(one.base, [...(groups.get(one.base) || []), one]));
  $("dataset").replaceChildren(...[...groups].map(([base, some]) => h("option", { value: base, selected: base === test.base }, some[0].title)));
  const versions = groups.get(test.base);
  $("versions").hidden = versions.length < 2;
  $("versions").replaceChildren(
    h("legend", {}, "Gold labels"),
    ...versions.map((one) => h("label", {}, h("input", { type: "radio", name: "version", value: one.id, checked: one.id === test.id, onchange: () => choose({ test: one.id }) }), h("span", {}, one.version || "as released"))),
  );
  const facts = test.kind === "facts";
  $("policy-box").hidden = $("score-box").hidden = facts;
  const usual = test.kind === "sets" ? "listed" : "supported";
  const about = { supported: "with gold samples", observed: "gold or predicted", listed: "all listed" };
  $("policy").replaceChildren(...Object.entries(about).map(([name, words]) => h("option", { value: name, selected: (state.labels || usual) === name }, words)));
  $("score").value = state.score;
  $("search").value = state.query;
  $("slider-title").textContent = facts ? "Area up to recall" : "Weight of a class: n to the power α";
  $("alpha").value = facts ? state.recall : state.alpha;
  $("alpha-ticks").hidden = facts;
  $("alpha").min = facts ? "0.01" : "0";
  const views = viewsOf(test);
  if (!views.includes(state.view)) state.view = "ranking";
  $("tabs").replaceChildren(
    ...views.map((name) => h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `view-${name}`, "aria-selected": String(name === state.view), tabindex: name === state.view ? "0" : "-1", onclick: () => choose({ view: name }) }, VIEWS[name])),
  );
  for (const name of Object.keys(VIEWS)) $(`view-${name}`).hidden = name !== state.view;
  $("slider-box").hidden = state.view === "direction" || (facts && state.view !== "ranking");
  drawAlpha();
}

function drawAlpha() {
  const facts = model.test().kind === "facts";
  const value = facts ? state.recall : state.alpha;
  const name = { 0: "macro", 0.75: "dodrans", 1: "weighted" }[value];
  $("alpha-value").textContent = facts ? (value >= 1 ? "whole list" : `recall ≤ ${value.toFixed(2)}`) : `α = ${value.toFixed(2)}${name ? ` · ${name}` : ""}`;
  $("alpha").setAttribute("aria-valuetext", $("alpha-value").textContent);
  $("alpha").style.setProperty("--at", `${100 * value}%`);
}

/** Draw all of it. */
function draw() {
  const test = model.test();
  drawControls(test);
  ranking.sayHeadline(test);
  if (state.view === "ranking") {
    ranking.drawCurves(test);
    ranking.drawTable(test);
    ranking.markPinned();
  } else DRAW[state.view](test);
  document.title = `${test.title} · Beyond Micro-F1 leaderboard`;
  remember();
}

function choose(changes) {
  const other = changes.test && model.data.testsets.find((one) => one.id === changes.test)?.base !== model.test().base;
  Object.assign(state, changes, other ? { out: "", a: "", b: "", pinned: [], query: "", labels: "", sort: "alpha", down: true } : {});
  draw();
}

let waiting = 0;
function slide(event) {
  const test = model.test();
  const value = Number(event.target.value);
  if (test.kind === "facts") state.recall = value;
  else state.alpha = value;
  if (state.view === "ranking") {
    if (!["alpha", "until"].includes(state.sort)) {
      Object.assign(state, { sort: test.kind === "facts" ? "until" : "alpha", down: true });
      ranking.drawTable(test);
    } else ranking.fillTable(test);
    ranking.moveRule();
    ranking.markPinned();
  } else if (!waiting) waiting = requestAnimationFrame(() => ((waiting = 0), DRAW[state.view](model.test())));
  drawAlpha();
  clearTimeout(slide.later);
  slide.later = setTimeout(remember, 150);
}

function listen() {
  $("dataset").addEventListener("change", (event) => choose({ test: model.data.testsets.find((one) => one.base === event.target.value).id }));
  $("policy").addEventListener("change", (event) => choose({ labels: event.target.value === (model.test().kind === "sets" ? "listed" : "supported") ? "" : event.target.value, out: "" }));
  $("score").addEventListener("change", (event) => choose({ score: event.target.value }));
  $("alpha").addEventListener("input", slide);
  $("search").addEventListener("input", (event) => {
    state.query = event.target.value;
    ranking.fillTable(model.test());
    ranking.markPinned();
    remember();
  });
  $("more").addEventListener("click", () => (ranking.toggleAll(), ranking.markPinned()));
  $("table-body").addEventListener("keydown", ranking.roamWithArrows);
  $("copy-place").append(ranking.rankingCopy());
  $("cite").addEventListener("click", () => copy(location.href, "Address"));
  $("theme").addEventListener("click", () => {
    const { theme } = document.documentElement.dataset;
    const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    say(dark ? "Light" : "Dark");
  });
  $("tabs").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const tabs = viewsOf(model.test());
    choose({ view: tabs[(tabs.indexOf(state.view) + step + tabs.length) % tabs.length] });
    $(`tab-${state.view}`).focus();
  });
  document.addEventListener("changed", (event) => {
    if (event.detail === "sort") {
      ranking.drawTable(model.test());
      ranking.markPinned();
      remember();
      document.querySelector(`[data-sort="${CSS.escape(state.sort)}"]`)?.focus();
      return;
    }
    const focused = document.activeElement?.dataset?.class;
    const labelled = document.activeElement?.getAttribute?.("aria-label");
    draw();
    if (focused) document.querySelector(`[data-class="${focused}"]`)?.focus();
    else if (event.detail === "pair" && labelled) [...document.querySelectorAll("main [aria-label]")].find((one) => one.getAttribute("aria-label") === labelled)?.focus();
  });
  window.addEventListener("hashchange", () => (readAddress(location.hash, model.data.testsets), draw()));
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    clearTimeout(listen.later);
    listen.later = setTimeout(draw, 120);
  });
}

model.load(JSON.parse($("data").textContent));
if (model.data.testsets.length) {
  readAddress(location.hash, model.data.testsets);
  listen();
  draw();
} else $("headline").textContent = "No system is stored yet. The command below adds one.";
window.leaderboard = { metrics, model, state };
