// explore_memory.js - the view Data: objects and types as a treemap and a table, and of one its parts and the lines that miss on it.
//
//   #data&by=D1%20misses&object=3        sizes by these misses; object 3 is open
//   #data&group=type                     objects of one type are one

const BOXES = 60;            // rectangles of the treemap; the rest is one
const BOX_ROOM = { x: 0, y: 0, w: 1000, h: 360 };
const OBJECTS_SHOWN = 200;
const PARTS_SHOWN = 100;
const PAIRS_SHOWN = 20;
const WIDE = 1800;           // pixels: room for classes beside events
const FIRST_COLUMNS = 7;     // sums and events

function shownColumns() {
  return model.dataColumns.slice(0, innerWidth < NARROW ? 1 : innerWidth < WIDE ? FIRST_COLUMNS : undefined);
}

// The columns that areas can show: shares of a whole.
function sizeColumns() {
  return model.dataColumns.filter(c => c.kind === 'count');
}

function objectRows(state) {
  const words = (state.filter || '').toLowerCase().split(' ').filter(Boolean);
  const text = o => [o.name, o.kind, o.type, o.file, o.func].join('\n').toLowerCase();
  return (state.group === 'type' ? byType() : model.objects).filter(o => words.every(word => text(o).includes(word)));
}

function kindClass(kind) {
  return 'kind' + (kind in KIND_COLOURS ? KIND_COLOURS[kind] : 5);
}

// What tells an object from others: of allocations the type, or the place, because all are made by new or malloc.
function ownName(o) {
  const place = o.file && o.line ? shortPath(o.file) + ':' + o.line : o.func;
  return visible(o.kind === 'heap' && !o.objects && (o.type || place) ? [o.type, place].filter(Boolean).join(' ') : o.name.startsWith('/') ? shortPath(o.name) : o.name);
}

function objectLabel(o, width) {
  const name = ownName(o), room = Math.floor((width - 10) / 7.8);
  return room < 3 ? '' : name.length > room ? name.slice(0, room - 1) + '\u2026' : name;
}

// A rectangle is a link to its object.
function objectBox(box, column, state) {
  const o = box.item.row, share = percent(o ? column.size(o) : box.item.size, column.whole);
  const better = o && o.before ? (column.value(o) > 0 ? ' worse' : column.value(o) < 0 ? ' better' : '') : '';
  const rect = svg('rect', { x: box.x + 1, y: box.y + 1, width: Math.max(0, box.w - 2), height: Math.max(0, box.h - 2), rx: 2,
    class: o ? kindClass(o.kind) : 'kind5' });
  const text = box.h > 18 ? svg('text', { x: box.x + 6, y: box.y + 16 }, o ? objectLabel(o, box.w) : box.w > 60 ? 'others' : '') : null;
  const small = box.h > 36 && box.w > 50 ? svg('text', { x: box.x + 6, y: box.y + 31 }, share + (better === ' worse' ? ' +' : better === ' better' ? ' \u2212' : '')) : null;
  const title = svg('title', {}, `${o ? describeObject(o) : 'others'}: ${share} of ${column.name}`);
  return o ? svg('a', { href: makeHash('data', { ...state, object: o.id }), class: 'box' + better + (String(o.id) === state.object ? ' open' : '') }, rect, text, small, title)
    : svg('g', { class: 'box' }, rect, text, small, title);
}

function objectMap(rows, column, state) {
  const sorted = rows.slice().sort((a, b) => column.size(b) - column.size(a));
  const items = sorted.slice(0, BOXES).map(row => ({ row, size: column.size(row) }));
  const others = sorted.slice(BOXES).reduce((n, row) => n + column.size(row), 0);
  if (others) items.push({ row: null, size: others });
  column.whole = items.reduce((n, item) => n + item.size, 0);
  return svg('svg', { viewBox: `0 0 ${BOX_ROOM.w} ${BOX_ROOM.h}`, class: 'map', id: 'map', role: 'group', 'aria-label': `objects by ${column.name}` },
    ...treemap(items, BOX_ROOM).map(box => objectBox(box, column, state)));
}

function kindLegend(rows) {
  if (model.before) return changeLegend();
  const kinds = [...new Set(rows.map(o => o.kind))];
  return el('ul', { class: 'legend' }, ...kinds.map(kind => el('li', {}, svg('svg', { viewBox: '0 0 12 12', width: 12, height: 12, 'aria-hidden': 'true' },
    svg('rect', { width: 12, height: 12, class: kindClass(kind) })), OBJECT_KINDS[kind] || visible(kind))));
}

function placeCell(row) {
  if (!row.file) return el('td', { class: 'path' }, visible(row.func || ''));
  const text = `${shortPath(row.file)}:${row.line}`;
  return el('td', { class: 'path' }, model.byFile.has(row.file) ? lineLink(row.file, row.line) : visible(text), row.func ? ' ' + visible(row.func) : null);
}

function sizeText(o) {
  if (!Number(o.blocks)) return Number(o.size) ? commas(o.size) + ' B' : '';
  return `${commas(o.blocks)} blocks, ${commas(o.bytes)} B`;
}

function objectTable(rows, state, column) {
  const columns = shownColumns(), sorted = rows.slice().sort((a, b) => Math.abs(column.value(b)) - Math.abs(column.value(a)));
  const heading = c => el('th', { scope: 'col', 'aria-sort': c === column ? 'descending' : null },
    el('button', { type: 'button', onclick: () => go({ ...state, by: c.name }) }, c.name));
  return el('div', { class: 'wide' }, el('table', { id: 'objects' }, el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, state.group === 'type' ? 'type' : 'object'),
    ...columns.map(heading), ...['kind', 'type', 'declared or allocated', 'size'].map(text => el('th', { scope: 'col', class: text === 'size' ? 'n' : 'left' }, text)))),
  el('tbody', {}, ...sorted.slice(0, OBJECTS_SHOWN).map(o => el('tr', { class: String(o.id) === state.object ? 'open' : null },
    el('td', { class: 'name' }, el('a', { href: makeHash('data', { ...state, object: o.id }) }, o.kind === 'others' ? describeObject(o) : visible(o.name))), ...columns.map(c => numberCell(c, o)),
    el('td', {}, OBJECT_KINDS[o.kind] || visible(o.kind)), el('td', { class: 'path' }, visible(o.type || '')), placeCell(o), el('td', { class: 'n' }, sizeText(o)))))));
}

// A structure as it lies in memory: each member with its offset, its size and its misses, those without any among them.
function layoutTable(o, column) {
  if (!o.members || !o.members.length) return null;
  const columns = shownColumns(), rows = o.members.map(m => ({ ...m, ...emptyData() }));
  for (const part of o.parts) {
    const first = withoutIndex(part.name).split(/[.[]/)[0], row = rows.find(m => m.name === first);
    if (row) addBoth(row, part);
  }
  const most = Math.max(...rows.map(m => Math.abs(column.value(m))), 0);
  return el('table', { id: 'layout' }, el('caption', {}, `${visible(o.type)}: ${commas(o.typeSize)} B`),
    el('tr', {}, ...['member', 'offset', 'bytes', ...(usedKnown() ? ['of its bytes used'] : []), ...columns.map(c => c.name)].map((text, i) => el('th', { scope: 'col', class: i ? 'n' : null }, text))),
    ...rows.map(m => el('tr', {}, el('td', { class: 'line heat' + heat(column.value(m), most) }, visible(m.name)), el('td', { class: 'n' }, commas(m.offset)), el('td', { class: 'n' }, commas(m.size)), usedKnown() ? usedCell(m) : null,
      ...columns.map(c => numberCell(c, m)))));
}

function usedKnown() {
  return model.dataEvents.includes('filled');
}

// How many bytes of a part were used, of those that were fetched in lines for its object.
function usedCell(part) {
  const share = part.came ? part.used / part.came : null;
  return el('td', { class: 'n used' }, share === null ? '' : percent(part.used, part.came), share === null ? null : el('span', { class: 'track' },
    el('span', { class: 'fill better', style: `width:${(100 * share).toFixed(1)}%` })));
}

// The objects whose lines had evicted those on which this object misses.
function pairTable(o) {
  if (!o.pairs || !o.pairs.length) return null;
  const column = i => ({ kind: 'count', value: row => Number(row.counts[i]) - (row.before ? Number(row.before[i]) : 0), text(row) { return commas(this.value(row)); } });
  const columns = [column(0), column(1)], rows = o.pairs.slice().sort((a, b) => Math.abs(columns[0].value(b)) - Math.abs(columns[0].value(a)));
  return el('table', { id: 'pairs' }, el('caption', {}, 'Its lines had been evicted for those of'), el('tr', {}, ...['object', 'D1 misses', 'conflict misses'].map((text, i) =>
    el('th', { scope: 'col', class: i ? 'n' : null }, text))),
  ...rows.slice(0, PAIRS_SHOWN).map(row => el('tr', {}, el('td', { class: 'name' }, row.by === o ? 'others of its own' : !row.by ? 'others' : el('a', { href: makeHash('data', { object: row.by.id }) },
    describeObject(row.by))), ...columns.map(c => numberCell(c, row)))));
}

// Parts in the order of their offsets, each with its heat.
function partTable(o, column) {
  const columns = shownColumns(), most = Math.max(...o.parts.map(p => Math.abs(column.value(p))), 0);
  if (o.members && o.members.length && o.parts.every(p => !p.name || p.name.endsWith('(padding)') || o.members.some(m => m.name === p.name))) return null;
  if (o.parts.length === 1 && !o.parts[0].name) return el('p', { class: 'note' }, 'Its parts are not told apart.');
  const worst = new Set(o.parts.slice().sort((a, b) => Math.abs(column.value(b)) - Math.abs(column.value(a))).slice(0, PARTS_SHOWN));
  return el('table', { id: 'parts' }, el('caption', {}, 'Parts, as they lie in memory' + (o.parts.length > PARTS_SHOWN ? `: of ${commas(o.parts.length)} the ${PARTS_SHOWN} with the most` : '')),
    el('tr', {}, el('th', { scope: 'col' }, 'part'), usedKnown() ? el('th', { scope: 'col', class: 'n' }, 'of its bytes used') : null,
      ...columns.map(c => el('th', { scope: 'col', class: 'n' }, c.name))),
    ...o.parts.filter(p => worst.has(p)).map(p => el('tr', {}, el('td', { class: 'line heat' + heat(column.value(p), most) }, visible(p.name || '(elsewhere)')),
      usedKnown() ? usedCell(p) : null, ...columns.map(c => numberCell(c, p)))));
}

function missingLines(o, column) {
  const columns = shownColumns(), lines = o.lines.slice().sort((a, b) => Math.abs(column.value(b)) - Math.abs(column.value(a))).slice(0, 30);
  return el('table', { id: 'misses' }, el('caption', {}, 'Lines that miss on it'), el('tr', {}, el('th', { scope: 'col' }, 'line'), ...columns.map(c => el('th', { scope: 'col', class: 'n' }, c.name))),
    ...lines.map(line => el('tr', {}, placeCell(line), ...columns.map(c => numberCell(c, line)))));
}

function objectPanel(rows, state, column) {
  const o = rows.find(one => String(one.id) === state.object);
  if (!o) return '';
  const classes = model.before ? null : dataClasses(o);
  return el('section', { class: 'panel', id: 'object' }, el('div', { class: 'tools' }, el('strong', {}, describeObject(o)),
    el('span', { class: 'note' }, sizeText(o)), el('button', { type: 'button', onclick: () => go({ ...state, object: '' }) }, 'close')),
  el('div', { class: 'beside' }, el('div', {}, layoutTable(o, column), partTable(o, column)), el('div', {}, classes ? barsOf(classes) : null, missingLines(o, column), pairTable(o))));
}

// Advice about types and objects, as `quern annotate --by=data` gives it, with its rules.
function adviceList() {
  const advice = model.before ? [] : (model.profile.data || {}).advice || [];
  return advice.length ? el('ul', { class: 'first data-advice' }, ...advice.map(([about, ...what]) => el('li', {}, visible(about), ...what.map(text => el('p', { class: 'advice' }, visible(text)))))) : '';
}

function usedNote() {
  return usedKnown() ? '' : el('p', { class: 'note' }, 'How many bytes of each line are used was not collected: ', el('code', {}, 'quern run --data=use'), '.');
}

function lostNote() {
  const lost = (model.profile.data || {}).lost || [0, 0];
  return lost[0] || lost[1] ? el('p', { class: 'note' }, `There was no room for the objects of ${commas(lost[0])} D1 misses and ${commas(lost[1])} LL misses.`) : '';
}

// The note that objects, lines and pairs were added up as others, so that their changes in a comparison may be wrong.
function foldedNote() {
  const folds = p => p && p.data && (p.data.objects.some(o => o[0] === 'others') || p.data.pairs.some(pair => pair[1] === NO_PART) ||
    p.data.misses.some(m => !p.names[m[0]] && !p.names[m[1]] && !m[2]));
  return model.before && (folds(model.profile) || folds(model.before)) ? el('p', { class: 'note', id: 'folded' },
    'Objects, lines and evictions that cost least are added up as others, in each profile by itself. What only one of the two adds up is shown as if it had no misses there: its change may be wrong.') : '';
}

views.data = {
  title: 'Data',
  show(state, main) {
    main.append(el('h1', {}, 'Data'));
    if (!model.objects.length) {
      notCollected(main, 'On which objects the program misses was not collected. It comes from', 'quern run --data=yes PROGRAM');
      return;
    }
    const column = model.dataColumns.find(c => c.name === state.by) || model.dataColumns[0], typed = model.objects.some(o => o.type);
    const area = column.kind === 'count' ? column : model.dataColumns[0];
    const filter = el('input', { type: 'search', id: 'filter', placeholder: 'name, kind, type or place', value: state.filter || '', 'aria-label': 'filter',
      oninput: () => { state.filter = filter.value; history.replaceState(null, '', makeHash('data', state)); fill(); } });
    const body = el('div', {});
    const fill = () => {
      const rows = objectRows(state);
      body.replaceChildren(kindLegend(rows), objectMap(rows, area, state), objectPanel(rows, state, column), objectTable(rows, state, column));
    };
    main.append(el('div', { class: 'tools' }, filter, picker('by', 'size by', sizeColumns().map(c => c.name), area.name, by => go({ ...state, by })),
      typed ? picker('group', 'group by', ['object', 'type'], state.group || 'object', group => go({ ...state, group, object: '' })) : null), lostNote(), usedNote(), foldedNote(), adviceList(), body);
    fill();
  },
};

// The parts of an object that one line misses on, the worst first.
function partNames(row, column) {
  const named = row.parts.filter(part => part.name).sort((a, b) => Math.abs(column.value(b)) - Math.abs(column.value(a)));
  if (!named.length) return null;
  const first = named.slice(0, 3).map(part => visible(part.name)).join(', ');
  return el('small', {}, first + (named.length > 3 ? ` and ${commas(named.length - 3)} more` : ''));
}

// For the view Source: the objects that a line misses on.
function objectsOfLine(file, number) {
  const here = model.objectsByLine.get(file.name + '\0' + number);
  if (!here) {
    return model.objects.length ? null : el('p', { class: 'note' }, 'On which objects it misses was not collected: ', el('code', {}, 'quern run --data=yes'), '.');
  }
  const columns = model.dataColumns.slice(0, 2), column = columns[0];
  const rows = here.list.sort((a, b) => Math.abs(column.value(b)) - Math.abs(column.value(a))).slice(0, 12);
  return el('table', { class: 'objects' }, el('caption', {}, 'Objects that it misses on'), el('tr', {}, el('th', { scope: 'col' }, 'object'), ...columns.map(c => el('th', { scope: 'col', class: 'n' }, c.name))),
    ...rows.map(row => el('tr', {}, el('td', { class: 'name' }, el('a', { href: makeHash('data', { object: row.object.id }) }, describeObject(row.object)), partNames(row, column)), ...columns.map(c => numberCell(c, row)))));
}
