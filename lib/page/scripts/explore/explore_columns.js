// explore_columns.js - the columns of numbers: events, what they cost, and ratios of them.
//
//   column.value(row)     the number to sort by;  column.text(row)  as it is shown, "1,234" or "12.50"
//
// Ratios are those of `quern csv`, by the same names (lib/out/columns.h).

const RATIOS = [
  ['I1mr%', 100, 'I1mr', 'Ir'], ['ILmr%', 100, 'ILmr', 'Ir'], ['D1mr%', 100, 'D1mr', 'Dr'], ['DLmr%', 100, 'DLmr', 'Dr'],
  ['D1mw%', 100, 'D1mw', 'Dw'], ['DLmw%', 100, 'DLmw', 'Dw'], ['D1m%', 100, 'D1mr+D1mw', 'Dr+Dw'],
  ['LLmr%', 100, 'ILmr+DLmr+DLmw', 'Ir+Dr+Dw'], ['LLlocal%', 100, 'ILmr+DLmr+DLmw', 'I1mr+D1mr+D1mw'],
  ['L2mr%', 100, 'I2mr+D2mr+D2mw', 'Ir+Dr+Dw'], ['L2local%', 100, 'I2mr+D2mr+D2mw', 'I1mr+D1mr+D1mw'],
  ['LL/L2%', 100, 'ILmr+DLmr+DLmw', 'I2mr+D2mr+D2mw'], ['L2MPKI', 1000, 'I2mr+D2mr+D2mw', 'Ir'],
  ['D1use%', 100, 'D1.used', 'D1.filled', 'more'], ['Bcm%', 100, 'Bcm', 'Bc'], ['Bim%', 100, 'Bim', 'Bi'], ['Bm%', 100, 'Bcm+Bim', 'Bc+Bi'],
  ['MPKI', 1000, 'ILmr+DLmr+DLmw', 'Ir'], ['L1MPKI', 1000, 'I1mr+D1mr+D1mw', 'Ir'], ['BMPKI', 1000, 'Bcm+Bim', 'Ir'],
  ['Ir/line', 1, 'Ir', 'LL.fills+LL.writebacks', 'more'],
];

const MEANINGS = {
  cost: '', // the data says by what rule
  Ir: 'instructions', I1mr: 'first-level misses of instructions', I2mr: 'misses of instructions, L2', ILmr: 'last-level misses of instructions',
  Dr: 'data reads', D1mr: 'read misses, D1', D2mr: 'read misses, L2', DLmr: 'read misses, last level',
  Dw: 'data writes', D1mw: 'write misses, D1', D2mw: 'write misses, L2', DLmw: 'write misses, last level',
  Bc: 'conditional branches', Bcm: 'mispredicted', Bi: 'indirect branches', Bim: 'mispredicted indirect branches',
};

// The cost of one event; of several, joined by +, the highest.
function weightOf(events) {
  return Math.max(...events.split('+').map(name => model.weights[model.events.indexOf(name)] || 0));
}

function costOf(counts) {
  return counts.reduce((sum, count, i) => sum + model.weights[i] * Number(count), 0);
}

// The sum of "D1mr+D1mw"; null where the profile does not have them all.
function sumOf(events, counts) {
  let sum = 0;
  for (const name of events.split('+')) {
    const i = model.events.indexOf(name);
    if (i < 0) return null;
    sum += Number(counts[i]);
  }
  return sum;
}

function eventColumn(name, i) {
  const change = row => row.before ? subtract(row.counts[i], row.before[i]) : row.counts[i];
  return { name, kind: 'count', value: row => Number(change(row)), text: row => commas(change(row)), total: () => Number(model.totals[i]),
    totalBefore: () => Number(model.totalsBefore[i]) };
}

function costColumn() {
  return { name: 'cost', kind: 'count', value: row => costOf(row.counts) - (row.before ? costOf(row.before) : 0),
    text(row) { return commas(this.value(row)); }, total: () => costOf(model.totals), totalBefore: () => costOf(model.totalsBefore) };
}

function ratioColumn([name, times, of, over, more]) {
  const ratio = counts => sumOf(over, counts) ? times * sumOf(of, counts) / sumOf(over, counts) : null;
  return { name, kind: 'ratio', more,
    value(row) {
      const after = ratio(row.counts), before = row.before ? ratio(row.before) : 0;
      return after === null || before === null ? -Infinity : after - before;
    },
    text(row) { const v = this.value(row); return v === -Infinity ? '' : v.toFixed(2); } };
}

function makeColumns() {
  const known = name => !name.split('+').some(event => !model.events.includes(event));
  return [costColumn(), ...model.events.map(eventColumn),
    ...RATIOS.filter(r => known(r[2]) && known(r[3]) && !model.events.includes(r[0])).map(ratioColumn)];
}

const USUAL = ['cost', 'Ir', 'I1mr', 'D1mr', 'D1mw', 'I2mr', 'D2mr', 'D2mw', 'ILmr', 'DLmr', 'DLmw', 'D1use%', 'Bcm', 'Bim'];
const NARROW = 700; // pixels: room for one column beside names and code

function chosenColumns(state) {
  const names = state.columns ? state.columns.split(',') : USUAL.slice(0, innerWidth < NARROW ? 1 : USUAL.length);
  const chosen = names.map(name => model.columns.find(c => c.name === name)).filter(Boolean);
  return chosen.length ? chosen : model.columns.slice(0, 2);
}

// Boxes to choose columns by; the choice is in the hash.
function columnChooser(state) {
  const chosen = chosenColumns(state).map(c => c.name);
  const boxes = model.columns.map(c => el('label', { title: MEANINGS[c.name] || '' },
    el('input', { type: 'checkbox', value: c.name, checked: chosen.includes(c.name), onchange: change }), c.name));
  function change(event) {
    const names = model.columns.map(c => c.name).filter(name => name === event.target.value ? event.target.checked : chosen.includes(name));
    go({ ...state, columns: names.join(',') || 'cost' });
  }
  return el('details', { class: 'columns', open: state.choose === '1',
    ontoggle(event) { state.choose = event.target.open ? '1' : ''; } }, el('summary', {}, 'columns'), ...boxes);
}

// A cell with its share of the whole; in a comparison with its sign, so that colour is not alone in telling better from worse.
function numberCell(column, row) {
  const value = column.value(row);
  if (!value || value === -Infinity) return el('td', { class: 'n zero' }, column.kind === 'ratio' ? column.text(row) : '0');
  let text = column.text(row), kind = 'n';
  if (model.before) {
    if (value > 0) text = '+' + text;
    kind += (value > 0) !== Boolean(column.more) ? ' worse' : ' better';
  }
  const whole = column.total ? (model.before ? column.totalBefore() : column.total()) : 0;
  return el('td', { class: kind }, text, column.total && whole ? el('small', {}, percent(value, whole)) : null);
}
