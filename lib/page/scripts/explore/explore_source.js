// explore_source.js - the view Source: the files, and of one its lines with their counts, the margin coloured by cost.
//
//   #source                          all files, the most costly first
//   #source&file=/src/a.c&line=12    that file; line 12 is open below it, with all that is known of it
//
// A file of many lines is folded where nothing was counted; a fold opens on a click.

const FOLD_ABOVE = 1500; // lines: a shorter file is shown whole
const AROUND = 6;        // lines kept around a counted one
const HOT = 0.01;        // of the column's whole: "next hot line" stops there
const HEATS = 6;

function fileTable(state, main) {
  const columns = chosenColumns(state), first = columns[0];
  const files = model.files.slice().sort((a, b) => first.value(b) - first.value(a));
  main.append(el('div', { class: 'tools' }, columnChooser(state)), el('div', { class: 'wide' }, el('table', { id: 'files' },
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'file'), ...columns.map(c => el('th', { scope: 'col' }, c.name)))),
    el('tbody', {}, ...files.map(file => el('tr', {},
      el('td', { class: 'path' }, el('a', { href: makeHash('source', { file: file.name }) }, visible(file.name)), file.text ? null : el('small', {}, 'no source')),
      ...columns.map(c => numberCell(c, file))))))));
}

// Text by line; null where the page does not have it.
function textOf(file) {
  const lines = new Map();
  for (const [first, texts] of file.text || []) texts.forEach((text, i) => lines.set(first + i, text));
  return lines;
}

// Which lines are shown: [first, last] of each piece.
function pieces(file, lines, opened) {
  const wanted = new Set(), size = Math.max(file.size || 0, 0);
  if (size && size <= FOLD_ABOVE && lines.size === size) return [[1, size]];
  for (const line of file.byLine.keys()) {
    if (line) for (let i = Math.max(1, line - AROUND); i <= (size ? Math.min(size, line + AROUND) : line); i++) wanted.add(i);
  }
  for (const [first, last] of opened) for (let i = first; i <= last; i++) wanted.add(i);
  const found = [];
  for (const line of [...wanted].sort((a, b) => a - b)) {
    if (found.length && found[found.length - 1][1] === line - 1) found[found.length - 1][1] = line;
    else found.push([line, line]);
  }
  return found;
}

// 0 to HEATS - 1: each step is half of the one above it.
function heat(value, most) {
  if (!value || !most) return 0;
  return Math.max(1, HEATS - 1 - Math.floor(Math.log2(most / Math.abs(value))));
}

function codeCell(text, painting) {
  if (text === undefined) return el('td', { class: 'code gone' }, '(not on this page)');
  const whole = Array.isArray(text) ? text[0] : text;
  return el('td', { class: 'code' }, ...paint(whole, painting), Array.isArray(text) ? el('em', {}, ` ... ${commas(text[1])} bytes`) : null);
}

function emptyCells(columns) {
  return columns.map(() => el('td', { class: 'n' }));
}

function sourceRow(context, number) {
  const { file, columns, lines, painting, state, most } = context;
  const line = file.byLine.get(number), level = line ? heat(columns[0].value(line), most) : 0;
  const row = el('tr', { id: 'L' + number, class: (line ? 'counted' : '') + (String(number) === state.line ? ' open' : '') },
    el('td', { class: 'line heat' + level }, line
      ? el('a', { href: makeHash('source', { ...state, line: number }), 'aria-label': 'line ' + number }, String(number)) : String(number)),
    ...(line ? columns.map(c => numberCell(c, line)) : emptyCells(columns)), codeCell(lines.get(number), painting));
  if (line) row.addEventListener('click', () => { if (!String(getSelection())) go({ ...state, line: number }); });
  return row;
}

function foldRow(context, first, last, redraw) {
  const width = context.columns.length + 2;
  return el('tr', { class: 'fold' }, el('td', { colspan: width }, el('button', { type: 'button',
    onclick: () => { context.opened.push([first, last]); redraw(); } }, `lines ${first} to ${last}`)));
}

function fillSource(context, body) {
  const redraw = () => fillSource(context, body), parts = pieces(context.file, context.lines, context.opened);
  const rows = [];
  let next = 1;
  const gap = to => { if (to >= next && context.lines.has(next)) rows.push(foldRow(context, next, to, redraw)); };
  for (const [first, last] of parts) {
    gap(first - 1);
    context.painting.comment = false;
    for (let number = first; number <= last; number++) {
      rows.push(sourceRow(context, number));
      if (String(number) === context.state.line && context.file.byLine.has(number)) rows.push(detailRow(context, number));
    }
    next = last + 1;
  }
  gap(context.file.size || 0);
  body.replaceChildren(...rows);
}

// Next or previous line that has HOT of the first column.
function hotButton(context, id, text, step) {
  const column = context.columns[0], whole = column.total ? Math.abs(column.total()) : 0;
  const hot = [...context.file.byLine.values()].filter(line => line.line && (whole ? Math.abs(column.value(line)) >= HOT * whole : column.value(line) > 0))
    .map(line => line.line).sort((a, b) => (a - b) * step);
  return el('button', { type: 'button', id, disabled: !hot.length, onclick: () => {
    const now = Number(context.state.line || (step > 0 ? 0 : Infinity));
    const line = hot.find(number => (number - now) * step > 0) || hot[0];
    go({ ...context.state, line });
  } }, text);
}

function remarks(file) {
  if (file.why && !file.text) return el('p', { class: 'absent' }, 'The source is not on this page: ' + file.why + '. (`quern page -I DIR` looks for it in DIR, too.)');
  if (!file.text) return el('p', { class: 'absent' }, 'The source is not on this page: its lines cost little, or are not known (compile with -g).');
  if (file.why) return el('p', { class: 'absent' }, `The source was read up to line ${file.size} only: ${file.why}.`);
  return file.newer ? el('p', { class: 'absent' }, 'The source was modified after the profile was made: lines may not fit.') : null;
}

// Files whose source came from the second file, `NAME.sources.js` beside the page.
function sourcesCame(files) {
  for (const { name, text, size } of files) {
    const file = model.byFile.get(name);
    // A second file of another page has another number of lines.
    if (file && file.more && text && size === file.size) Object.assign(file, { text, more: false });
  }
}

function moreButton(file) {
  if (!file.more || !model.data.more) return '';
  const status = el('span', { class: 'note', role: 'status' });
  const button = el('button', { type: 'button', id: 'more', onclick: () => {
    const failed = () => status.replaceChildren(visible(`It is not in ${model.data.more}, which has to lie beside this page.`));
    document.head.append(el('script', { src: encodeURIComponent(model.data.more), onload: () => { if (file.more) failed(); else show(); }, onerror: failed }));
  } }, 'the whole source');
  return el('span', {}, button, ' ', status);
}

function showFile(state, main, file) {
  const columns = chosenColumns(state), values = [...file.byLine.values()].map(line => Math.abs(columns[0].value(line))).filter(isFinite);
  const context = { file, columns, lines: textOf(file), painting: {}, state, opened: [], most: values.reduce((a, b) => Math.max(a, b), 0) };
  const nowhere = file.byLine.get(0), body = el('tbody', {});
  fillSource(context, body);
  main.append(el('h1', {}, visible(file.name)), remarks(file) || '', el('div', { class: 'tools' },
    el('a', { href: makeHash('source', { columns: state.columns }) }, 'all files'), hotButton(context, 'previous-hot', 'previous hot line', -1),
    hotButton(context, 'next-hot', 'next hot line', 1), moreButton(file), columnChooser(state)),
  nowhere ? el('p', { class: 'note' }, 'Without a line: ' + columns.filter(c => c.value(nowhere)).map(c => c.text(nowhere) + ' ' + c.name).join(', ') + '.') : '',
  el('div', { class: 'wide' }, el('table', { class: 'source', id: 'source' }, el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'line'),
    ...columns.map(c => el('th', { scope: 'col', title: MEANINGS[c.name] || '' }, c.name)), el('th', {}))), body)));
  const open = document.getElementById('L' + state.line);
  if (open) open.scrollIntoView({ block: 'center' });
}

views.source = {
  title: 'Source',
  show(state, main) {
    const file = model.byFile.get(state.file);
    if (state.file && !file) main.append(el('p', { class: 'absent' }, 'The profile has no file ' + visible(state.file) + '.'));
    if (file) showFile(state, main, file);
    else fileTable(state, main);
    main.append(leftNote(p => p.left.lines ? `${commas(p.left.lines)} lines` : ''));
  },
};
