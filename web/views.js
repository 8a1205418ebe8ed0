// The other views: classes, two systems, agreement of measures, direction.

/** A choice of one system, in the order of the ranking. */
function chooser(label, key, order) {
  const onchange = (event) => {
    state[key] = event.target.value;
    redraw();
  };
  const options = order.map((one) => h("option", { value: one.key, selected: one.key === state[key] }, one.key));
  return h("label", {}, h("span", {}, label), h("select", { "aria-label": label, onchange }, options));
}

/** All systems in the order of the ranking, and the two of the comparison; without a choice the two that lead at the present α. */
function pairOf(test) {
  const order = ranked(test.systems, firstColumn(test).value).map((one) => one.system);
  const a = test.byKey.get(state.a) || order.find((one) => one.key !== state.b) || order[0];
  const b = test.byKey.get(state.b) || order.find((one) => one !== a) || a;
  [state.a, state.b] = [a.key, b.key];
  return [order, a, b];
}

const cells = (row) => row.map((one, i) => (i ? h("td", { class: "number" }, one) : h("th", { scope: "row" }, one)));

/** A table of rows of cells. */
function plainTable(caption, head, rows, more = {}) {
  const heads = head.map((one, i) => h("th", { scope: "col", class: i ? "number" : null }, one));
  const body = rows.map((row) => h("tr", {}, row));
  const table = h("table", { class: "plain", ...more }, h("caption", {}, caption), h("thead", {}, h("tr", {}, heads)), h("tbody", {}, body));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, table);
}

const chart = (svg) => h("div", { class: "chart" }, svg);
const widthOf = (place) => Math.min(place.clientWidth || 900, 860);

/** Each class of one system: support, what is right, weight at the present α; which take part. */
function drawClasses(test, place) {
  const [order, system] = pairOf(test);
  const rules = rulesOf(test);
  const out = excluded(test);
  const leave = (leaves) => {
    exclude(test.labels.map((label, c) => label !== test.negative && leaves(c)));
    redraw();
  };
  const [tp, gold, pred] = ["tp", "gold", "pred"].map((name) => test.labels.map((_, c) => mean(system.counts.map((one) => one[name][c]))));
  const weights = classWeights({ gold, pred, n: test.n }, state.alpha, rules);
  const scoreOf = (c, score) => mean(system.counts.map((one) => classScore(one.tp[c], one.gold[c], one.pred[c], score)));
  const occurring = test.labels.map((_, c) => c).filter((c) => gold[c] || pred[c]);
  const classes = occurring.sort((x, y) => gold[y] - gold[x] || x - y).map((c) => {
    const [precision, recall, f1] = ["precision", "recall", "f1"].map((score) => scoreOf(c, score));
    return { c, name: test.labels[c], precision, recall, f1, negative: test.labels[c] === test.negative };
  });
  const nameOfClass = ({ c, name, negative }) => {
    const onchange = (event) => leave((other) => (other === c ? !event.target.checked : out[other]));
    const box = h("input", { type: "checkbox", checked: !out[c] && !negative, disabled: negative, "aria-label": `average ${name}`, "data-class": c, onchange });
    return h("label", {}, box, h("span", {}, name), negative ? h("small", {}, "never averaged") : "");
  };
  const rows = classes.map((one) => {
    const scores = [one.precision, one.recall, one.f1].map(percent);
    return cells([nameOfClass(one), ...[gold, pred, tp].map((part) => whole(part[one.c])), ...scores, rules.selected[one.c] ? percent(weights[one.c]) : "–"]);
  });
  const head = ["Class", "gold", "predicted", "correct", "precision", "recall", "F1", `weight, ${alphaTitle()}`];
  const averaged = classes.filter((one) => !one.negative).slice(0, 45);
  const bars = averaged.map(({ c, name, f1 }) => ({ name, value: 100 * f1, more: `${percent(f1)}  ·  ${whole(gold[c])}` }));
  const values = SCHEMES.map((scheme) => `${scheme} ${percent(liveColumn(scheme, test).value(system))}`);
  const some = rules.labels === "list" ? `${rules.selected.filter(Boolean).length} classes chosen` : "all classes of the policy";
  const quick = [
    button("all", () => leave(() => false)),
    button("at least 10 gold samples", () => leave((c) => gold[c] < 10)),
    button("at least 100", () => leave((c) => gold[c] < 100)),
    button("the rare ones, below 30", () => leave((c) => gold[c] >= 30)),
  ];
  const copied = () => classes.map(({ c, name, precision, recall, f1 }) => [name, String(gold[c]), String(pred[c]), String(tp[c]), precision, recall, f1, weights[c]]);
  const title = "F1 of each class, per cent · gold samples; the largest class first";
  place.replaceChildren(
    h("div", { class: "choosers" }, chooser("System", "a", order), h("div", { class: "quick", role: "group", "aria-label": "Classes that are averaged" }, h("span", {}, "Average"), quick)),
    h("p", { class: "lead" }, values.join(" · "), h("small", {}, ` ${some}; every view follows`)),
    chart(barChart({ width: widthOf(place), rows: bars, title, label: `F1 of each class of ${system.key}` })),
    plainTable(`Classes of ${system.key} on ${test.title}`, head, rows),
    copyButtons(() => [[head, ...copied()], [firstColumn(test).signature(false)]], "classes"),
  );
}

/** Two systems: the difference under each scheme with an interval, and the classes that decide. */
function drawCompare(test, place) {
  const [order, a, b] = pairOf(test);
  const live = liveColumns(test);
  const rows = live.map((column) => {
    const { x, y, d, interval, p, how } = differenceOf(a, b, column, test);
    const words = interval ? [interval.map(signed).join(" … "), how] : ["", ""];
    return [column.title, percent(x), percent(y), signed(d), ...words, p === null ? "" : p.toFixed(3)];
  });
  const head = ["F1 under", "first", "second", "difference", "95 % interval", "how", "p"];
  const parts = contributions(test, a, b);
  const total = sum(parts.map((one) => one.value));
  const bars = parts.slice(0, 18).map(({ name, value }) => ({ name, value: 100 * value, more: signed(value) }));
  const how = jointOf(a, b, test)
    ? "Paired: both systems were drawn on the same samples."
    : "Unpaired: made from the two single intervals, as the joint outcome of these two is not stored. It is wider than a paired one; the command compare gives that of two files.";
  const exchange = () => {
    [state.a, state.b] = [state.b, state.a];
    redraw();
  };
  const title = `points of F1 at ${alphaTitle()}; for ${a.key} to the right`;
  place.replaceChildren(
    h("div", { class: "choosers" }, chooser("First", "a", order), button("⇄", exchange, { class: "swap", "aria-label": "Exchange the two" }), chooser("Second", "b", order)),
    plainTable(`${a.key} minus ${b.key} on ${test.title}`, head, rows.map(cells)),
    h("p", { class: "note" }, how),
    copyButtons(() => [[head, ...rows], live.map((one) => one.signature(false))], "compare"),
    h("h3", {}, "Which classes decide"),
    h("p", {}, `At α = ${state.alpha.toFixed(2)} the difference of ${signed(total)} points is the sum over ${parts.length} classes of weight × difference. ${decisive(parts, total)}`),
    chart(barChart({ width: widthOf(place), rows: bars, title, label: `Contribution of each class to the difference of ${a.key} and ${b.key}` })),
  );
}

/** What each class adds to the difference of two systems, the largest first. */
function contributions(test, a, b) {
  const rules = rulesOf(test);
  const weighted = ({ tp, gold, pred }, weights) => weights.map((weight, c) => weight * classScore(tp[c], gold[c], pred[c], state.score));
  const partsOf = (system) => {
    const weights = system.counts.map((counts) => classWeights(counts, state.alpha, rules));
    const values = system.counts.map((counts, i) => weighted(counts, weights[i]));
    return test.labels.map((_, c) => [weights, values].map((lists) => mean(lists.map((list) => list[c]))));
  };
  const [first, second] = [a, b].map(partsOf);
  const parts = test.labels.map((name, c) => ({ name, weight: first[c][0] + second[c][0], value: first[c][1] - second[c][1] }));
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
  const lists = columnsOf(test).map((column) => {
    const sign = column.better === "lower" ? -1 : 1;
    return { title: column.title, values: test.systems.map((one) => sign * column.value(one)) };
  });
  const known = test.systems.map((_, i) => i).filter((i) => lists.every((one) => !Number.isNaN(one.values[i])));
  const named = known.length >= 2 ? lists : [];
  const some = named.map((one) => known.map((i) => one.values[i]));
  const taus = some.map((x, i) => some.map((y, j) => (i === j ? 1 : kendall(x, y))));
  const shade = (tau) => `--share:${Number.isNaN(tau) ? 0 : Math.max(0, (tau - 0.5) * 2).toFixed(3)}`;
  const tauCell = (tau) => h("td", { class: "number tau", style: shade(tau) }, Number.isNaN(tau) ? "–" : tau.toFixed(3));
  const rows = named.map((one, i) => [h("th", { scope: "row" }, one.title), taus[i].map(tauCell)].flat());
  const pairs = taus.flatMap((line, i) => line.map((tau, j) => ({ tau, i, j })).filter((one) => one.j > i && !Number.isNaN(one.tau)));
  const least = pairs.length && pairs.reduce((best, one) => (one.tau < best.tau ? one : best));
  const words = least ? [h("b", {}, `${named[least.i].title} and ${named[least.j].title}`), ` agree ${least.tau < 1 ? "least" : "fully, as all do,"} on the ranking of ${known.length} systems: τ = ${least.tau.toFixed(3)}.`] : ["Two systems with all values are needed."];
  const head = ["Kendall's τ", ...named.map((one) => one.title)];
  place.replaceChildren(
    h("p", { class: "lead" }, ...words),
    h("p", { class: "note" }, "τ is 1 where two measures rank all systems alike, 0 where they agree no better than chance. (1 + τ)/2 of all pairs of systems stand in the same order."),
    plainTable(`Rank agreement of measures on ${test.title}`, head, rows, { class: "plain agreement" }),
    copyButtons(() => [[head, ...named.map((one, i) => [one.title, ...taus[i].map((tau) => tau.toFixed(3))])], [`tau_b|systems:${known.length}|testset:${test.id}`]], "agreement"),
  );
}

/** Direction: the score with the entities exchanged, and what stays the same. */
function drawDirection(test, place) {
  const columns = pairedColumns(test);
  const [a, b, pd, , ppr] = columns.map((one) => one.value);
  const own = test.systems.filter((one) => one.m[columns[0].id]);
  const order = ranked(own, ppr).map((one) => one.system);
  const value = (column, system) => [h("span", {}, percent(column.value(system))), h("span", { class: "ends" }, ends(column.interval(system)))];
  const rows = order.map((system) => [h("th", { scope: "row" }, system.key), ...columns.map((column) => h("td", { class: "number" }, value(column, system)))]);
  const families = [...new Set(order.map((one) => one.name))];
  const dots = order.map((one) => ({ a: 100 * a(one), b: 100 * b(one), name: one.name, colour: colour(families.indexOf(one.name)), named: false }));
  const firsts = dots.filter((one, i) => order.findIndex((other) => other.name === one.name) === i);
  const near = (one, other) => Math.abs(other.b - one.b) < 5 && Math.abs(other.a - one.a) < 22;
  for (const one of firsts) one.named = firsts.find((other) => near(one, other)) === one; // of near ones the first
  const worst = order.reduce((most, one) => (pd(one) > pd(most) ? one : most));
  const head = ["System", ...columns.map((one) => one.title)];
  const label = `Score with entities exchanged against score on the test set, ${order.length} systems`;
  place.replaceChildren(
    h("p", { class: "lead" }, h("b", {}, worst.key), ` loses ${percent(pd(worst))} points when the two entities change places, the most of all.`),
    h("p", { class: "note" }, "A: the test set. B: the same sentences, entities exchanged. PD = |A − B|. PIR: right predictions that do not move, small is good. PPR: right both ways, large is good (Lyu et al. 2021)."),
    chart(scatterChart({ width: place.clientWidth || 560, rows: dots, label })),
    plainTable(`Direction on ${test.title}`, head, rows),
    copyButtons(() => [[head, ...order.map((one) => [one.key, ...columns.map((column) => column.value(one))])], columns.map((one) => one.signature())], "direction"),
  );
}
