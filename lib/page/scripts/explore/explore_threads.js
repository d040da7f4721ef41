// explore_threads.js - the view Threads: lines of memory that threads share, which bytes of them each thread wrote, and what that cost.
//
//   #threads&shared=falsely&by=writes&line=0x404080       those that threads share without a byte in common; of one line the threads and lines of source
//
//   data.sharing: {"columns":["address","shared","thread",...],"rows":[["0x404080","false",1,...]],"left":0}
//   data.byThread: [[number, count of each event, ...]], of a run with --separate-threads
//   data.takers, data.cores: who takes lines from whom, by lines of source; by cores.  Either may be missing
//   ->  [{address, shared, rows, threads: [{thread, read, written}], reads, writes, false, true, cold, upgrades, transfers}]

const LINES_SHOWN = 200;
const UNKNOWN = '?'.repeat(3);
const THREAD_COLOURS = 8;
const BYTES = 64;            // bits of a mask
const SUMS = ['false', 'true', 'cold', 'upgrades', 'transfers', 'reads', 'writes'];
const HOW = { falsely: 'shared falsely', truly: 'shared truly', all: 'shared' };
const MEANINGS_OF_SHARING = {
  false: 'misses by false sharing: the thread touched nothing that another one had written',
  true: 'misses by true sharing: the thread touched what another one had written',
  cold: 'first use of a line that another thread has',
  upgrades: 'writes that took the line away from others',
  transfers: 'the sum of the four',
  reads: 'references that read', writes: 'references that write',
};

// Lines of memory, each with its rows and the masks of its threads.
function sharedLines() {
  if (model.shared) return model.shared;
  const lines = new Map();
  for (const r of records(model.data.sharing)) {
    if (!lines.has(r.address)) lines.set(r.address, { address: r.address, shared: r.shared, rows: [], threads: new Map(), ...Object.fromEntries(SUMS.map(name => [name, 0])) });
    const line = lines.get(r.address), transfers = r.false + r.true + r.cold + r.upgrades;
    line.rows.push({ ...r, transfers });
    for (const name of SUMS) line[name] += name === 'transfers' ? transfers : r[name];
    if (!line.threads.has(r.thread)) line.threads.set(r.thread, { thread: r.thread, read: 0n, written: 0n });
    line.threads.get(r.thread).read |= BigInt(r.read);
    line.threads.get(r.thread).written |= BigInt(r.written);
  }
  model.shared = [...lines.values()].map(line => ({ ...line, threads: [...line.threads.values()].sort((a, b) => a.thread - b.thread) }));
  return model.shared;
}

function isShown(line, how) {
  return how === 'all' || line.shared === 'both' || line.shared === (how === 'falsely' ? 'false' : 'true');
}

// Bytes of a line; a bit of a mask stands for `bytesOfBit` of them.
function lineBytes() {
  const found = /, (\d+) B,/.exec((model.profile.descs.find(([key]) => key === 'D1 cache') || [])[1] || '');
  return found ? Number(found[1]) : BYTES;
}

function bytesOfBit() {
  return Math.max(1, lineBytes() / BYTES);
}

// "0-7, 12": the bits of a mask as bytes.
function byteRanges(mask) {
  const ranges = [], each = bytesOfBit();
  for (let bit = 0; bit < BYTES; bit++) {
    if (!(mask >> BigInt(bit) & 1n)) continue;
    const last = ranges[ranges.length - 1];
    if (last && last[1] === bit - 1) last[1] = bit;
    else ranges.push([bit, bit]);
  }
  return ranges.map(([a, b]) => a * each === (b + 1) * each - 1 ? String(a) : `${a * each}-${(b + 1) * each - 1}`).join(', ');
}

function threadClass(thread) {
  return 'thread' + thread % THREAD_COLOURS;
}

// The threads that wrote the byte; if none did, those that read it.
function byteOf(line, bit) {
  const has = (t, mask) => mask >> BigInt(bit) & 1n, writers = line.threads.filter(t => has(t, t.written)), readers = line.threads.filter(t => has(t, t.read));
  const names = list => 'thread' + (list.length > 1 ? 's ' : ' ') + list.map(t => t.thread).join(', ');
  const title = !writers.length && !readers.length ? 'not touched' : [writers.length ? 'written by ' + names(writers) : '', readers.length ? 'read by ' + names(readers) : ''].filter(Boolean).join(', ');
  const kind = writers.length > 1 ? 'threads-several' : writers.length ? threadClass(writers[0].thread) : readers.length ? 'threads-read' : 'threads-none';
  return { kind, title, label: writers.length > 1 ? '*' : writers.length ? String(writers[0].thread) : '' };
}

// A cell for each byte, in the colour of the thread that wrote it; large: with its number.
function bytePicture(line, large) {
  const width = 14, height = large ? 30 : 14, count = Math.min(BYTES, lineBytes()), each = bytesOfBit();
  const cells = [...Array(count).keys()].map(bit => ({ bit, ...byteOf(line, bit) }));
  return svg('svg', { viewBox: `0 0 ${count * width} ${large ? 56 : height}`, class: large ? 'bytes large' : 'bytes', role: 'img', 'aria-label': describeBytes(line), preserveAspectRatio: large ? 'xMinYMid meet' : 'none' },
    ...cells.map(c => svg('rect', { x: c.bit * width, y: 0, width: width - 1, height, class: c.kind }, svg('title', {}, `byte ${c.bit * each}: ${c.title}`))),
    ...(large ? cells.filter(c => c.label && c.label.length < 3).map(c => svg('text', { x: c.bit * width + width / 2, y: 20, 'text-anchor': 'middle', class: c.label === '*' ? 'several' : null }, c.label)) : []),
    ...(large ? cells.filter(c => c.bit % 8 === 0).map(c => svg('text', { x: c.bit * width, y: 48, class: 'scale' }, c.bit * each)) : []));
}

function describeBytes(line) {
  return line.threads.map(t => `thread ${t.thread} ` + (t.written ? `wrote bytes ${byteRanges(t.written)}` : `read bytes ${byteRanges(t.read)}`)).join('; ');
}

function threadLegend(lines) {
  const threads = [...new Set(lines.flatMap(line => line.threads.filter(t => t.written).map(t => t.thread)))].sort((a, b) => a - b);
  const entry = (kind, text) => el('li', {}, svg('svg', { viewBox: '0 0 12 12', width: 12, height: 12, 'aria-hidden': 'true' }, svg('rect', { width: 12, height: 12, class: kind })), text);
  return el('ul', { class: 'legend', id: 'thread-colours' }, ...threads.slice(0, 16).map(t => entry(threadClass(t), `thread ${t} wrote`)), threads.length > 16 ? el('li', {}, 'colours repeat') : null,
    entry('threads-several', 'several wrote'), entry('threads-read', 'only read'));
}

function objectText(row) {
  return row.object === UNKNOWN ? null : visible(row.object) + (row.offset ? `+${row.offset}` : '');
}

function objectNames(line) {
  const names = [...new Set(line.rows.map(r => r.object === UNKNOWN ? null : visible(r.object)).filter(Boolean))];
  return names.length ? names.slice(0, 4).join(', ') + (names.length > 4 ? ` and ${names.length - 4} more` : '') : '';
}

function sharedTable(lines, state) {
  const by = SUMS.includes(state.by) ? state.by : null, sorted = by ? lines.slice().sort((a, b) => b[by] - a[by]) : lines;
  const heading = name => el('th', { scope: 'col', class: 'n', 'aria-sort': name === by ? 'descending' : null, title: MEANINGS_OF_SHARING[name] },
    el('button', { type: 'button', onclick: () => go({ ...state, by: name }) }, name));
  return el('div', { class: 'wide' }, el('table', { id: 'shared' }, el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'line of memory'), el('th', { scope: 'col', class: 'left' }, 'bytes'),
    ...SUMS.map(heading), el('th', { scope: 'col' }, 'objects'))),
  el('tbody', {}, ...sorted.slice(0, LINES_SHOWN).map(line => el('tr', { class: line.address === state.line ? 'open' : null },
    el('td', {}, el('a', { href: makeHash('threads', { ...state, line: line.address }) }, line.address)), el('td', {}, bytePicture(line, false)),
    ...SUMS.map(name => el('td', { class: 'n' + (line[name] ? '' : ' zero') }, commas(line[name]))), el('td', { class: 'path' }, objectNames(line)))))));
}

function sharedPlace(row) {
  if (row.file === UNKNOWN) return row.function === UNKNOWN ? '' : visible(row.function);
  const text = model.byFile.has(row.file) ? lineLink(row.file, row.line) : visible(`${shortPath(row.file)}:${row.line}`);
  return [text, row.function === UNKNOWN ? '' : ' ' + visible(row.function)];
}

// What two threads that share the line falsely, nearest to each other, could do about it; null: no two do.
function verdictOf(line) {
  const first = mask => [...Array(BYTES).keys()].find(bit => mask >> BigInt(bit) & 1n), all = t => t.read | t.written;
  const missed = thread => line.rows.filter(r => r.thread === thread).reduce((best, r) => !best || r.false > best.false ? r : best, null);
  let near = null;
  for (const a of line.threads)
    for (const b of line.threads)
      if (a.thread < b.thread && a.written | b.written && !(all(a) & b.written || all(b) & a.written) && all(a) && all(b)) {
        const apart = Math.abs(first(all(a)) - first(all(b))) * bytesOfBit();
        if (!near || apart < near.apart) near = { apart, a: missed(a.thread), b: missed(b.thread) };
      }
  if (!near || !line.false) return null;
  const place = r => `${objectText(r) || line.address} (thread ${r.thread}, ${shortPath(r.file)}:${r.line})`, size = lineBytes(), { a, b, apart } = near;
  const two = line.rows.filter(r => r.thread === a.thread || r.thread === b.thread).reduce((sum, r) => sum + r.false, 0);
  return `${place(a)} and ${place(b)} are ${apart} bytes apart in one line of ${size}, ${commas(line.false)} miss${line.false === 1 ? '' : 'es'} of false sharing${two < line.false ? ` (${commas(two)} of these two threads)` : ''}: `
    + (a.object === b.object && a.object !== UNKNOWN ? `pad the elements of ${visible(a.object)} from ${apart} to ${size} bytes.` : `give each a line of its own (alignas(${size})).`);
}

const VERDICTS_SHOWN = 3;

function verdictList(lines) {
  const texts = lines.slice().sort((a, b) => b.false - a.false).map(verdictOf).filter(Boolean).slice(0, VERDICTS_SHOWN);
  return texts.length ? el('ul', { id: 'verdicts' }, ...texts.map(text => el('li', {}, text))) : '';
}

const OF_THREADS = ['Ir', 'Dr', 'D1mr', 'DLmr', 'Dw', 'D1mw', 'DLmw', 'D1.true', 'D1.false', 'D1.upgrades', 'D1.updates', 'D1.taken', 'D1.lost', 'D1.locks'];

// What each thread counted, and in sum.
function threadsTable() {
  if (!model.data.byThread) return '';
  const shown = OF_THREADS.filter(name => model.events.includes(name)), rows = model.data.byThread.slice().sort((a, b) => a[0] - b[0]);
  const at = name => model.events.indexOf(name), sum = name => rows.reduce((n, r) => n + r[1 + at(name)], 0);
  const row = (head, count) => el('tr', {}, el('th', { scope: 'row' }, head), ...shown.map(name => el('td', { class: 'n' + (count(name) ? '' : ' zero') }, commas(count(name)))));
  const rest = shown.some(name => sum(name) !== model.totals[at(name)]);
  return el('div', { class: 'wide' }, el('table', { id: 'by-thread' }, el('caption', {}, 'Counts by thread'), el('tr', {}, el('th', { scope: 'col' }, 'thread'), ...shown.map(name => el('th', { scope: 'col', class: 'n' }, name))),
    ...rows.map(r => row(r[0], name => r[1 + at(name)])), rest ? row('none', name => model.totals[at(name)] - sum(name)) : '', row('all', name => model.totals[at(name)])));
}

// One line of memory: what each thread did, by lines of source.
function sharedPanel(lines, state) {
  const line = lines.find(one => one.address === state.line), numbers = ['reads', 'writes', 'false', 'true', 'cold', 'upgrades'];
  if (!line) return '';
  const verdict = verdictOf(line);
  return el('section', { class: 'panel', id: 'shared-line' }, el('div', { class: 'tools' }, el('strong', {}, line.address), el('span', { class: 'note' }, objectNames(line)),
    el('button', { type: 'button', onclick: () => go({ ...state, line: '' }) }, 'close')),
  bytePicture(line, true), verdict ? el('p', { id: 'verdict' }, verdict) : '', el('div', { class: 'wide' }, el('table', { id: 'sharers' }, el('tr', {}, ...['thread', 'line of source', 'object', 'bytes written', 'bytes read'].map(text => el('th', { scope: 'col' }, text)),
    ...numbers.map(name => el('th', { scope: 'col', class: 'n', title: MEANINGS_OF_SHARING[name] }, name))),
  ...line.rows.map(r => el('tr', {}, el('td', {}, svg('svg', { viewBox: '0 0 12 12', width: 12, height: 12, 'aria-hidden': 'true' }, svg('rect', { width: 12, height: 12, class: threadClass(r.thread) })), ` ${r.thread}`),
    el('td', { class: 'path' }, sharedPlace(r)), el('td', { class: 'path' }, objectText(r)), el('td', {}, byteRanges(BigInt(r.written))), el('td', {}, byteRanges(BigInt(r.read))),
    ...numbers.map(name => el('td', { class: 'n' + (r[name] ? '' : ' zero') }, commas(r[name]))))))));
}

const TAKERS_SHOWN = 20;

// Who takes lines of memory from whom: pairs of lines of source.
function takersTable() {
  if (!model.data.takers || !model.data.takers.rows.length) return '';
  const pairs = records(model.data.takers), cell = (r, prefix) => el('td', { class: 'path' }, sharedPlace({ file: r[prefix + 'file'], function: r[prefix + 'function'], line: r[prefix + 'line'] }));
  return el('div', { class: 'wide' }, el('table', { id: 'takers' }, el('caption', {}, 'Who takes lines from whom'), el('tr', {}, el('th', { scope: 'col', class: 'n' }, 'misses'), el('th', { scope: 'col', class: 'n', title: 'of the line of source and kind' }, 'of'),
    ...['sharing', 'misses them', 'had taken them'].map(text => el('th', { scope: 'col' }, text))),
  ...pairs.slice(0, TAKERS_SHOWN).map(r => el('tr', {}, el('td', { class: 'n' }, commas(r.count)), el('td', { class: 'n' }, commas(r.of)), el('td', {}, r.shared), cell(r, ''), cell(r, 'taker_')))));
}

// With --cores: lines that each core took from each other one.
function coresTable() {
  if (!model.data.cores || !model.data.cores.rows.length) return '';
  const pairs = records(model.data.cores), numbers = [...new Set(pairs.flatMap(r => [r.core, r.from]))].sort((a, b) => a - b), most = Math.max(...pairs.map(r => r.lines));
  const lines = (core, from) => (pairs.find(r => r.core === core && r.from === from) || { lines: 0 }).lines;
  const heat = n => n ? ' heat' + Math.max(1, Math.ceil(3 * n / most)) : ' zero';
  const cell = (core, from) => core === from ? el('td', { class: 'n zero' }, '-') : el('td', { class: 'n' + heat(lines(core, from)) }, commas(lines(core, from)));
  return el('div', { class: 'wide' }, el('table', { id: 'cores' }, el('caption', {}, 'Lines that a core took from another one'), el('tr', {}, el('th', { scope: 'col' }, 'core'), ...numbers.map(n => el('th', { scope: 'col', class: 'n' }, `from ${n}`))),
    ...numbers.map(core => el('tr', {}, el('th', { scope: 'row' }, core), ...numbers.map(from => cell(core, from))))));
}

function sharingNotes(lines, how) {
  const left = model.data.sharing.left;
  return [el('p', { class: 'note' }, (lines.length === 1 ? '1 line of memory is ' : `${commas(lines.length)} lines of memory are `) + HOW[how] + (lines.length > LINES_SHOWN ? `; the first ${LINES_SHOWN} are listed. ` : '. '),
    'quern runs one thread at a time: which thread touches which bytes how often is what the program does, but misses and upgrades depend on the turns that the threads got, and are far more on a real machine.' + (model.data.cores ? ' With --cores, turns repeat.' : '')),
  left ? el('p', { class: 'note' }, left === 1 ? '1 row of the table, with the fewest transfers, is not on this page.' : `${commas(left)} rows of the table, with the fewest transfers, are not on this page.`) : null];
}

views.threads = {
  title: 'Threads',
  show(state, main) {
    main.append(el('h1', {}, 'Threads'));
    main.append(threadsTable());
    if (!model.data.sharing) {
      if (model.data.byThread) return;
      notCollected(main, 'Which lines of memory threads share is not on this page. It comes from', 'quern run --cores=4 --analysis=sharing --separate-threads=yes PROGRAM\nquern page --sharing=PROFILE.sharing.csv PROFILE');
      return;
    }
    const all = sharedLines(), how = HOW[state.shared] ? state.shared : all.some(line => isShown(line, 'falsely')) ? 'falsely' : 'all', lines = all.filter(line => isShown(line, how));
    main.append(el('div', { class: 'tools' }, picker('shared-how', 'lines shared', Object.keys(HOW), how, shared => go({ ...state, shared, line: '' }))), ...sharingNotes(lines, how).filter(Boolean));
    if (lines.length) main.append(verdictList(lines), threadLegend(lines), sharedPanel(lines, state), sharedTable(lines, state));
    main.append(takersTable(), coresTable());
  },
};
