// What is looked at: kept in the address, so that a view can be cited.

const VIEWS = { ranking: "Ranking", classes: "Classes", compare: "Compare", agreement: "Agreement", direction: "Direction" };

/** Field → its name in the address, and its usual value, which the address leaves out. */
const FIELDS = {
  view: ["v", "ranking"],
  test: ["d", ""],
  labels: ["labels", ""],
  score: ["score", "f1"],
  alpha: ["alpha", 0.75],
  sort: ["sort", "alpha"],
  down: ["down", true],
  recall: ["recall", 1],
  a: ["x", ""],
  b: ["y", ""],
  pinned: ["pin", []],
  out: ["out", ""],
  query: ["q", ""],
};
const CHOICES = { view: Object.keys(VIEWS), score: ["f1", "precision", "recall"], labels: ["", "supported", "observed", "listed"] };
const state = {};

/** Read the address; what does not fit is as usual. */
function readAddress(text, tests) {
  const words = new URLSearchParams(text.replace(/^#/, ""));
  for (const [name, [short, usual]] of Object.entries(FIELDS)) {
    const value = words.get(short);
    if (name === "pinned") state.pinned = words.getAll(short).slice(0, 6);
    else if (value === null || (CHOICES[name] && !CHOICES[name].includes(value))) state[name] = usual;
    else if (typeof usual === "number") state[name] = Number.isFinite(Number(value)) ? Math.min(1, Math.max(0, Number(value))) : usual;
    else state[name] = typeof usual === "boolean" ? value === "true" : value;
  }
  if (!tests.some((one) => one.id === state.test)) state.test = tests[0].id;
  if (!/^[0-9a-f]*$/.test(state.out)) state.out = "";
  state.recall = Math.max(0.01, Math.round(100 * state.recall) / 100);
}

function remember() {
  const words = new URLSearchParams();
  for (const [name, [short, usual]] of Object.entries(FIELDS)) {
    if (name === "pinned") state.pinned.forEach((one) => words.append(short, one));
    else if (state[name] !== usual && state[name] !== "") words.set(short, String(state[name]));
  }
  history.replaceState(null, "", `${words}` ? `#${words}` : location.pathname + location.search);
}

/** Which classes are left out, as bits in hex: bit c of the number stands for label c. */
function excluded(test) {
  const bits = BigInt(`0x0${state.out}`);
  return test.labels.map((_, c) => Boolean((bits >> BigInt(c)) & 1n));
}

function exclude(flags) {
  const bits = flags.reduce((all, out, c) => (out ? all | (1n << BigInt(c)) : all), 0n);
  state.out = bits ? bits.toString(16) : "";
}
