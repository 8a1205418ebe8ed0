// The data of the page, and scores of all systems under the rules that are chosen.

import { average, classWeights, mean, sampleSd, spectrum, signature, SCHEMES } from "./metrics.js";
import { state, excluded } from "./state.js";

export const ALPHAS = Array.from({ length: 101 }, (_, i) => i / 100);
export let data = { testsets: [] };
const SKIPPED = "(skipped)";

export function load(json) {
  data = json;
  for (const test of data.testsets) {
    const families = new Map();
    test.systems.forEach((run, place) => {
      run.place = place;
      if (test.kind !== "facts") run.counts = { tp: run.tp, gold: run.gold || test.gold, pred: run.pred, n: test.n };
      families.set(run.key, [...(families.get(run.key) || []), run]);
    });
    test.systems = [...families].map(([key, runs], at) => ({ ...runs[0], key, runs, at, counts: runs.map((one) => one.counts) }));
    test.byKey = new Map(test.systems.map((one) => [one.key, one]));
  }
}

/** A function of runs as one of systems: the mean over a system's runs that have a value. */
const overRuns = (ofRun) => ({ runs }) => (runs.length === 1 ? ofRun(runs[0]) : mean(runs.map(ofRun).filter((value) => !Number.isNaN(value))));

/** The standard deviation of a column over the runs of a system; NaN of a single run. */
export function spreadOf(column, of = test(), chosen = of.kind === "facts" ? null : rules(of)) {
  const ofRun = runValue(column, of, chosen);
  return ({ runs }) => sampleSd(runs.map(ofRun).filter((value) => !Number.isNaN(value)));
}

export const test = () => data.testsets.find((one) => one.id === state.test);

/** The policy that is chosen; a list of classes takes the place of a named one. */
export function rules(of = test()) {
  const sets = of.kind === "sets";
  const out = excluded(of);
  const free = of.labels.map((label) => label !== SKIPPED && label !== of.negative);
  const some = out.some((left, c) => left && free[c]);
  const labels = some ? "list" : state.labels || (sets ? "listed" : "supported");
  return { labels, sets, selected: free.map((one, c) => one && !out[c]) };
}

/** Whether the stored intervals are of the rules that are chosen. */
export function isUsual(chosen, of = test()) {
  return state.score === "f1" && chosen.labels === (of.kind === "sets" ? "listed" : "supported");
}

const columnScheme = (id) => (id === "alpha" ? state.alpha : id);

/** The columns of the ranking: schemes that are computed here, then stored measures. */
export function columns(of = test()) {
  const fixed = of.measures.filter((one) => one.kind !== "paired").map((one) => ({ ...one, fixed: true }));
  if (of.kind === "facts") {
    const until = { id: "until", title: "AUC to recall", better: "higher", about: "Area between the points up to the recall of the slider." };
    return [until, ...fixed];
  }
  const about = {
    micro: "One score over the pooled counts of all averaged classes.",
    weighted: "Classes weigh as their number of gold samples: α = 1.",
    dodrans: "Weights n^¾, between weighted and macro (Harbecke et al. 2022).",
    entropy: "Weights −n log(n/N), the class's share of the entropy.",
    macro: "All averaged classes weigh the same, each direction of a relation by itself: α = 0.",
  };
  const live = SCHEMES.map((id) => ({ id, title: id, better: "higher", about: about[id] }));
  const alpha = { id: "alpha", title: "n^α", better: "higher", about: "Weights n^α, α from the slider." };
  return [alpha, ...live, ...fixed];
}

/** A function system → value of a column: the mean over its runs. */
export const valueOf = (column, of = test(), chosen = of.kind === "facts" ? null : rules(of)) => overRuns(runValue(column, of, chosen));

function runValue(column, of, chosen) {
  if (column.fixed) return (run) => run.m[column.id]?.[0] ?? NaN;
  if (column.id === "until") return (run) => (state.recall >= 1 ? run.m.auc[0] : run.until[Math.round(100 * state.recall) - 1]) ?? NaN;
  const scheme = columnScheme(column.id);
  if (scheme === "micro") return (run) => average(run.counts, scheme, chosen, state.score);
  const shared = sharedWeights(of, [scheme], chosen);
  return (run) => spectrum(run.counts, [scheme], chosen, state.score, run.gold ? null : shared)[0];
}

/** Weights under each scheme, as they follow from gold counts, which nearly all systems share; null where predictions decide, too. */
const sharedWeights = (of, schemes, chosen) => (chosen.labels === "observed" ? null : schemes.map((scheme) => classWeights({ gold: of.gold, pred: of.gold, n: of.n }, scheme, chosen)));

/** A function system → ends of the interval of a column, or null; those of a run, on average over the runs. */
export function intervalOf(column, of = test(), chosen = of.kind === "facts" ? null : rules(of)) {
  const ofRun = runInterval(column, of, chosen);
  return ({ runs }) => {
    if (runs.length === 1) return ofRun(runs[0]);
    const found = runs.map(ofRun);
    return found.some((one) => !one) ? null : [0, 1].map((end) => mean(found.map((one) => one[end])));
  };
}

function runInterval(column, of, chosen) {
  const stored = (run, id) => (run.m[id] && run.m[id][1] !== null ? run.m[id].slice(1) : null);
  if (column.fixed) return (run) => stored(run, column.id);
  if (column.id === "until") return (run) => (state.recall >= 1 ? stored(run, "auc") : null);
  if (!isUsual(chosen, of)) return () => null;
  if (column.id === "micro" || column.id === "entropy") return (run) => run.ends[column.id] || null;
  const alpha = { alpha: state.alpha, weighted: 1, dodrans: 0.75, macro: 0 }[column.id];
  return (run) => endsAt(run, alpha);
}

/** Stored ends at α; between two stored α's the line between them. */
function endsAt(run, alpha) {
  if (!run.ends.alpha) return null;
  const place = alpha * data.alphaSteps;
  const at = Math.min(Math.floor(place + 1e-9), data.alphaSteps - 1);
  const share = place - at;
  return run.ends.alpha.map((side) => side[at] + share * (side[at + 1] - side[at]));
}

export const isBetween = () => Math.abs(state.alpha * data.alphaSteps - Math.round(state.alpha * data.alphaSteps)) > 1e-6;

/** The signature of a column's numbers; how the interval was made where there is one. */
export function signatureOf(column, of = test(), withInterval = true) {
  if (column.fixed) return column.signature;
  if (column.id === "until") {
    const auc = of.measures.find((one) => one.id === "auc").signature;
    return state.recall >= 1 ? auc : auc.replace(/\|bootstrap.*/, "").replace("|v:", `|recall:${state.recall}|v:`);
  }
  const chosen = rules(of);
  const made = withInterval && isUsual(chosen, of) && data.replicates ? `|bootstrap:percentile,${data.replicates},seed${data.seed},95` : "";
  return signature(of, chosen, columnScheme(column.id), state.score) + made;
}

/** Second from first: values, difference, its interval and p. Paired where their joint outcome is stored, else from the two intervals; none under rules that are not the usual ones. */
export function differenceOf(first, second, column, of = test(), chosen = rules(of)) {
  const [x, y] = [first, second].map(valueOf(column, of, chosen));
  const joint = jointOf(first, second, of);
  const id = { alpha: { 0: "macro", 0.75: "dodrans", 1: "weighted" }[state.alpha] }[column.id] || column.id;
  const paired = isUsual(chosen, of) && joint ? joint.d[SCHEMES.indexOf(id)] : null;
  if (!paired) return { x, y, d: x - y, interval: unpaired(x, y, ...[first, second].map(intervalOf(column, of, chosen))), p: null, how: "unpaired" };
  const ends = joint.a === first.place ? [paired[1], paired[2]] : [-paired[2], -paired[1]];
  return { x, y, d: x - y, interval: ends, p: paired[3], how: "paired" };
}

/** The stored comparison of two systems of one run each, in either order. */
export const jointOf = (first, second, of = test()) => of.pairs.find((one) => [one.a, one.b].includes(first.place) && [one.a, one.b].includes(second.place));

/** Ends of a difference of two independent values, from their intervals. */
function unpaired(x, y, first, second) {
  if (!first || !second) return null;
  const root = (p, q) => Math.sqrt(p * p + q * q);
  return [x - y - root(x - first[0], second[1] - y), x - y + root(first[1] - x, y - second[0])];
}

/** F1 of all systems over α, the mean over runs: (systems, α). */
export function spectra(of = test(), alphas = ALPHAS, chosen = rules(of)) {
  const shared = sharedWeights(of, alphas, chosen);
  return of.systems.map((one) => {
    const lines = one.runs.map((run) => spectrum(run.counts, alphas, chosen, state.score, run.gold ? null : shared));
    return lines.length === 1 ? lines[0] : alphas.map((_, at) => mean(lines.map((line) => line[at])));
  });
}

/** Systems that the search leaves; words in any order. */
export function visible(of = test()) {
  const words = state.query.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return of.systems;
  return of.systems.filter((one) => words.every((word) => `${one.key} ${one.origin} ${one.encoder}`.toLowerCase().includes(word)));
}

/** Systems in the order of a column; those without a value last. */
export function ranked(systems, value, lower = false) {
  const scored = systems.map((system) => ({ system, value: value(system) }));
  const sign = lower ? 1 : -1;
  scored.sort((a, b) => (Number.isNaN(a.value) - Number.isNaN(b.value)) || sign * (a.value - b.value) || a.system.at - b.system.at);
  let rank = 0;
  scored.forEach((one, place) => {
    if (!place || one.value !== scored[place - 1].value) rank = place + 1;
    one.rank = rank;
  });
  return scored;
}

/** What the search leaves, in order; ranks are those among all systems. */
export function rankedVisible(of, value, lower) {
  const shown = new Set(visible(of));
  return ranked(of.systems, value, lower).filter((one) => shown.has(one.system));
}

/** Systems that the figures name: those that are pinned, or the leaders at several α, or under the measures. */
export function highlighted(of = test(), lines = null) {
  const pinned = state.pinned.map((key) => of.byKey.get(key)).filter(Boolean);
  if (pinned.length) return pinned.slice(0, 6);
  const found = new Set();
  if (of.kind === "facts") {
    ranked(of.systems, valueOf({ id: "auc", fixed: true }, of)).slice(0, 5).forEach((one) => found.add(one.system));
    return [...found];
  }
  const leads = lines || spectra(of, [0, 0.25, 0.5, 0.75, 1]);
  const last = leads[0].length - 1;
  for (const rank of [0, 1]) {
    for (const at of [0, Math.round(0.25 * last), Math.round(0.5 * last), Math.round(0.75 * last), last]) {
      const order = of.systems.map((one) => one.at).sort((a, b) => leads[b][at] - leads[a][at]);
      if (found.size < 5 && order[rank] !== undefined) found.add(of.systems[order[rank]]);
    }
  }
  for (const { system } of ranked(of.systems, (one) => leads[one.at][Math.round(0.75 * last)])) if (found.size < 5) found.add(system);
  return [...found];
}
