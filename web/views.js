// The other views: classes, two systems, agreement of measures, direction.

import { h, $, percent, ends, signed, whole, copyButtons } from "./dom.js";
import { state, exclude, excluded } from "./state.js";
import { average, classScore, classWeights, kendall, mean, SCHEMES } from "./metrics.js";
import * as model from "./model.js";
import { barChart, scatterChart, colour } from "./charts.js";

const changed = (what) => document.dispatchEvent(new CustomEvent("changed", { detail: what }));

/** A choice of one system. */
function chooser(label, key, test) {
  const select = h("select", { "aria-label": label, onchange: (event) => ((state[key] = event.target.value), changed("pair")) });
  for (const { system } of model.ranked(test.systems, model.valueOf(model.columns(test)[0], test))) {
    select.append(h("option", { value: system.key, selected: system.key === state[key] }, system.key));
  }
  return h("label", {}, h("span", {}, label), select);
}

/** The systems of the comparison; without a choice the two that lead at the present α. */
export function pairOf(test) {
  const order = model.ranked(test.systems, model.valueOf(model.columns(test)[0], test)).map((one) => one.system);
  const a = test.byKey.get(state.a) || order.find((one) => one.key !== state.b) || order[0];
  const b = test.byKey.get(state.b) || order.find((one) => one !== a) || a;
  [state.a, state.b] = [a.key, b.key];
  return [a, b];
}

const table = (caption, head, rows, more = {}) =>
  h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", { class: "plain", ...more }, h("caption", {}, caption), h("thead", {}, h("tr", {}, head.map((one, i) => h("th", { scope: "col", class: i ? "number" : null }, one)))), h("tbody", {}, rows)),
  );
const cells = (row) => h("tr", {}, row.map((one, i) => (i ? h("td", { class: "number" }, one) : h("th", { scope: "row" }, one))));

/** Each class of one system: support, what is right, weight at the present α; which take part. */
export function drawClasses(test) {
  const place = $("view-classes");
  const [system] = pairOf(test);
  const chosen = model.rules(test);
  const out = excluded(test);
  const [tp, gold, pred] = ["tp", "gold", "pred"].map((name) => test.labels.map((_, c) => mean(system.counts.map((one) => one[name][c]))));
  const weights = classWeights({ gold, pred, n: test.n }, state.alpha, chosen);
  const order = test.labels.map((_, c) => c).filter((c) => gold[c] || pred[c]).sort((a, b) => gold[b] - gold[a] || a - b);
  const scores = (c) => ["precision", "recall", "f1"].map((score) => mean(system.counts.map((one) => classScore(one.tp[c], one.gold[c], one.pred[c], score))));
  const rows = order.map((c) => {
    const negative = test.labels[c] === test.negative;
    const box = h("input", { type: "checkbox", checked: !out[c] && !negative, disabled: negative, "aria-label": `average ${test.labels[c]}`, "data-class": c, onchange: (event) => toggle(test, c, !event.target.checked) });
    const [p, r, f] = scores(c);
    const name = h("th", { scope: "row" }, h("label", {}, box, h("span", {}, test.labels[c]), negative ? h("small", {}, "never averaged") : ""));
    return h("tr", {}, name, [whole(gold[c]), whole(pred[c]), whole(tp[c]), percent(p), percent(r), percent(f), chosen.selected[c] ? percent(weights[c]) : "–"].map((one) => h("td", { class: "number" }, one)));
  });
  const head = ["Class", "gold", "predicted", "correct", "precision", "recall", "F1", `weight, n^${state.alpha.toFixed(2)}`];
  const width = place.clientWidth || 900;
  const bars = order.filter((c) => test.labels[c] !== test.negative).slice(0, 45).map((c) => ({ name: test.labels[c], value: 100 * scores(c)[2], more: `${percent(scores(c)[2])}  ·  ${whole(gold[c])}` }));
  const values = SCHEMES.map((scheme) => `${scheme} ${percent(mean(system.counts.map((one) => average(one, scheme, chosen, state.score))))}`);
  const quick = [
    ["all", () => false],
    ["at least 10 gold samples", (c) => gold[c] < 10],
    ["at least 100", (c) => gold[c] < 100],
    ["the rare ones, below 30", (c) => gold[c] >= 30],
  ];
  place.replaceChildren(
    h("div", { class: "choosers" }, chooser("System", "a", test), h("div", { class: "quick", role: "group", "aria-label": "Classes that are averaged" }, h("span", {}, "Average"), quick.map(([name, leaves]) => h("button", { type: "button", onclick: () => leave(test, leaves) }, name)))),
    h("p", { class: "lead" }, `${values.join(" · ")}`, h("small", {}, ` ${chosen.labels === "list" ? `${chosen.selected.filter(Boolean).length} classes chosen` : "all classes of the policy"}; every view follows`)),
    h("div", { class: "chart" }, barChart({ width: Math.min(width, 860), rows: bars, title: "F1 of each class, per cent · gold samples; the largest class first", label: `F1 of each class of ${system.key}`, positive: "var(--c0)", negative: "var(--c1)" })),
    table(`Classes of ${system.key} on ${test.title}`, head, rows),
    copyButtons(() => [[head, ...order.map((c) => [test.labels[c], String(gold[c]), String(pred[c]), String(tp[c]), ...scores(c), weights[c]])], [model.signatureOf({ id: "alpha" }, test, false)]], "classes"),
  );
}

function toggle(test, c, left) {
  const flags = excluded(test);
  flags[c] = left;
  exclude(flags);
  changed("classes");
}

function leave(test, leaves) {
  exclude(test.labels.map((label, c) => label !== test.negative && leaves(c)));
  changed("classes");
}

/** Two systems: the difference under each scheme with an interval, and the classes that decide. */
export function drawCompare(test) {
  const place = $("view-compare");
  const [a, b] = pairOf(test);
  const chosen = model.rules(test);
  const joint = model.jointOf(a, b, test);
  const live = model.columns(test).filter((one) => !one.fixed);
  const rows = live.map((column) => {
    const found = model.differenceOf(a, b, column, test, chosen);
    const name = column.id === "alpha" ? `n^${state.alpha.toFixed(2)}` : column.title;
    return { ...found, name, how: found.interval ? found.how : "" };
  });
  const head = ["F1 under", "first", "second", "difference", "95 % interval", "how", "p"];
  const text = (one) => [one.name, percent(one.x), percent(one.y), signed(one.d), one.interval ? `${signed(one.interval[0])} … ${signed(one.interval[1])}` : "", one.how, one.p === null ? "" : one.p.toFixed(3)];
  const parts = contributions(test, a, b, chosen);
  const total = parts.reduce((sum, one) => sum + one.value, 0);
  const most = parts.slice(0, 18);
  const width = place.clientWidth || 900;
  const how = joint
    ? "Paired: both systems were drawn on the same samples."
    : "Unpaired: made from the two single intervals, as the joint outcome of these two is not stored. It is wider than a paired one; the command leaderboard compare stores it.";
  place.replaceChildren(
    h("div", { class: "choosers" }, chooser("First", "a", test), h("button", { type: "button", class: "swap", "aria-label": "Exchange the two", onclick: () => (([state.a, state.b] = [state.b, state.a]), changed("pair")) }, "⇄"), chooser("Second", "b", test)),
    table(`${a.key} minus ${b.key} on ${test.title}`, head, rows.map((one) => cells(text(one)))),
    h("p", { class: "note" }, how),
    copyButtons(() => [[head, ...rows.map(text)], live.map((one) => model.signatureOf(one, test, false))], "compare"),
    h("h3", {}, "Which classes decide"),
    h("p", {}, `At α = ${state.alpha.toFixed(2)} the difference of ${signed(total)} points is the sum over ${parts.length} classes of weight × difference. ${decisive(parts, total)}`),
    h("div", { class: "chart" }, barChart({ width: Math.min(width, 860), rows: most.map((one) => ({ name: one.name, value: 100 * one.value, more: signed(one.value) })), title: `points of F1 at n^${state.alpha.toFixed(2)}; for ${a.key} to the right`, label: `Contribution of each class to the difference of ${a.key} and ${b.key}`, positive: "var(--c0)", negative: "var(--c1)" })),
  );
}

function contributions(test, a, b, chosen) {
  const part = (counts) => {
    const weights = classWeights(counts, state.alpha, chosen);
    return weights.map((weight, c) => ({ weight, value: weight * classScore(counts.tp[c], counts.gold[c], counts.pred[c], state.score) }));
  };
  const [u, v] = [a, b].map((one) => one.counts.map(part));
  const of = (runs, c, field) => mean(runs.map((one) => one[c][field]));
  return test.labels
    .map((name, c) => ({ name, value: of(u, c, "value") - of(v, c, "value"), weight: of(u, c, "weight") + of(v, c, "weight") }))
    .filter((one) => one.weight)
    .sort((one, two) => Math.abs(two.value) - Math.abs(one.value));
}

function decisive(parts, total) {
  if (!parts.length || Math.abs(total) < 1e-12) return "";
  let [rest, count] = [total, 0];
  for (const one of parts) {
    if (Math.sign(one.value) !== Math.sign(total)) continue;
    rest -= one.value;
    count += 1;
    if (Math.sign(rest) !== Math.sign(total) || Math.abs(rest) < 1e-12) break;
  }
  return count === 1 ? `Without ${parts.find((one) => Math.sign(one.value) === Math.sign(total)).name} it would be gone.` : `Without the ${count} classes that speak most for it, it would be gone.`;
}

/** Kendall's τ between the rankings of all systems under each two columns. */
export function drawAgreement(test) {
  const place = $("view-agreement");
  const lists = model.columns(test).map((column) => {
    const value = model.valueOf(column, test);
    const sign = column.better === "lower" ? -1 : 1;
    return { title: column.id === "alpha" ? `n^${state.alpha.toFixed(2)}` : column.title, values: test.systems.map((one) => sign * value(one)) };
  });
  const known = test.systems.map((_, i) => i).filter((i) => lists.every((one) => !Number.isNaN(one.values[i])));
  const named = known.length >= 2 ? lists : [];
  const some = named.map((one) => known.map((i) => one.values[i]));
  const taus = some.map((x, i) => some.map((y, j) => (i === j ? 1 : kendall(x, y))));
  const rows = named.map((one, i) =>
    h("tr", {}, h("th", { scope: "row" }, one.title), taus[i].map((tau) => h("td", { class: "number tau", style: `--share:${Number.isNaN(tau) ? 0 : Math.max(0, (tau - 0.5) * 2).toFixed(3)}` }, Number.isNaN(tau) ? "–" : tau.toFixed(3)))),
  );
  let least = null;
  taus.forEach((line, i) => line.forEach((tau, j) => j > i && !Number.isNaN(tau) && (!least || tau < least.tau) && (least = { tau, i, j })));
  const head = ["Kendall's τ", ...named.map((one) => one.title)];
  place.replaceChildren(
    h("p", { class: "lead" }, least ? [h("b", {}, `${named[least.i].title} and ${named[least.j].title}`), ` agree least on the ranking of ${known.length} systems: τ = ${least.tau.toFixed(3)}.`] : "Two systems with all values are needed."),
    h("p", { class: "note" }, "τ is 1 where two measures rank all systems alike, 0 where they agree no better than chance. Of two systems (1 + τ)/2 of all pairs stand in the same order."),
    table(`Rank agreement of measures on ${test.title}`, head, rows, { class: "plain agreement" }),
    copyButtons(() => [[head, ...named.map((one, i) => [one.title, ...taus[i].map((tau) => tau.toFixed(3))])], [`tau_b|systems:${known.length}|testset:${test.id}`]], "agreement"),
  );
}

/** Direction: the score with the entities exchanged, and what stays the same. */
export function drawDirection(test) {
  const place = $("view-direction");
  const columns = test.measures.filter((one) => one.kind === "paired");
  const own = test.systems.filter((one) => columns.length && one.m[columns[0].id]);
  if (!own.length) {
    place.replaceChildren(h("p", { class: "lead" }, "No system of this test set has predictions on the sentences with exchanged entities. "), h("p", {}, "Add some: ", h("code", {}, "leaderboard add FILE --paired-column C"), "."));
    return;
  }
  const order = model.ranked(own, model.valueOf({ id: "ppr", fixed: true }, test)).map((one) => one.system);
  const value = Object.fromEntries(columns.map((one) => [one.id, model.valueOf({ ...one, fixed: true }, test)]));
  const shown = (one, column) => [h("span", {}, percent(value[column.id](one))), h("span", { class: "ends" }, ends(model.intervalOf({ ...column, fixed: true }, test)(one)))];
  const rows = order.map((one) => h("tr", {}, h("th", { scope: "row" }, one.key), columns.map((column) => h("td", { class: "number" }, shown(one, column)))));
  const families = [...new Set(order.map((one) => one.name))];
  const dots = order.map((one) => ({ a: 100 * value.performance_original(one), b: 100 * value.performance_paired(one), name: one.name, colour: colour(families.indexOf(one.name)), named: order.find((other) => other.name === one.name) === one }));
  const kept = dots.filter((one, i) => dots.findIndex((other) => other.named && Math.abs(other.b - one.b) < 5 && Math.abs(other.a - one.a) < 22) === i);
  dots.forEach((one) => (one.named = kept.includes(one)));
  const head = ["System", ...columns.map((one) => one.title)];
  const worst = order.reduce((found, one) => (value.pd(one) > value.pd(found) ? one : found), order[0]);
  place.replaceChildren(
    h("p", { class: "lead" }, h("b", {}, worst.key), ` loses ${percent(value.pd(worst))} points when the two entities change places; it did not learn which way the relation goes.`),
    h("p", { class: "note" }, "A: the test set. B: the same sentences, entities exchanged. PD = |A − B|. PIR: right predictions that do not move, small is good. PPR: right both ways, large is good (Lyu et al. 2021)."),
    h("div", { class: "chart" }, scatterChart({ width: place.clientWidth || 560, rows: dots, label: `Score with entities exchanged against score on the test set, ${order.length} systems` })),
    table(`Direction on ${test.title}`, head, rows),
    copyButtons(() => [[head, ...order.map((one) => [one.key, ...columns.map((column) => value[column.id](one))])], columns.map((one) => one.signature)], "direction"),
  );
}
