// explore_calls.js - the view Calls: a flame graph, and of a function who calls it and whom it calls.
//
//   #calls&event=D1mr              the flame graph by D1mr, functions by their inclusive D1mr
//   #calls&function=3              callers and callees of function 3

const CALLS_SHOWN = 100;

// Columns whose sums make sense of inclusive counts: events and cost.
function callColumns() {
  return model.columns.filter(c => c.kind === 'count');
}

function functionLink(f, state) {
  return el('a', { href: makeHash('calls', { ...state, function: f.id, node: '' }), title: visible(f.name) }, visible(f.own));
}

function callsCell(row) {
  const text = commas(row.calls);
  return el('td', { class: 'n' }, model.before ? `${commas(row.callsBefore)} \u2192 ${text}` : text);
}

function edgeTable(id, title, edges, end, columns, state) {
  const sorted = edges.slice().sort((a, b) => Math.abs(columns[0].value(b)) - Math.abs(columns[0].value(a))).slice(0, CALLS_SHOWN);
  return el('table', { id }, el('caption', {}, `${title}: ${commas(edges.length)}` + (edges.length > CALLS_SHOWN ? `, ${CALLS_SHOWN} shown` : '')),
    el('tr', {}, el('th', { scope: 'col' }, 'function'), el('th', { scope: 'col' }, 'line of the call'), el('th', { scope: 'col', class: 'n' }, 'calls'),
      ...columns.map(c => el('th', { scope: 'col', class: 'n' }, c.name))),
    ...sorted.map(edge => el('tr', {}, el('td', { class: 'name' }, functionLink(edge[end], state)), placeCell({ file: edge.file, line: edge.line }), callsCell(edge),
      ...columns.map(c => numberCell(c, edge)))));
}

// Self counts of a function, of the rows by line.
function selfOf(f) {
  return model.functions.find(row => row.name === f.name && row.file === f.file) || null;
}

function functionPanel(f, columns, state) {
  const self = selfOf(f);
  return el('section', { class: 'panel', id: 'function' }, el('div', { class: 'tools' }, el('strong', {}, visible(f.name)),
    self ? el('a', { href: functionHash(self) }, 'source') : el('span', { class: 'path' }, visible(f.file)),
    el('button', { type: 'button', onclick: () => go({ ...state, function: '' }) }, 'close')),
  el('table', { id: 'own' }, el('tr', {}, el('th', { scope: 'col' }, ''), el('th', { scope: 'col', class: 'n' }, 'calls'), ...columns.map(c => el('th', { scope: 'col', class: 'n' }, c.name))),
    el('tr', {}, el('th', { scope: 'row' }, 'with all it calls'), callsCell(f), ...columns.map(c => numberCell(c, f))),
    self ? el('tr', {}, el('th', { scope: 'row' }, 'itself'), el('td', {}), ...columns.map(c => numberCell(c, self))) : null),
  el('div', { class: 'beside' }, el('div', {}, edgeTable('callers', 'Callers', f.callers, 'caller', columns, state)),
    el('div', {}, edgeTable('callees', 'Callees', f.callees, 'callee', columns, state))));
}

// Functions that were called; contexts for which there was no room are of one without a file.
function inclusiveTable(state, columns) {
  const words = (state.filter || '').toLowerCase().split(' ').filter(Boolean);
  const rows = model.calls.functions.filter(f => f.file && words.every(word => (f.name + '\n' + f.file).toLowerCase().includes(word)))
    .sort((a, b) => Math.abs(columns[0].value(b)) - Math.abs(columns[0].value(a)));
  const most = state.all ? rows.length : CALLS_SHOWN;
  return el('div', {}, el('p', { class: 'note', role: 'status' }, `${commas(rows.length)} functions`, rows.length > most ? `, ${most} shown. ` : '.',
    rows.length > most ? el('a', { href: makeHash('calls', { ...state, all: 1 }) }, 'Show all.') : null),
  el('div', { class: 'wide' }, el('table', { id: 'inclusive' }, el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'function, with all it calls'), el('th', { scope: 'col' }, 'calls'),
    ...columns.map(c => el('th', { scope: 'col' }, c.name)), el('th', { scope: 'col' }, 'file'))),
  el('tbody', {}, ...rows.slice(0, most).map(f => el('tr', {}, el('td', { class: 'name' }, functionLink(f, state)), callsCell(f), ...columns.map(c => numberCell(c, f)),
    el('td', { class: 'path', title: visible(f.file) }, visible(shortPath(f.file)))))))));
}

views.calls = {
  title: 'Calls',
  show(state, main) {
    main.append(el('h1', {}, 'Calls'));
    if (!model.calls) {
      notCollected(main, 'Who calls whom was not collected. It comes from', 'quern run --calls=paths PROGRAM');
      return;
    }
    const all = callColumns(), column = all.find(c => c.name === state.event) || all.find(c => c.name === 'Ir') || all[0];
    const columns = [column, ...chosenColumns(state).filter(c => c.kind === 'count' && c !== column)].slice(0, innerWidth < NARROW ? 1 : 6);
    const f = state.function ? model.calls.functions[Number(state.function)] : null, table = el('div', {});
    const filter = el('input', { type: 'search', id: 'filter', placeholder: 'name or file', value: state.filter || '', 'aria-label': 'filter',
      oninput: () => { state.filter = filter.value; history.replaceState(null, '', makeHash('calls', state)); table.replaceChildren(inclusiveTable(state, columns)); } });
    main.append(el('div', { class: 'tools' }, picker('event', 'by', all.map(c => c.name), column.name, event => go({ ...state, event }))),
      flameSection(state, column), f ? functionPanel(f, columns, state) : '', el('div', { class: 'tools' }, filter), table);
    table.append(inclusiveTable(state, columns));
    main.append(leftNote(p => {
      const [functions, edges, nodes] = (p.calls || {}).left || [0, 0, 0];
      return functions + edges + nodes ? `${commas(functions)} functions, ${commas(edges)} edges, ${commas(nodes)} contexts` : '';
    }));
    for (const [what, n] of (model.profile.calls || {}).lost || []) main.append(el('p', { class: 'note' }, visible(`There was no room for ${commas(n)} ${what}.`)));
  },
};

// For the view Source: the calls that a line makes, and the callers of its functions.
function callsOfLine(file, line, columns) {
  if (!model.calls) return null;
  const shown = columns.filter(c => c.kind === 'count').slice(0, 2), names = new Set(line.rows.map(row => row.name));
  const made = model.calls.edges.filter(edge => edge.file === file.name && edge.line === line.line);
  const callers = model.calls.functions.filter(f => f.file === file.name && names.has(f.name)).flatMap(f => f.callers);
  const parts = [];
  if (made.length) parts.push(edgeTable('made', 'Calls from this line', made, 'callee', shown, {}));
  if (callers.length) parts.push(edgeTable('called-by', 'Callers of its function', callers.slice(0, 12), 'caller', shown, {}));
  return parts;
}
