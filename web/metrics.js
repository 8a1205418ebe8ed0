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
  const { tp, gold, pred } = counts;
  if (scheme === "micro") {
    const pooled = [0, 0, 0];
    rules.selected.forEach((taken, c) => {
      if (!taken) return;
      pooled[0] += tp[c];
      pooled[1] += gold[c];
      pooled[2] += pred[c];
    });
    return classScore(...pooled, score);
  }
  const weights = classWeights(counts, scheme, rules);
  return weights.reduce((sum, w, c) => (w ? sum + w * classScore(tp[c], gold[c], pred[c], score) : sum), 0);
}

/** The score under n^α for each α; weights are made once where all systems share their gold counts. */
export function spectrum(counts, alphas, rules, score, shared) {
  const weightsOf = shared || alphas.map((alpha) => classWeights(counts, alpha, rules));
  const scores = counts.tp.map((tp, c) => classScore(tp, counts.gold[c], counts.pred[c], score));
  return weightsOf.map((weights) => {
    let sum = 0;
    for (let c = 0; c < weights.length; c++) if (weights[c]) sum += weights[c] * scores[c];
    return sum;
  });
}

/** The mean of a list of numbers; NaN of an empty one. */
export const mean = (values) => values.reduce((sum, one) => sum + one, 0) / values.length;

/** The α at which two systems change places, rising, found to 1e-9 between points of the grid. first, second: counts of each run. */
export function crossings(first, second, alphas, rules, score = "f1") {
  const of = (runs, alpha) => mean(runs.map((counts) => average(counts, alpha, rules, score)));
  const lead = (alpha) => of(first, alpha) - of(second, alpha);
  const apart = alphas.map((alpha) => [alpha, lead(alpha)]).filter(([, gap]) => gap !== 0);
  const found = [];
  for (let i = 1; i < apart.length; i++) {
    let [[a, here], [b, there]] = [apart[i - 1], apart[i]];
    if (here * there >= 0) continue;
    while (b - a > 1e-9) {
      const middle = (a + b) / 2;
      const gap = lead(middle);
      if (gap * here > 0) a = middle;
      else b = middle;
    }
    found.push((a + b) / 2);
  }
  return found;
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

const CODE = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";

/** The rises of a ranked list: rank, facts found there, and what was known before. */
export function rises(list) {
  const found = { ranks: [], found: [], before: [], previous: [] };
  let [rank, step, total] = [0, 0, 0];
  const odd = new Map(list.odd.map(([at, jump, previous]) => [at, { jump, previous }]));
  for (const letter of list.ranks) {
    if (letter === "_") {
      step += 63;
      continue;
    }
    rank += step + CODE.indexOf(letter);
    step = 0;
    const other = odd.get(found.ranks.length);
    found.ranks.push(rank);
    found.before.push(total);
    found.previous.push(other ? other.previous : rank - 1);
    total += other ? other.jump : 1;
    found.found.push(total);
  }
  return found;
}

/** Area between the points of a precision–recall curve up to the first rank with a recall; NaN if not reached. */
export function aucUntil(list, recall = null) {
  const { ranks, found, before, previous } = list.rises || (list.rises = rises(list));
  let area = 0;
  for (let i = 0; i < ranks.length; i++) {
    if (previous[i] > 0) {
      const step = (found[i] - before[i]) / list.facts;
      area += (step * (found[i] / ranks[i] + before[i] / previous[i])) / 2;
    }
    if (recall !== null && found[i] / list.facts >= recall - 1e-12) return area;
  }
  return recall === null && ranks.length ? area : NaN;
}

const escaped = (value) => String(value).replaceAll("\\", "\\\\").replaceAll("|", "\\|");

/** The name of an α: n^0.5, as `power` has it. */
export function alphaName(alpha) {
  return `n^${Number(alpha.toFixed(6))}`;
}

/** What a score needs to be read, as `Policy.signature` composes it. */
export function signature(test, rules, scheme, score, rulesVersion) {
  const micro = scheme === "micro";
  const name = typeof scheme === "number" ? alphaName(scheme) : scheme;
  const skip = rules.labels === "supported" || rules.labels === "list";
  const parts = [score, `scheme:${name}`, `labels:${labelsName(test, rules, micro)}`];
  if (!rules.sets) parts.push(`negative:${test.negative === null ? "None" : escaped(test.negative)}`);
  if (!micro) parts.push(`zero_support:${skip ? "skip" : "zero"}`);
  if (rules.sets) {
    if (name === "entropy") parts.push("normaliser:assignments");
    parts.push(`decision:${escaped(test.decision)}`, `n:${test.n}`, `labels_n:${test.labels.length}`);
  } else parts.push(`direction:${test.direction}`, `n:${test.n}`);
  return [...parts, `v:${rulesVersion}`].join("|");
}

function labelsName(test, rules, micro) {
  if (rules.labels !== "list") return micro ? "listed" : rules.labels;
  const names = test.labels.filter((_, c) => rules.selected[c]).sort();
  if (names.length <= 3) return escaped(names.join("+"));
  return `${names.length}of${test.labels.length}#${sha256(names.join("\n")).slice(0, 8)}`;
}

/** sha256 in hex; written out, as crypto.subtle is missing where a page is opened from a file. */
export function sha256(text) {
  const rotate = (x, n) => (x >>> n) | (x << (32 - n));
  const primes = [];
  for (let p = 2; primes.length < 64; p++) if (primes.every((q) => p % q)) primes.push(p);
  const fraction = (x) => ((x - Math.floor(x)) * 2 ** 32) | 0;
  const k = primes.map((p) => fraction(Math.cbrt(p)));
  const state = primes.slice(0, 8).map((p) => fraction(Math.sqrt(p)));
  const bytes = [...new TextEncoder().encode(text)];
  const bits = bytes.length * 8;
  bytes.push(0x80);
  while (bytes.length % 64 !== 56) bytes.push(0);
  for (let i = 7; i >= 0; i--) bytes.push(Math.floor(bits / 2 ** (8 * i)) & 255);
  for (let at = 0; at < bytes.length; at += 64) {
    const w = [];
    for (let i = 0; i < 64; i++) {
      if (i < 16) {
        const b = at + 4 * i;
        w[i] = (bytes[b] << 24) | (bytes[b + 1] << 16) | (bytes[b + 2] << 8) | bytes[b + 3];
      } else {
        const s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ (w[i - 15] >>> 3);
        const s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ (w[i - 2] >>> 10);
        w[i] = (w[i - 16] + s0 + w[i - 7] + s1) | 0;
      }
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + k[i] + w[i]) | 0;
      const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((one, i) => (state[i] = (state[i] + one) | 0));
  }
  return state.map((one) => (one >>> 0).toString(16).padStart(8, "0")).join("");
}
