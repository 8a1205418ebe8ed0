// Scores from counts, as helpers.metrics has them; tests hold both to 1e-12.
//
// counts: {tp, gold, pred, n}, one entry a label. rules: {labels, selected, sets}: which labels are averaged.
// A scheme is a name or a number, α.

const SCHEMES = ["micro", "weighted", "dodrans", "entropy", "macro"];
const ALPHA_OF = { weighted: 1, dodrans: 0.75, macro: 0 };

const sum = (values) => values.reduce((total, one) => total + one, 0);
const clip = (x, low = 0, high = 1) => Math.min(high, Math.max(low, x));
const dot = (x, y) => x.reduce((total, one, i) => total + one * y[i], 0);

/** The mean of a list of numbers; NaN of an empty one. */
const mean = (values) => sum(values) / values.length;

/** The mean of each entry over lists; lists that are longer than the first are cut. */
const means = (lists) => lists[0].map((_, i) => mean(lists.map((list) => list[i])));

/** The sample standard deviation of a list of numbers; NaN of fewer than two. */
function sampleSd(values) {
  const middle = mean(values);
  return values.length > 1 ? Math.sqrt(sum(values.map((one) => (one - middle) ** 2)) / (values.length - 1)) : NaN;
}

/** Weights of the labels that a scheme averages, adding up to 1; all 0 if there is none. */
function classWeights({ gold, pred, n }, scheme, rules) {
  const occurs = (c) => rules.labels === "listed" || gold[c] > 0 || (rules.labels === "observed" && pred[c] > 0);
  const taken = rules.selected.map((one, c) => one && occurs(c));
  const total = rules.sets ? sum(gold.filter((_, c) => taken[c])) : n;
  const entropy = (n) => (n > 0 ? Math.max(n * Math.log(total) - n * Math.log(n), 0) : 0);
  const weigh = scheme === "entropy" ? entropy : (n) => Math.pow(n, ALPHA_OF[scheme] ?? scheme);
  let raw = taken.map((one, c) => (one ? weigh(gold[c]) : 0));
  const seen = taken.map((one, c) => one && gold[c] > 0);
  if (!(sum(raw) > 0)) raw = (seen.some(Boolean) ? seen : taken).map(Number);
  const whole = sum(raw) || 1;
  return raw.map((one) => one / whole);
}

/** The score of one class, or of pooled counts; 0/0 is 0. */
function classScore(tp, gold, pred, score) {
  const [right, all] = { precision: [tp, pred], recall: [tp, gold], f1: [2 * tp, gold + pred] }[score];
  return all ? right / all : 0;
}

/** The score of each class. */
const classScores = ({ tp, gold, pred }, score) => tp.map((right, c) => classScore(right, gold[c], pred[c], score));

/** The score under each scheme. weights: of each, where they are known. */
function averages(counts, schemes, rules, score, weights = []) {
  const scores = classScores(counts, score);
  const pooled = () => ["tp", "gold", "pred"].map((part) => sum(counts[part].filter((_, c) => rules.selected[c])));
  return schemes.map((scheme, i) => {
    if (scheme === "micro") return classScore(...pooled(), score);
    return dot(weights[i] || classWeights(counts, scheme, rules), scores);
  });
}

/** The α at which two lines over a grid change places, rising: each on the straight line between two points of the grid. */
function crossings(first, second, alphas) {
  const gaps = alphas.map((alpha, i) => [alpha, first[i] - second[i]]).filter(([, gap]) => gap !== 0);
  return gaps.slice(1).flatMap(([b, after], i) => {
    const [a, before] = gaps[i];
    return before * after < 0 ? [a + ((b - a) * before) / (before - after)] : [];
  });
}

/** Kendall's τ_b of each two lists of scores; NaN where one ties all. */
function kendall(lists) {
  const orders = lists.map((values) => values.flatMap((one, i) => values.slice(i + 1).map((other) => Math.sign(one - other))));
  const untied = orders.map((one) => dot(one, one));
  return orders.map((x, i) => orders.map((y, j) => (i === j ? 1 : dot(x, y) / Math.sqrt(untied[i] * untied[j]))));
}

/** What a score needs to be read: what Python wrote for F1 under the policy, with this score, α and classes. */
function signatureUnder(test, rules, scheme, score) {
  const chosen = rules.labels === "list";
  const written = test.signatures[chosen ? "supported" : rules.labels][typeof scheme === "number" ? "alpha" : scheme];
  const parts = written.replace("scheme:n^α", () => `scheme:n^${Number(Number(scheme).toFixed(6))}`).split("|");
  const names = test.labels.filter((_, c) => rules.selected[c]).sort();
  if (chosen) parts[2] = `labels:${names.map((label) => label.replace(/[\\|+]/g, "\\$&")).join("+")}`;
  return [score, ...parts.slice(1)].join("|");
}
