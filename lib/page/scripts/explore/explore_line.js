// explore_line.js - all that is known of one line, below it: every event and ratio, functions that have it, classes of its
// misses, objects that it misses on, who evicts what it misses, calls, its instructions.
//
//   model.culprits: [{count, of, file, function, line, evictor_file, evictor_function, evictor_line}], of the analysis culprits

// In a comparison a row for each column: before, after, change.
function eventTable(line) {
  const names = model.before ? ['before', 'after', 'change'] : ['count', 'of the run'];
  const table = el('table', { class: 'events' }, el('tr', {}, el('th', { scope: 'col' }, 'event'), ...names.map(name => el('th', { scope: 'col' }, name))));
  for (const column of model.columns) {
    const only = counts => column.text({ counts });
    const cells = model.before ? [el('td', { class: 'n' }, only(line.before)), el('td', { class: 'n' }, only(line.counts)), numberCell(column, line)]
      : [el('td', { class: 'n' }, column.text(line)), el('td', { class: 'n' }, column.total ? percent(column.value(line), column.total()) : '')];
    if (!column.text(line)) continue;
    table.append(el('tr', {}, el('th', { scope: 'row', title: MEANINGS[column.name] || '' }, column.name), ...cells));
  }
  return table;
}

function functionTable(line, columns) {
  return el('table', {}, el('caption', {}, 'Functions that have this line'), el('tr', {}, el('th', { scope: 'col' }, 'function'),
    ...columns.map(c => el('th', { scope: 'col' }, c.name))),
  ...line.rows.map(row => el('tr', {}, el('td', { class: 'name' }, visible(row.name)), ...columns.map(c => numberCell(c, row)))));
}

function classBars(line) {
  const classes = classesOf(line.counts);
  if (!classes) {
    return sumOf('D1mr+D1mw', line.counts) && sumOf('AN.conflict', line.counts) === null
      ? el('p', { class: 'note' }, 'Why its misses happen was not collected: ', el('code', {}, 'quern run --analysis=3c'), '.') : null;
  }
  return barsOf(classes);
}

function barsOf(classes) {
  return el('div', {}, el('p', {}, 'Its D1 misses:'), el('ul', { class: 'bars' }, ...classes.map(c => el('li', {}, el('span', {}, c.name),
    el('span', { class: 'track' }, el('span', { class: 'fill', style: `width:${(100 * c.share).toFixed(1)}%` })),
    el('span', { class: 'n' }, percent(c.share, 1))))), classAdvice(classes));
}

// How many bytes of the cache lines that it filled were used before their eviction.
function usedOfLine(line) {
  const came = sumOf('D1.filled', line.counts), used = sumOf('D1.used', line.counts), size = (model.profile.data || {}).line;
  if (came === null) {
    return sumOf('D1mr+D1mw', line.counts) ? el('p', { class: 'note' }, 'How many bytes of the lines that it brings in are used was not collected: ',
      el('code', {}, 'quern run --data=use'), '.') : null;
  }
  return came ? el('p', { class: 'used' }, size ? `Of a line of ${size} bytes that it brings into the D1, ${(size * used / came).toFixed(1)} bytes are used before it leaves.`
    : `Of the lines that it brings into the D1, ${percent(used, came)} of the bytes are used before they leave.`) : null;
}

function insnTable(file, number, columns) {
  const insns = file.insns.filter(insn => insn.line === number);
  if (!insns.length) {
    return file.insns.length ? null
      : el('p', { class: 'note' }, 'Its instructions were not collected: ', el('code', {}, 'quern run --dump-instr=yes'), '.');
  }
  return el('table', { class: 'insns' }, el('caption', {}, 'Instructions'), el('tr', {}, el('th', { scope: 'col' }, 'address'),
    ...columns.map(c => el('th', { scope: 'col' }, c.name)), el('th', {})),
  ...insns.map(insn => el('tr', {}, el('td', {}, insn.address), ...columns.map(c => el('td', { class: 'n' }, c.text(insn))),
    el('td', { class: 'code' }, visible(insn.text)))));
}

// Lines of source that evict what this one misses, and those that miss what this one has evicted.
function culpritTable(id, title, rows, prefix) {
  return rows.length ? el('table', { id }, el('caption', {}, title), el('tr', {}, el('th', { scope: 'col' }, 'line'), el('th', { scope: 'col', class: 'n' }, 'lines of the D1'), el('th', { scope: 'col', class: 'n' }, 'of')),
    ...rows.slice(0, 10).map(r => el('tr', {}, placeCell({ file: r[prefix + 'file'], func: r[prefix + 'function'], line: r[prefix + 'line'] }), el('td', { class: 'n' }, commas(r.count)),
      el('td', { class: 'n' }, commas(r.of))))) : null;
}

function culpritsOfLine(file, line) {
  const table = model.culprits;
  if (!table) {
    return sumOf('D1mr+D1mw', line.counts) ? el('p', { class: 'note' }, 'Who evicts what it misses is not on this page: ', el('code', {}, 'quern run --analysis=culprits'),
      ', ', el('code', {}, 'quern page --culprits=PROFILE.culprits.csv'), '.') : null;
  }
  const rows = table, mine = r => r.file === file.name && r.line === line.line, others = r => r.evictor_file === file.name && r.evictor_line === line.line;
  return [culpritTable('evictors', 'Who evicts what it misses', rows.filter(mine), 'evictor_'),
    culpritTable('victims', 'Who misses what it evicts', rows.filter(others), '')];
}

function detailRow(context, number) {
  const { file, columns, state } = context, line = file.byLine.get(number);
  const close = el('button', { type: 'button', onclick: event => { event.stopPropagation(); go({ ...state, line: '' }); } }, 'close');
  return el('tr', { class: 'detail', id: 'detail' }, el('td', { colspan: columns.length + 2 }, el('div', { class: 'panel' },
    el('div', { class: 'tools' }, el('strong', {}, 'line ' + number), close),
    el('div', { class: 'beside' }, el('div', {}, eventTable(line)), el('div', {}, ...[classBars(line), usedOfLine(line), objectsOfLine(file, number),
      culpritsOfLine(file, line), functionTable(line, columns), callsOfLine(file, line, columns), insnTable(file, number, columns)].flat())))));
}
