// explore_overview.js - the view Overview: the run in numbers, and what to look at first, as `quern report` ranks it (data.findings).

const CLASSES = ['compulsory', 'capacity', 'conflict'];
const SUMMARY = [
  ['instructions', 'Ir', ''], ['I1 misses', 'I1mr', 'Ir'], ['L2 misses of instructions', 'I2mr', 'Ir'], ['last-level misses of instructions', 'ILmr', 'Ir'],
  ['data references', 'Dr+Dw', ''], ['D1 misses', 'D1mr+D1mw', 'Dr+Dw'], ['L2 misses of data', 'D2mr+D2mw', 'Dr+Dw'], ['last-level misses of data', 'DLmr+DLmw', 'Dr+Dw'],
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

// The finding; the place that its text begins with is a link to the source.
function findingItem(f) {
  const end = f.what.indexOf(': '), place = f.file && end > 0 ? el('a', { href: makeHash('source', { file: f.file, line: f.line }) }, visible(f.what.slice(0, end))) : '';
  return el('li', {}, el('strong', {}, place, visible(place ? f.what.slice(end) : f.what), '.'), ' ', visible(f.proof), el('p', { class: 'advice' }, visible(f.advice)));
}

// What a class of D1 misses means, as a report says it; nothing in a comparison.
function classAdvice(classes) {
  const advice = classes && classes[0].share > 0.5 && model.data.classes;
  return advice ? el('p', { class: 'advice' }, advice[classes[0].name]) : null;
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
    classAdvice(classes));
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
    if (!model.before) {
      const { findings = [], hints = [] } = model.data;
      main.append(el('section', {}, el('h2', {}, 'What to look at first'), ...hints.map(hint => el('p', { class: 'hint' }, visible(hint))),
        findings.length ? el('ol', { class: 'first' }, ...findings.map(findingItem)) : el('p', {}, 'No place stands out for misses or mispredicts.')));
    }
    const objects = objectList();
    if (objects) main.append(el('section', {}, el('h2', {}, model.before ? 'Objects that changed most' : 'Objects that are missed most'), objects));
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
