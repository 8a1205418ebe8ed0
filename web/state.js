// What is looked at: kept in the address, so that a view can be cited.

export const VIEWS = { ranking: "Ranking", classes: "Classes", compare: "Compare", agreement: "Agreement", direction: "Direction" };
const USUAL = { view: "ranking", test: "", labels: "", score: "f1", alpha: 0.75, sort: "alpha", down: true, recall: 1, a: "", b: "", pinned: [], out: "", query: "" };
const SHORT = { view: "v", test: "d", labels: "labels", score: "score", alpha: "alpha", sort: "sort", down: "down", recall: "recall", a: "x", b: "y", pinned: "pin", out: "out", query: "q" };

export const state = { ...USUAL };

/** The state as the part of the address behind #; what is usual is left out. */
export function address() {
  const words = new URLSearchParams();
  for (const [name, short] of Object.entries(SHORT)) {
    const value = state[name];
    if (Array.isArray(value)) value.forEach((one) => words.append(short, one));
    else if (value !== USUAL[name] && value !== "") words.set(short, String(value));
  }
  return words.toString();
}

/** Read the address; what does not fit is as usual. */
export function readAddress(text, tests) {
  const words = new URLSearchParams(text.replace(/^#/, ""));
  const fresh = { ...USUAL, pinned: words.getAll("pin").slice(0, 6) };
  for (const [name, short] of Object.entries(SHORT)) {
    const value = words.get(short);
    if (value === null || name === "pinned") continue;
    if (typeof USUAL[name] === "number") {
      const number = Number(value);
      fresh[name] = Number.isFinite(number) ? Math.min(1, Math.max(0, number)) : USUAL[name];
    } else fresh[name] = typeof USUAL[name] === "boolean" ? value === "true" : value;
  }
  if (!(fresh.view in VIEWS)) fresh.view = "ranking";
  if (!["f1", "precision", "recall"].includes(fresh.score)) fresh.score = "f1";
  if (!["", "supported", "observed", "listed"].includes(fresh.labels)) fresh.labels = "";
  if (!tests.some((one) => one.id === fresh.test)) fresh.test = tests.length ? tests[0].id : "";
  if (!/^[0-9a-f]*$/.test(fresh.out)) fresh.out = "";
  fresh.recall = Math.max(0.01, Math.round(100 * fresh.recall) / 100);
  Object.assign(state, fresh);
}

export function remember() {
  const words = address();
  history.replaceState(null, "", words ? `#${words}` : location.pathname + location.search);
}

/** Which classes are left out, as bits in hex: bit c of the number stands for label c. */
export function excluded(test) {
  const bits = BigInt(`0x0${state.out}`);
  return test.labels.map((_, c) => Boolean((bits >> BigInt(c)) & 1n));
}

export function exclude(flags) {
  const bits = flags.reduce((sum, out, c) => (out ? sum | (1n << BigInt(c)) : sum), 0n);
  state.out = bits ? bits.toString(16) : "";
}
