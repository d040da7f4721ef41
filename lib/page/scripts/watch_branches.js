// watch_branches.js - a step of `quern watch --predictor`: what each predictor holds for the branch, what it says, and how it learns.
//
//   shownAt(predictor, step)     [{ name, kind, value, after, least, most }], in the order of the module (lib/sim/module.h, sim_show_*)
//   entriesAt(predictor, step)   the entries of its tables that the window has used up to this step, the last one first
//
// Outcomes are T and N: taken, not taken.  A misprediction is an orange frame and a cross, so that colour is not alone in telling it.

const BIT = 17, ENTRIES_SHOWN = 12, HISTORY_SHOWN = 24;
const TABLES = ['table', 'index', 'set', 'branch', 'perceptron']; // numbers that say which entry it is

function shownAt(predictor, step) {
  const [, form, ...values] = predictor.steps[step];
  let at = 0;
  return play.data.forms[form].map(([name, kind, least, most]) => {
    const shown = { name: name.replace(/-/g, ' '), kind, least, most, value: values[at++] };
    if (kind === 'counter' || kind === 'weights') shown.after = values[at++] || (kind === 'weights' ? shown.value : 0);
    return shown;
  });
}

function entryOf(shown) {
  return shown.filter(s => s.kind === 'number' && TABLES.includes(s.name)).map(s => `${s.name} ${s.value}`).join(', ');
}

function readPredictor(predictor) {
  predictor.entries = new Map(); // name: its uses, in order of steps
  predictor.misses = [];
  let misses = 0;
  predictor.steps.forEach(([wrong], step) => {
    misses += wrong;
    predictor.misses.push(misses);
    const shown = shownAt(predictor, step), counter = shown.find(s => s.kind === 'counter'), name = entryOf(shown);
    if (!counter || !name) return;
    const uses = predictor.entries.get(name) || [];
    uses.push({ step, name, counter });
    predictor.entries.set(name, uses);
  });
}

function entriesAt(predictor, step) {
  const last = [];
  for (const uses of predictor.entries.values()) {
    const before = uses.filter(use => use.step <= step);
    if (before.length) last.push(before[before.length - 1]);
  }
  return last.sort((a, b) => b.step - a.step).slice(0, ENTRIES_SHOWN);
}

// The steps of the same branch up to this one, the last of them.
function sameBranch(step) {
  const same = [];
  for (let i = step; i >= 0 && same.length < HISTORY_SHOWN; i--) {
    if (play.data.steps[i][2] === play.data.steps[step][2]) same.unshift(i);
  }
  return same;
}

// ---- words ----

function sayBranch(step) {
  const [number, , pc, taken, backward, target] = play.data.steps[step], [file, line, name] = placeOf(step);
  const where = (file ? `${shortName(file)}:${line}` : hex(pc)) + (name ? ' in ' + name : '');
  if (play.data.kind !== 'cond') return `${taken === 'return' ? 'return' : 'branch'} ${commas(number)}: ${where} goes to ${hex(target)}`;
  return `branch ${commas(number)}: ${where}, ${backward ? 'backward' : 'forward'}, is ${taken ? 'taken' : 'not taken'}`;
}

function sayPrediction(predictor, step) {
  const wrong = predictor.steps[step][0], taken = play.data.steps[step][3];
  if (play.data.kind !== 'cond') return wrong ? 'says another target: mispredicted' : 'says this target: right';
  return `says ${(wrong ? !taken : taken) ? 'taken' : 'not taken'}: ${wrong ? 'mispredicted' : 'right'}`;
}

// ---- what is shown ----

function drawBits(text, x, y) {
  return [...text].flatMap((bit, i) => [box(x + i * BIT, y, BIT - 2, 20, bit === '1' ? colours.held : colours.empty),
    words(x + i * BIT + 4, y + 14, bit === '1' ? 'T' : 'N', { 'font-size': 11 })]);
}

// A field for each value; taken is the upper half.  A frame around what it was, a fill for what it is now.
function drawCounter(shown, x, y) {
  const { least, most, value, after } = shown, nodes = [];
  if (most - least > 15) return [words(x, y + 15, value === after ? String(value) : `${value} to ${after}`)];
  for (let i = least; i <= most; i++) {
    const at = x + (i - least) * 34;
    nodes.push(box(at, y, 30, 22, i === after ? colours.filled : i > (least + most) / 2 ? colours.held : colours.empty,
      i === value ? { stroke: colours.hits, 'stroke-width': 3 } : {}),
    words(at + 15, y + 15, String(i), { 'text-anchor': 'middle', 'font-weight': i === after ? 'bold' : 'normal' }));
  }
  return nodes;
}

// A bar up or down from a line; hatched bars have just moved.
function drawWeights(shown, x, y) {
  const after = shown.after === 0 ? shown.value : shown.after, most = Math.max(8, ...after.map(Math.abs)), half = 30;
  const nodes = after.flatMap((weight, i) => {
    const height = Math.max(1, Math.abs(weight) / most * half);
    return [svg('rect', { x: x + i * 12, y: weight < 0 ? y + half : y + half - height, width: 9, height, fill: weight < 0 ? colours.misses : colours.hits,
      stroke: colours.ink, 'stroke-width': weight === shown.value[i] ? 0 : 1.5 }, svg('title', {}, `${i + 1}: ${shown.value[i]} to ${weight}`))];
  });
  nodes.push(svg('line', { x1: x, y1: y + half, x2: x + after.length * 12, y2: y + half, stroke: colours.frame }));
  return nodes;
}

const HEIGHTS = { counter: 32, weights: 70, bits: 30 };

function drawShown(shown, x, y) {
  const left = x + 120;
  const value = shown.kind === 'bits' ? drawBits(shown.value, left, y) : shown.kind === 'counter' ? drawCounter(shown, left, y)
    : shown.kind === 'weights' ? drawWeights(shown, left, y) : [words(left, y + 15, String(shown.value))];
  return [words(x, y + 15, shown.name, { fill: colours.soft }), ...value];
}

function widthOf(shown) {
  if (shown.kind === 'bits') return shown.value.length * BIT;
  if (shown.kind === 'weights') return shown.value.length * 12;
  return shown.kind === 'counter' ? Math.min(16, shown.most - shown.least + 1) * 34 : 100;
}

// The branch so far: T and N, a cross below what this predictor got wrong.
function drawOutcomes(predictor, step, x, y) {
  const same = sameBranch(step), nodes = [words(x, y + 14, 'this branch', { fill: colours.soft })];
  if (play.data.kind !== 'cond') return [];
  same.forEach((i, n) => {
    const at = x + 120 + n * BIT, wrong = predictor.steps[i][0], taken = play.data.steps[i][3];
    nodes.push(box(at, y, BIT - 2, 20, taken ? colours.held : colours.empty, wrong ? { stroke: colours.misses, 'stroke-width': 2.5 } : {}),
      words(at + 4, y + 14, taken ? 'T' : 'N', { 'font-size': 11 }));
    if (wrong) nodes.push(words(at + 4, y + 34, 'x', { fill: colours.misses, 'font-weight': 'bold' }));
  });
  return nodes;
}

function drawEntries(predictor, step, x, y) {
  const entries = entriesAt(predictor, step);
  return !entries.length ? [] : [words(x, y + 14, 'entries used last', { fill: colours.soft }), ...entries.flatMap((entry, i) => {
    const at = y + 24 + i * 30;
    return [words(x, at + 15, (entry.step === step ? '>' : ' ') + entry.name, { 'font-weight': entry.step === step ? 'bold' : 'normal', 'xml:space': 'preserve' }),
      ...drawCounter({ ...entry.counter, value: entry.step === step ? entry.counter.value : entry.counter.after }, x + 190, at)];
  })];
}

function drawPredictor(predictor, step, x, y) {
  const wrong = predictor.steps[step][0], shown = shownAt(predictor, step);
  const nodes = [words(x, y, predictor.name, { 'font-weight': 'bold' }),
    words(x, y + 20, `mispredicted so far: ${commas(predictor.misses[step])} of ${commas(step + 1)}`, { fill: colours.soft }),
    words(x, y + 44, sayPrediction(predictor, step), { fill: wrong ? colours.misses : colours.hits, 'font-weight': 'bold' }),
    ...drawOutcomes(predictor, step, x, y + 58)];
  let at = y + 102;
  for (const s of shown) {
    nodes.push(...drawShown(s, x, at));
    at += HEIGHTS[s.kind] || 26;
  }
  nodes.push(...drawEntries(predictor, step, x, at + 10));
  const width = Math.max(150 + HISTORY_SHOWN * BIT, 190 + 8 * 34, ...shown.map(s => 140 + widthOf(s)));
  return { nodes, width, height: at + 60 + ENTRIES_SHOWN * 30 - y };
}
