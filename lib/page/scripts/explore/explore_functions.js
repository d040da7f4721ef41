// explore_functions.js - the view Functions: a table to sort and filter; a function leads to its most costly line.

const ROWS_SHOWN = 300;

// The line of the function that costs most.
function functionHash(row) {
  const file = model.byFile.get(row.file);
  let best = null;
  for (const line of file ? file.lines : []) {
    if (line.name === row.name && line.line && (!best || costOf(line.counts) > costOf(best.counts))) best = line;
  }
  return best ? makeHash('source', { file: row.file, line: best.line }) : makeHash('source', { file: row.file });
}

function sortHeading(column, state, sorted) {
  const down = sorted.name === column.name && state.dir !== 'up';
  return el('th', { scope: 'col', 'aria-sort': sorted.name === column.name ? (down !== (column === NAME) ? 'descending' : 'ascending') : null,
    title: MEANINGS[column.name] || '' },
    el('button', { type: 'button', onclick: () => go({ ...state, sort: column.name, dir: down ? 'up' : '' }) }, column.name));
}

function nameCell(row) {
  const cell = el('td', { class: 'name' }, el('a', { href: functionHash(row), title: visible(row.name) }, visible(row.own)));
  if (row.chain.length) cell.append(el('details', {}, el('summary', {}, 'inlined in ' + visible(row.chain[row.chain.length - 1])),
    el('ol', {}, ...row.chain.map(call => el('li', {}, visible(call))))));
  return cell;
}

const NAME = { name: 'function', value: row => row.own };

function sortFunctions(rows, column, up) {
  const sign = up ? 1 : -1;
  if (column === NAME) return rows.sort((a, b) => (a.own < b.own ? -1 : a.own > b.own ? 1 : 0) * -sign);
  const value = model.before ? row => Math.abs(column.value(row)) : row => column.value(row);
  return rows.sort((a, b) => (value(a) - value(b)) * sign || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

views.functions = {
  title: 'Functions',
  show(state, main) {
    const columns = chosenColumns(state), sorted = [NAME, ...model.columns].find(c => c.name === state.sort) || columns[0];
    const filter = el('input', { type: 'search', id: 'filter', placeholder: 'name, file or object', value: state.filter || '',
      'aria-label': 'filter', oninput: () => { state.filter = filter.value; history.replaceState(null, '', makeHash('functions', state)); fillBody(); } });
    const body = el('tbody', {}), count = el('p', { class: 'note', role: 'status' });
    function fillBody() {
      const words = (state.filter || '').toLowerCase().split(' ').filter(Boolean);
      const rows = sortFunctions(model.functions.filter(row => words.every(word =>
        (row.name + '\n' + row.file + '\n' + row.object).toLowerCase().includes(word))), sorted, state.dir === 'up');
      const most = state.all ? rows.length : ROWS_SHOWN;
      body.replaceChildren(...rows.slice(0, most).map(row => el('tr', {}, nameCell(row), ...columns.map(c => numberCell(c, row)),
        el('td', { class: 'path', title: visible(row.file + ' in ' + row.object) }, visible(shortPath(row.file))))));
      count.replaceChildren(`${commas(rows.length)} functions` + (rows.length > most ? `, ${most} shown. ` : '. '));
      if (rows.length > most) count.append(el('a', { href: makeHash('functions', { ...state, all: 1 }) }, 'Show all.'));
    }
    fillBody();
    main.append(el('div', { class: 'tools' }, filter, columnChooser(state)), count, leftNote(p => p.left.functions ? `${commas(p.left.functions)} functions` : ''), el('div', { class: 'wide' },
      el('table', { id: 'by-function', class: 'sorted' }, el('thead', {}, el('tr', {}, sortHeading(NAME, state, sorted),
        ...columns.map(c => sortHeading(c, state, sorted)), el('th', { scope: 'col' }, 'file'))), body)));
  },
};
