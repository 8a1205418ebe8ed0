// The other views: classes, two systems, agreement of measures, direction.

/** A choice of one system, in the order of the ranking. */
function chooser(label, key, order) {
  const onchange = (event) => choose({ [key]: event.target.value });
  const options = order.map((one) => h("option", { value: one.key, selected: one.key === state[key] }, one.key));
  return h("label", {}, h("span", {}, label), h("select", { "aria-label": label, onchange }, options));
}

/** All systems in the order of the ranking, and the two of the comparison; without a choice the two that lead at the present α. */
function pairOf(test) {
  const order = ranked(test.systems, columnsOf(test)[0].value).map((one) => one.system);
  const a = systemOf(test, state.a) || order.find((one) => one.key !== state.b) || order[0];
  const b = systemOf(test, state.b) || order.find((one) => one !== a) || a;
  [state.a, state.b] = [a.key, b.key];
  return [order, a, b];
}

/** A table, and the buttons that copy it. head, rows: what is copied; shown: the cells of each row where they are other ones. */
function tableOf(name, caption, head, rows, notes, shown = rows, look = "plain") {
  const cell = (one, i) => (i ? h("td", { class: "number" }, one) : h("th", { scope: "row" }, one));
  const heads = head.map((one, i) => h("th", { scope: "col", class: i > 0 && "number" }, one));
  const body = shown.map((row) => h("tr", {}, row.map((one, i) => (one.tagName === "TD" ? one : cell(one, i)))));
  const table = h("table", { class: look }, h("caption", {}, caption), h("thead", {}, h("tr", {}, heads)), h("tbody", {}, body));
  const frame = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, table);
  return [frame, copyButtons(() => [[head, ...rows], notes], name)];
}

/** Bars as wide as the view. */
function barsIn(place, rows, title, label) {
  return h("div", { class: "chart" }, barChart({ width: Math.min(place.clientWidth || 900, 860), rows, title, label }));
}

const choosers = (...parts) => h("div", { class: "choosers" }, parts);
const lead = (...words) => h("p", { class: "lead" }, words);
const note = (words) => h("p", { class: "note" }, words);

/** Each class of one system: support, what is right, weight at the present α; which take part. */
function drawClasses(test, place) {
  const [order, system] = pairOf(test);
  const rules = rulesOf(test);
  const out = excluded(test);
  const leave = (leaves) => choose({ out: bitsOf(test.labels.map((label, c) => label !== test.negative && leaves(c))) });
  const [tp, gold, pred] = ["tp", "gold", "pred"].map((part) => means(system.runs.map((run) => run[part])));
  const scores = ["precision", "recall", "f1"].map((score) => means(system.runs.map((run) => classScores(run, score))));
  const weights = classWeights({ gold, pred, n: test.n }, state.alpha, rules);
  const classes = test.labels.map((_, c) => c).filter((c) => gold[c] || pred[c]).sort((x, y) => gold[y] - gold[x] || x - y);
  const nameOfClass = (c) => {
    const [name, negative] = [test.labels[c], test.labels[c] === test.negative];
    const onchange = (event) => leave((other) => (other === c ? !event.target.checked : out[other]));
    const box = h("input", { type: "checkbox", checked: !out[c] && !negative, disabled: negative, "aria-label": `average ${name}`, "data-class": c, onchange });
    return h("label", {}, box, h("span", {}, name), negative ? h("small", {}, "never averaged") : "");
  };
  const counted = (c) => [gold[c], pred[c], tp[c]];
  const scored = (c) => scores.map((values) => values[c]);
  const rows = classes.map((c) => [test.labels[c], ...counted(c).map(String), ...scored(c), weights[c]]);
  const shown = classes.map((c) => [nameOfClass(c), ...counted(c).map(whole), ...scored(c).map(percent), rules.selected[c] ? percent(weights[c]) : "–"]);
  const head = ["Class", "gold", "predicted", "correct", "precision", "recall", "F1", `weight, ${alphaTitle()}`];
  const averaged = classes.filter((c) => test.labels[c] !== test.negative).slice(0, 45);
  const bars = averaged.map((c) => ({ name: test.labels[c], value: 100 * scores[2][c], more: `${percent(scores[2][c])}  ·  ${whole(gold[c])}` }));
  const values = SCHEMES.map((scheme) => `${scheme} ${percent(liveColumn(scheme, test).value(system))}`);
  const some = rules.labels === "list" ? `${rules.selected.filter(Boolean).length} classes chosen` : "all classes of the policy";
  const quick = [
    button("all", () => leave(() => false)),
    button("at least 10 gold samples", () => leave((c) => gold[c] < 10)),
    button("at least 100", () => leave((c) => gold[c] < 100)),
    button("the rare ones, below 30", () => leave((c) => gold[c] >= 30)),
  ];
  place.replaceChildren(
    choosers(chooser("System", "a", order), h("div", { class: "quick", role: "group", "aria-label": "Classes that are averaged" }, h("span", {}, "Average"), quick)),
    lead(values.join(" · "), h("small", {}, ` ${some}; every view follows`)),
    barsIn(place, bars, "F1 of each class, per cent · gold samples; the largest class first", `F1 of each class of ${system.key}`),
    ...tableOf("classes", `Classes of ${system.key} on ${test.title}`, head, rows, [columnsOf(test)[0].signature(false)], shown),
  );
}

/** Two systems: the difference under each scheme with an interval, and the classes that decide. */
function drawCompare(test, place) {
  const [order, a, b] = pairOf(test);
  const live = liveColumns(test);
  const rows = live.map((column) => {
    const { x, y, interval, p, how } = differenceOf(a, b, column, test);
    return [column.title, percent(x), percent(y), signed(x - y), interval ? interval.map(signed).join(" … ") : "", interval ? how : "", p?.toFixed(3) ?? ""];
  });
  const head = ["F1 under", "first", "second", "difference", "95 % interval", "how", "p"];
  const [table, copying] = tableOf("compare", `${a.key} minus ${b.key} on ${test.title}`, head, rows, live.map((one) => one.signature(false)));
  const parts = contributions(test, a, b);
  const total = sum(parts.map((one) => one.value));
  const bars = parts.slice(0, 18).map(({ name, value }) => ({ name, value: 100 * value, more: signed(value) }));
  const how = jointOf(a, b, test)
    ? "Paired: both systems were drawn on the same samples."
    : "Unpaired: made from the two single intervals, as the joint outcome of these two is not stored. It is wider than a paired one; the command compare gives that of two files.";
  const exchange = button("⇄", () => choose({ a: b.key, b: a.key }), { class: "swap", "aria-label": "Exchange the two" });
  place.replaceChildren(
    choosers(chooser("First", "a", order), exchange, chooser("Second", "b", order)),
    table,
    note(how),
    copying,
    h("h3", {}, "Which classes decide"),
    h("p", {}, `At α = ${state.alpha.toFixed(2)} the difference of ${signed(total)} points is the sum over ${parts.length} classes of weight × difference. ${decisive(parts, total)}`),
    barsIn(place, bars, `points of F1 at ${alphaTitle()}; for ${a.key} to the right`, `Contribution of each class to the difference of ${a.key} and ${b.key}`),
  );
}

/** What each class adds to the difference of two systems, the largest first. */
function contributions(test, a, b) {
  const rules = rulesOf(test);
  const weightsOf = (run) => classWeights(run, state.alpha, rules);
  const scoresOf = (run) => classScores(run, state.score);
  const partsOf = (run) => weightsOf(run).map((weight, c) => weight * scoresOf(run)[c]);
  const [[weights, first], [others, second]] = [a, b].map(({ runs }) => [weightsOf, partsOf].map((of) => means(runs.map(of))));
  const parts = test.labels.map((name, c) => ({ name, weight: weights[c] + others[c], value: first[c] - second[c] }));
  return parts.filter((one) => one.weight).sort((one, two) => Math.abs(two.value) - Math.abs(one.value));
}

function decisive(parts, total) {
  const speaking = parts.filter((one) => Math.sign(one.value) === Math.sign(total));
  if (!parts.length || Math.abs(total) < 1e-12) return "";
  let [rest, count] = [total, 0];
  while (count < speaking.length && Math.sign(rest) === Math.sign(total) && Math.abs(rest) >= 1e-12) rest -= speaking[count++].value;
  return count === 1 ? `Without ${speaking[0].name} it would be gone.` : `Without the ${count} classes that speak most for it, it would be gone.`;
}

/** Kendall's τ between the rankings of all systems under each two columns. */
function drawAgreement(test, place) {
  const all = columnsOf(test);
  const known = test.systems.filter((system) => all.every((one) => !Number.isNaN(one.value(system))));
  const columns = known.length >= 2 ? all : [];
  const taus = kendall(columns.map((one) => known.map((system) => (one.better === "lower" ? -1 : 1) * one.value(system))));
  const shade = (tau) => `--share:${Number.isNaN(tau) ? 0 : Math.max(0, (tau - 0.5) * 2).toFixed(3)}`;
  const tauCell = (tau) => h("td", { class: "number tau", style: shade(tau) }, Number.isNaN(tau) ? "–" : tau.toFixed(3));
  const pairs = taus.flatMap((line, i) => line.map((tau, j) => ({ tau, i, j })).filter((one) => one.j > i && !Number.isNaN(one.tau)));
  const [least] = pairs.sort((one, other) => one.tau - other.tau);
  const words = least ? [h("b", {}, `${columns[least.i].title} and ${columns[least.j].title}`), ` agree ${least.tau < 1 ? "least" : "fully, as all do,"} on the ranking of ${known.length} systems: τ = ${least.tau.toFixed(3)}.`] : ["Two systems with all values are needed."];
  const rows = columns.map((one, i) => [one.title, ...taus[i].map((tau) => tau.toFixed(3))]);
  const shown = columns.map((one, i) => [one.title, ...taus[i].map(tauCell)]);
  const head = ["Kendall's τ", ...columns.map((one) => one.title)];
  place.replaceChildren(
    lead(...words),
    note("τ is 1 where two measures rank all systems alike, 0 where they agree no better than chance. (1 + τ)/2 of all pairs of systems stand in the same order."),
    ...tableOf("agreement", `Rank agreement of measures on ${test.title}`, head, rows, [`tau_b|systems:${known.length}|testset:${test.id}`], shown, "plain agreement"),
  );
}

/** Direction: the score with the entities exchanged, and what stays the same. */
function drawDirection(test, place) {
  const columns = fixedColumns(test, true);
  const [a, b, pd, , ppr] = columns.map((one) => one.value);
  const order = ranked(test.systems.filter((one) => one.m[columns[0].id]), ppr).map((one) => one.system);
  const families = [...new Set(order.map((one) => one.name))];
  const dots = order.map((one) => ({ a: 100 * a(one), b: 100 * b(one), name: one.name, colour: colour(families.indexOf(one.name)) }));
  const firsts = families.map((name) => dots.find((one) => one.name === name));
  const near = (one, other) => Math.abs(other.b - one.b) < 5 && Math.abs(other.a - one.a) < 22;
  const named = firsts.filter((one) => firsts.find((other) => near(one, other)) === one); // of near ones the first
  const label = `Score with entities exchanged against score on the test set, ${order.length} systems`;
  const worst = order.reduce((most, one) => (pd(one) > pd(most) ? one : most));
  const rows = order.map((system) => [system.key, ...columns.map((one) => one.value(system))]);
  const value = (column, system) => [h("span", {}, percent(column.value(system))), h("span", { class: "ends" }, ends(column.interval(system)))];
  const shown = order.map((system) => [system.key, ...columns.map((one) => value(one, system))]);
  place.replaceChildren(
    lead(h("b", {}, worst.key), ` loses ${percent(pd(worst))} points when the two entities change places, the most of all.`),
    note("A: the test set. B: the same sentences, entities exchanged. PD = |A − B|. PIR: right predictions that do not move, small is good. PPR: right both ways, large is good (Lyu et al. 2021)."),
    h("div", { class: "chart" }, scatterChart({ width: place.clientWidth || 560, rows: dots, named, label })),
    ...tableOf("direction", `Direction on ${test.title}`, ["System", ...columns.map((one) => one.title)], rows, columns.map((one) => one.signature()), shown),
  );
}
