// explore_overview.js - the view Overview: the run in numbers, and what to look at first.
//
// A line is named if it has at least a tenth of an event, and costs at least a fiftieth of the run.

const FINDINGS = [
  ['D1 misses', 'D1mr+D1mw', 'Dr+Dw'], ['last-level misses of data', 'DLmr+DLmw', 'Dr+Dw'],
  ['mispredicts', 'Bcm+Bim', 'Bc+Bi'], ['I1 misses', 'I1mr', 'Ir'],
];
const CLASSES = ['compulsory', 'capacity', 'conflict'];
const ADVICE = {
  conflict: 'Lines that are used together fall into the same sets: pad rows or structures, or lay data out anew; more ways help, too.',
  capacity: 'More is used between two uses of a line than fits: work in blocks, or make elements smaller.',
  compulsory: 'Each line is used for the first time: touch less memory, or use all of a line while it is there.',
};

const SUMMARY = [
  ['instructions', 'Ir', ''], ['I1 misses', 'I1mr', 'Ir'], ['last-level misses of instructions', 'ILmr', 'Ir'],
  ['data references', 'Dr+Dw', ''], ['D1 misses', 'D1mr+D1mw', 'Dr+Dw'], ['last-level misses of data', 'DLmr+DLmw', 'Dr+Dw'],
  ['conditional branches', 'Bc', ''], ['mispredicted', 'Bcm', 'Bc'], ['indirect branches', 'Bi', ''], ['mispredicted', 'Bim', 'Bi'],
  ['compulsory misses, D1', 'AN.compulsory', 'D1mr+D1mw'], ['capacity misses, D1', 'AN.capacity', 'D1mr+D1mw'],
  ['conflict misses, D1', 'AN.conflict', 'D1mr+D1mw'],
];

function lineLink(file, line, text) {
  return el('a', { href: makeHash('source', { file, line }) }, visible(text || shortPath(file) + ':' + line));
}

function shortPath(file) {
  return file.split('/').slice(-1)[0];
}

function classesOf(counts) {
  const found = CLASSES.map(name => [name, sumOf('AN.' + name, counts)]);
  const all = found.reduce((sum, [, n]) => sum + (n || 0), 0);
  return all ? found.map(([name, n]) => ({ name, share: n / all })).sort((a, b) => b.share - a.share) : null;
}

function findLines() {
  const found = [], cost = costOf(model.totals);
  for (const [what, events, references] of FINDINGS) {
    const total = sumOf(events, model.totals), weight = weightOf(events);
    if (!total) continue;
    for (const file of model.files) {
      for (const line of file.byLine.values()) {
        const n = sumOf(events, line.counts);
        if (!line.line || n < 0.1 * total || n * weight < 0.02 * cost) continue;
        found.push({ what, events, n, total, file, line, weight, of: sumOf(references, line.counts), share: n * weight / cost });
      }
    }
  }
  return found.sort((a, b) => b.share - a.share).slice(0, 12);
}

function findingItem(f) {
  const classes = f.events === 'D1mr+D1mw' ? classesOf(f.line.counts) : null;
  const names = [...new Set(f.line.rows.map(row => row.own || splitChain(row.name).own))].slice(0, 3).join(', ');
  const text = [`: ${commas(f.n)} ${f.what}, ${percent(f.n, f.total)} of all. `,
    f.of ? `That is ${percent(f.n, f.of)} of its ${commas(f.of)} references or branches, ` : '',
    `and about ${percent(f.share, 1, 0)} of what the run costs.`];
  if (classes) text.push(' ' + classes.map(c => `${percent(c.share, 1, 0)} ${c.name}`).join(', ') + ' misses.');
  return el('li', {}, el('strong', {}, lineLink(f.file.name, f.line.line), ' in ' + visible(names)), text.join(''),
    ...findingObjects(f), classes && classes[0].share > 0.5 ? el('p', { class: 'advice' }, ADVICE[classes[0].name]) : null);
}

// The object that a line misses on most, and the line that evicts what it misses, where these are known.
function findingObjects(f) {
  if (f.events !== 'D1mr+D1mw' && f.events !== 'DLmr+DLmw') return [];
  const here = model.objectsByLine.get(f.file.name + '\0' + f.line.line), column = model.dataColumns && model.dataColumns[f.events === 'D1mr+D1mw' ? 0 : 1];
  const best = here && here.list.slice().sort((a, b) => column.value(b) - column.value(a))[0];
  const culprit = model.culprits && f.events === 'D1mr+D1mw' ? model.culprits.find(r => r.file === f.file.name && r.line === f.line.line) : null;
  return [best && column.value(best) ? [' ', percent(column.value(best), f.n, 0), ' of them on ', el('a', { href: makeHash('data', { object: best.object.id }) }, describeObject(best.object)), '.'] : null,
    culprit ? [' ', percent(culprit.count, culprit.of, 0), ' of what it misses was evicted by ',
      culprit.evictor_file === f.file.name && culprit.evictor_line === f.line.line ? 'itself' : lineLink(culprit.evictor_file, culprit.evictor_line), '.'] : null].flat().filter(Boolean);
}

function summaryTable(state) {
  const range = rangeCounts(state);
  const table = el('table', { id: 'summary' }, el('caption', {}, 'The whole run'), el('tr', {}, el('th', { scope: 'col' }, 'what'),
    model.before ? el('th', { scope: 'col' }, 'before') : null, el('th', { scope: 'col' }, model.before ? 'after' : 'count'),
    el('th', { scope: 'col' }, 'rate'), range ? el('th', { scope: 'col' }, `instructions ${commas(range.first)} to ${commas(range.last)}`) : null,
    range ? el('th', { scope: 'col' }, 'rate') : null));
  for (const [name, events, over] of SUMMARY) {
    const n = sumOf(events, model.totals), of = over ? sumOf(over, model.totals) : null;
    if (n === null) continue;
    const exact = events.includes('+') ? n : model.totals[model.events.indexOf(events)];
    table.append(el('tr', { 'data-events': events }, el('th', { scope: 'row' }, name),
      model.before ? el('td', { class: 'n' }, commas(sumOf(events, model.totalsBefore))) : null,
      el('td', { class: 'n' }, commas(exact)), el('td', { class: 'n' }, of ? percent(n, of, 2) : ''), ...(range ? rangeCells(range.counts, events, over) : [])));
  }
  return table;
}

function rangeCells(counts, events, over) {
  const n = sumOf(events, counts), of = over ? sumOf(over, counts) : 0;
  return [el('td', { class: 'n' }, commas(n)), el('td', { class: 'n' }, of ? percent(n, of, 2) : '')];
}

// Functions with their part of the cost, as a list of bars; in a comparison those that changed most.
function costBars() {
  const column = model.columns[0], whole = model.before ? column.totalBefore() : column.total();
  const rows = model.functions.slice().sort((a, b) => Math.abs(column.value(b)) - Math.abs(column.value(a))).slice(0, 12);
  const most = rows.length ? Math.abs(column.value(rows[0])) : 0;
  return el('ol', { class: 'bars' }, ...rows.map(row => el('li', {},
    el('a', { href: functionHash(row) }, visible(row.own)),
    el('span', { class: 'track' }, el('span', { class: column.value(row) < 0 ? 'fill better' : 'fill',
      style: `width:${most ? (100 * Math.abs(column.value(row)) / most).toFixed(1) : 0}%` })),
    el('span', { class: 'n' }, percent(column.value(row), whole)))));
}

// Objects with a tenth of the D1 or last-level misses; in a comparison those that changed most.
function objectList() {
  if (!model.objects.length) return null;
  const [d1, ll] = model.dataColumns, cost = model.dataColumns.find(c => c.name === 'cost'), shares = o => [d1, ll].map(c => { const whole = model.before ? c.totalBefore() : c.total(); return whole ? Math.abs(c.value(o)) / whole : 0; });
  const found = model.objects.map(o => ({ o, shares: shares(o) })).filter(f => Math.max(...f.shares) >= 0.1 && (model.before || Math.abs(cost.value(f.o)) >= 0.02 * costOf(model.totals)))
    .sort((a, b) => Math.abs(cost.value(b.o)) - Math.abs(cost.value(a.o))).slice(0, 5);
  return found.length ? el('ul', { id: 'worst-objects', class: 'first' }, ...found.map(objectItem)) : null;
}

function objectItem({ o, shares }) {
  const [d1, ll] = model.dataColumns, classes = model.before ? null : dataClasses(o);
  const text = model.before ? `: ${signed(d1.value(o))} D1 misses, ${signed(ll.value(o))} last-level misses.`
    : `: ${commas(d1.value(o))} D1 misses (${percent(shares[0], 1)}), ${commas(ll.value(o))} last-level misses (${percent(shares[1], 1)}).`;
  return el('li', {}, el('a', { href: makeHash('data', { object: o.id }) }, describeObject(o)), text, classes ? ' ' + classes.map(c => `${percent(c.share, 1, 0)} ${c.name}`).join(', ') + '.' : '',
    classes && classes[0].share > 0.5 ? el('p', { class: 'advice' }, ADVICE[classes[0].name]) : null);
}

function signed(n) {
  return (n > 0 ? '+' : '') + commas(n);
}

function changeLegend() {
  return el('p', { class: 'legend' }, el('span', { class: 'worse' }, '+ orange: more than before'), ' ', el('span', { class: 'better' }, '\u2212 blue: less than before'));
}

views.overview = {
  title: 'Overview',
  show(state, main) {
    main.append(el('h1', {}, visible(model.profile.command)));
    if (model.before) main.append(changeLegend(), onlyNote());
    const found = model.before ? [] : findLines();
    if (!model.before) {
      main.append(el('section', {}, el('h2', {}, 'What to look at first'), found.length ? el('ol', { class: 'first' }, ...found.map(findingItem))
        : el('p', {}, 'No line has a tenth of the misses or mispredicts and costs much.')));
    }
    const objects = objectList();
    if (objects) main.append(el('section', {}, el('h2', {}, model.before ? 'Objects that changed most' : 'Objects that are missed most'), objects, adviceList()));
    main.append(el('div', { class: 'beside' }, el('section', {}, el('h2', {}, 'Summary'), summaryTable(state)),
      el('section', {}, el('h2', {}, model.before ? 'What changed most' : 'Functions by cost'), costBars(),
        el('p', { class: 'note' }, 'Cost is estimated: ' + MEANINGS.cost.slice(16) + '.'))));
  },
};

views.origin = {
  title: 'Origin',
  show(state, main) {
    main.append(el('h1', {}, 'Where this comes from'), el('table', {}, el('tr', {}, el('th', { scope: 'row' }, 'profile'),
      el('td', { class: 'name' }, visible(model.profile.path))), ...model.profile.descs.map(([key, value]) => el('tr', {},
      el('th', { scope: 'row' }, visible(key)), el('td', { class: 'name' }, visible(value))))));
    if (model.before) main.append(el('p', {}, 'Compared with ' + visible(model.before.path) + '.'));
    main.append(leftNote(({ left }) => left.functions || left.lines ? `${commas(left.functions)} functions and ${commas(left.lines)} lines` : '') ||
      el('p', {}, 'All functions and lines of the profile are on this page.'));
  },
};
