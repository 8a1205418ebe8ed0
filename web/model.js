// The data of the page, and scores of all systems under the rules that are chosen.

const ALPHAS = Array.from({ length: 101 }, (_, i) => i / 100);
const ABOUT = {
  alpha: "Weights n^α, α from the slider.",
  micro: "One score over the pooled counts of all averaged classes.",
  weighted: "Classes weigh as their number of gold samples: α = 1.",
  dodrans: "Weights n^¾, between weighted and macro (Harbecke et al. 2022).",
  entropy: "Weights −n log(n/N), the class's share of the entropy.",
  macro: "All averaged classes weigh the same, each direction of a relation by itself: α = 0.",
  until: "Area between the points up to the recall of the slider.",
};
const SLIDERS = {
  alpha: { field: "alpha", column: "alpha", min: 0, title: "Weight of a class: n to the power α" },
  recall: { field: "recall", column: "until", min: 0.01, title: "Area up to recall" },
};

for (const test of data.testsets) {
  test.facts = test.kind === "facts";
  test.slider = SLIDERS[test.facts ? "recall" : "alpha"];
  test.usual = test.kind === "sets" ? "listed" : "supported";
  const paired = test.measures.some((one) => one.kind === "paired");
  test.views = ["ranking", ...(test.facts ? [] : ["classes", "compare"]), "agreement", ...(paired ? ["direction"] : [])];
  test.whole = test.title + (test.version ? `, ${test.version} labels` : "");
  test.systems.forEach((run, place) => Object.assign(run, { gold: test.gold, n: test.n, ...run, place }));
  const families = Map.groupBy(test.systems, (run) => run.key);
  test.systems = [...families.values()].map((runs, at) => ({ ...runs[0], runs, at }));
}

const testSet = () => data.testsets.find((one) => one.id === state.test);
const systemOf = (test, key) => test.systems.find((one) => one.key === key);
const alphaTitle = () => `n^${state.alpha.toFixed(2)}`;
const namedAt = (alpha) => SCHEMES.find((scheme) => ALPHA_OF[scheme] === alpha);

/** The policy that is chosen; a list of classes takes the place of a named one. Stored intervals are of the usual one. */
function rulesOf(test) {
  const out = excluded(test);
  const free = test.labels.map((label) => label !== "(skipped)" && label !== test.negative);
  const labels = out.some((left, c) => left && free[c]) ? "list" : state.labels || test.usual;
  const usual = state.score === "f1" && labels === test.usual;
  return { labels, usual, sets: test.kind === "sets", selected: free.map((one, c) => one && !out[c]) };
}

/** A column of a table: its value, spread and interval for a system (means over its runs), and how it is signed. */
function column(head, valueOf, intervalOf, signature) {
  const values = ({ runs }) => runs.map(valueOf).filter((value) => !Number.isNaN(value));
  return {
    better: "higher",
    ...head,
    signature,
    value: (system) => mean(values(system)),
    spread: (system) => sampleSd(values(system)),
    interval: ({ runs }) => {
      const all = runs.map(intervalOf);
      return all.every(Boolean) ? means(all) : null;
    },
  };
}

const stored = (run, id) => (run.m[id] && run.m[id][1] !== null ? run.m[id].slice(1) : null);
const fixedColumn = (head) => column(head, (run) => run.m[head.id]?.[0] ?? NaN, (run) => stored(run, head.id), () => head.signature);

/** What gives the scores of a run under each scheme; weights are made once for runs with the gold counts of the test set, unless predictions decide, too. */
function scorer(test, schemes, rules) {
  const shared = rules.labels === "observed" ? [] : schemes.map((scheme) => classWeights(test, scheme, rules));
  return (run) => averages(run, schemes, rules, state.score, run.gold === test.gold ? shared : []);
}

/** A scheme that is computed here, under the rules that are chosen. */
function liveColumn(id, test) {
  const rules = rulesOf(test);
  const scheme = id === "alpha" ? state.alpha : id;
  const scores = scorer(test, [scheme], rules);
  const made = data.replicates && rules.usual ? `|bootstrap:percentile,${data.replicates},seed${data.seed},95` : "";
  return column(
    { id, title: id === "alpha" ? alphaTitle() : id, about: ABOUT[id] },
    (run) => scores(run)[0],
    (run) => (rules.usual ? endsAt(run, scheme) : null),
    (withInterval = true) => signatureUnder(test, rules, scheme, state.score) + (withInterval ? made : ""),
  );
}

/** The height of a line over an even grid at a place, counted in steps; between two points that of the straight line. */
function heightAt(line, place) {
  const at = Math.min(Math.floor(place + 1e-9), line.length - 2);
  return line[at] + (place - at) * (line[at + 1] - line[at]);
}

/** Stored ends under a scheme; between two stored α's the line between them. */
function endsAt(run, scheme) {
  if (scheme === "micro" || scheme === "entropy") return run.ends[scheme] || null;
  const place = (ALPHA_OF[scheme] ?? scheme) * data.alphaSteps;
  return run.ends.alpha?.map((side) => heightAt(side, place)) ?? null;
}

/** The area under a precision–recall curve up to the recall of the slider. */
function areaColumn(auc) {
  if (state.recall >= 1) return { ...auc, id: "until", title: "AUC to recall", about: ABOUT.until };
  const until = (run) => run.until[Math.round(100 * state.recall) - 1] ?? NaN;
  const signature = auc.signature().replace(/\|bootstrap.*/, "").replace("|v:", `|recall:${state.recall}|v:`);
  return column({ id: "until", title: "AUC to recall", about: ABOUT.until }, until, () => null, () => signature);
}

const liveColumns = (test) => ["alpha", ...SCHEMES].map((id) => liveColumn(id, test));
const fixedColumns = (test, paired) => test.measures.filter((one) => (one.kind === "paired") === paired).map(fixedColumn);

/** The columns of the ranking: what moves with the slider and the rules, then stored measures; by the first one systems are ranked where nothing else is said. */
function columnsOf(test) {
  const fixed = fixedColumns(test, false);
  return [...(test.facts ? [areaColumn(fixed.find((one) => one.id === "auc"))] : liveColumns(test)), ...fixed];
}

/** F1 of all systems over α, the mean over runs: (systems, α). */
function spectra(test) {
  const scores = scorer(test, ALPHAS, rulesOf(test));
  return test.systems.map(({ runs }) => means(runs.map(scores)));
}

/** Second from first: values, interval of the difference and p. Paired where their joint outcome is stored, else from the two intervals; none under rules that are not the usual ones. */
function differenceOf(first, second, column, test) {
  const [x, y] = [first, second].map(column.value);
  const joint = rulesOf(test).usual && jointOf(first, second, test);
  const id = (column.id === "alpha" && namedAt(state.alpha)) || column.id;
  const [, low, high, p] = (joint && joint.d[SCHEMES.indexOf(id)]) || [];
  if (p === undefined) return { x, y, interval: unpaired(x, y, ...[first, second].map(column.interval)), how: "unpaired" };
  return { x, y, interval: joint.a === first.place ? [low, high] : [-high, -low], p, how: "paired" };
}

/** The stored comparison of two systems of one run each, in either order. */
function jointOf({ place: first }, { place: second }, test) {
  return test.pairs.find(({ a, b }) => (a === first && b === second) || (a === second && b === first));
}

/** Ends of a difference of two independent values, from their intervals. */
function unpaired(x, y, first, second) {
  if (!first || !second) return null;
  return [x - y - Math.hypot(x - first[0], second[1] - y), x - y + Math.hypot(first[1] - x, y - second[0])];
}

/** Systems that the search leaves; words in any order. */
function searched(test) {
  const words = state.query.toLowerCase().split(/\s+/).filter(Boolean);
  return test.systems.filter((one) => words.every((word) => `${one.key} ${one.origin} ${one.encoder}`.toLowerCase().includes(word)));
}

/** Systems with value and rank in the order of a column; those without a value last. */
function ranked(systems, value, lower = false) {
  const scored = systems.map((system) => ({ system, value: value(system) }));
  const sign = lower ? 1 : -1;
  scored.sort((a, b) => Number.isNaN(a.value) - Number.isNaN(b.value) || sign * (a.value - b.value) || a.system.at - b.system.at);
  for (const one of scored) one.rank = scored.findIndex((other) => other.value === one.value) + 1;
  return scored;
}

/** Systems that the figures name: those that are pinned, or the leaders at several α (lines: of all systems), or by area. */
function highlighted(test, lines) {
  const pinned = state.pinned.map((key) => systemOf(test, key)).filter(Boolean);
  if (pinned.length) return pinned.slice(0, 6);
  const order = (value) => ranked(test.systems, value).map((one) => one.system);
  if (test.facts) return order(fixedColumn({ id: "auc" }).value).slice(0, 5);
  const orders = [0, 25, 50, 75, 100].map((at) => order((one) => lines[one.at][at]));
  const leaders = [0, 1].flatMap((rank) => orders.map((systems) => systems[rank])).filter(Boolean);
  return [...new Set([...leaders, ...orders[3]])].slice(0, 5);
}
