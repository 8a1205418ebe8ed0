// What is looked at: kept in the address, so that a view can be cited.

const data = JSON.parse($("data").textContent);
const VIEWS = { ranking: drawTable, classes: drawClasses, compare: drawCompare, agreement: drawAgreement, direction: drawDirection };

/** Field → its name in the address, its usual value, which the address leaves out, and what else it may be. */
const FIELDS = {
  view: ["v", "ranking", Object.keys(VIEWS)],
  test: ["d", "", data.testsets.map((one) => one.id)],
  labels: ["labels", "", ["supported", "observed", "listed"]],
  score: ["score", "f1", ["precision", "recall"]],
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
const state = {};

/** Read the address; what does not fit is as usual. */
function readAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  for (const [name, [short, usual, others]] of Object.entries(FIELDS)) {
    const text = words.get(short);
    const read = { number: clip(Number(text)), boolean: text === "true", object: words.getAll(short).slice(0, 6) }[typeof usual] ?? text;
    state[name] = text === null || Number.isNaN(read) || (others && !others.includes(text)) ? usual : read;
  }
  state.test ||= data.testsets[0].id;
  if (!/^[0-9a-f]*$/.test(state.out)) state.out = "";
  state.recall = Math.max(0.01, Math.round(100 * state.recall) / 100);
}

function remember() {
  const words = new URLSearchParams();
  for (const [name, [short, usual]] of Object.entries(FIELDS)) {
    if (String(state[name]) !== String(usual)) [state[name]].flat().forEach((one) => words.append(short, one));
  }
  history.replaceState(null, "", `#${words}`);
}

/** Which classes are left out, as bits in hex: bit c of the number stands for label c. */
function excluded(test) {
  const bits = BigInt(`0x0${state.out}`).toString(2).split("").reverse();
  return test.labels.map((_, c) => bits[c] === "1");
}

const bitsOf = (flags) => BigInt(`0b0${flags.map(Number).reverse().join("")}`).toString(16).replace(/^0$/, "");
