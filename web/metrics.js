// Scores from counts, as helpers.metrics has them; tests hold both to 1e-12.
//
// counts: {tp, gold, pred, n}, one entry a label. rules: {labels, selected, sets}: which labels are averaged.

export const SCHEMES = ["micro", "weighted", "dodrans", "entropy", "macro"];
const ALPHA_OF = { weighted: 1, dodrans: 0.75, macro: 0 };

/** Labels that the class-weighted schemes average. */
export function evaluated(counts, rules) {
  const { gold, pred } = counts;
  return rules.selected.map((taken, c) => {
    if (!taken || rules.labels === "listed") return taken;
    return gold[c] > 0 || (rules.labels === "observed" && pred[c] > 0);
  });
}

/** Weights of the evaluated labels, adding up to 1; all 0 if there is none. */
export function classWeights(counts, scheme, rules, taken = evaluated(counts, rules)) {
  const support = counts.gold.map((n, c) => (taken[c] ? n : 0));
  const alpha = typeof scheme === "number" ? scheme : ALPHA_OF[scheme];
  const total = rules.sets ? support.reduce((a, b) => a + b, 0) : counts.n;
  let raw = support.map((n, c) => {
    if (!taken[c]) return 0;
    if (alpha !== undefined) return Math.pow(n, alpha);
    return n > 0 ? Math.max(n * Math.log(total) - n * Math.log(n), 0) : 0;
  });
  let sum = raw.reduce((a, b) => a + b, 0);
  if (!(sum > 0)) {
    raw = taken.map((one) => (one ? 1 : 0));
    sum = raw.reduce((a, b) => a + b, 0);
  }
  return raw.map((one) => (sum ? one / sum : 0));
}

/** The score of one class, or of pooled counts; 0/0 is 0. */
export function classScore(tp, gold, pred, score) {
  if (score === "precision") return pred ? tp / pred : 0;
  if (score === "recall") return gold ? tp / gold : 0;
  return gold + pred ? (2 * tp) / (gold + pred) : 0;
}

/** One score under a scheme (a name, or a number: α). */
export function average(counts, scheme, rules, score = "f1") {
  if (scheme === "micro") {
    const pooled = [counts.tp, counts.gold, counts.pred].map((one) => one.reduce((sum, n, c) => (rules.selected[c] ? sum + n : sum), 0));
    return classScore(...pooled, score);
  }
  return spectrum(counts, [scheme], rules, score)[0];
}

/** The score under each class-weighted scheme (a name, or an α); weights are made once where all systems share their gold counts. */
export function spectrum(counts, schemes, rules, score, shared) {
  const weightsOf = shared || schemes.map((scheme) => classWeights(counts, scheme, rules));
  const scores = counts.tp.map((tp, c) => classScore(tp, counts.gold[c], counts.pred[c], score));
  return weightsOf.map((weights) => weights.reduce((sum, w, c) => (w ? sum + w * scores[c] : sum), 0));
}

/** The mean of a list of numbers; NaN of an empty one. */
export const mean = (values) => values.reduce((sum, one) => sum + one, 0) / values.length;

/** The sample standard deviation of a list of numbers; NaN of fewer than two. */
export function sampleSd(values) {
  const middle = mean(values);
  return values.length > 1 ? Math.sqrt(values.reduce((sum, one) => sum + (one - middle) ** 2, 0) / (values.length - 1)) : NaN;
}

/** The α at which two lines over a grid change places, rising: each on the straight line between two points of the grid. */
export function crossings(first, second, alphas) {
  const gaps = alphas.map((alpha, i) => [alpha, first[i] - second[i]]).filter(([, gap]) => gap !== 0);
  return gaps.slice(1).flatMap(([b, after], i) => {
    const [a, before] = gaps[i];
    return before * after < 0 ? [a + ((b - a) * before) / (before - after)] : [];
  });
}

/** Kendall's τ_b of two lists of scores; NaN where one ties all. */
export function kendall(x, y) {
  let [concordant, tiesX, tiesY, pairs] = [0, 0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    for (let j = i + 1; j < x.length; j++) {
      const a = Math.sign(x[i] - x[j]);
      const b = Math.sign(y[i] - y[j]);
      pairs += 1;
      if (!a) tiesX += 1;
      if (!b) tiesY += 1;
      concordant += a * b;
    }
  }
  const free = (pairs - tiesX) * (pairs - tiesY);
  return free > 0 ? concordant / Math.sqrt(free) : NaN;
}

const escaped = (label) => label.replace(/[\\|+]/g, "\\$&");

/** The name of an α: n^0.5, as `power` has it. */
export function alphaName(alpha) {
  return `n^${Number(alpha.toFixed(6))}`;
}

/** What a score needs to be read: what Python wrote for F1 under the policy, with this score, α and classes. */
export function signature(test, rules, scheme, score) {
  const chosen = rules.labels === "list";
  const written = test.signatures[chosen ? "supported" : rules.labels][typeof scheme === "number" ? "alpha" : scheme];
  const parts = written.split("|").map((part) => (part === "scheme:n^α" ? `scheme:${alphaName(scheme)}` : part));
  const names = test.labels.filter((_, c) => rules.selected[c]).sort().map(escaped);
  if (chosen) parts[2] = `labels:${names.join("+")}`;
  return [score, ...parts.slice(1)].join("|");
}
