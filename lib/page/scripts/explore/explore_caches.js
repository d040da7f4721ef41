// explore_caches.js - the view Caches: the curve of misses by size, why the D1 misses, its sets, and runs with other caches.
//
//   caches: {"line":64,"touched":900,"first":30,"curve":[[16,400],[32,90]],"sets":[3,0,7]}    of the analyses mattson and sets
//
// The curve is that of a fully associative cache with LRU; its cursor tells how many misses of each class a size has.

const SETS_ACROSS = 64;
const PLANE = { left: 70, w: 1000, h: 320 };

function cacheBytes(name) {
  const desc = model.profile.descs.find(([key]) => key === name + ' cache');
  return desc ? parseInt(desc[1], 10) : 0;
}

// Misses at one size: first uses, which the analysis culprits counts (without it: at most the misses of the largest size), and all others.
function curveText(log, i) {
  const [lines, misses] = log.curve[i], known = log.first !== null, first = known ? log.first : log.curve[log.curve.length - 1][1];
  return `${bytes(lines * log.line)}: ${commas(misses)} misses, ${percent(misses, log.touched, 2)} of ${commas(log.touched)} lines touched; ` +
    `${known ? '' : 'at most '}${percent(first, misses)} compulsory, ${known ? '' : 'at least '}${percent(misses - first, misses)} capacity, no conflicts`;
}

function curveSection(log) {
  const readout = el('p', { class: 'note', role: 'status', id: 'curve-text' }, 'Move over the picture, or use the arrow keys.');
  const series = [{ name: 'misses per 100 lines touched', values: log.curve.map(([, misses]) => 100 * misses / (log.touched || 1)) }];
  if (log.first !== null) series.push({ name: 'of them for the first time', values: log.curve.map(() => 100 * log.first / (log.touched || 1)) });
  const before = model.data.cachesBefore;
  if (before && before.line === log.line && before.curve.length === log.curve.length) {
    series.push({ name: 'misses per 100 lines touched, before', values: before.curve.map(([, misses]) => 100 * misses / (before.touched || 1)) });
  }
  const marks = ['D1', 'LL'].map(name => ({ x: cacheBytes(name), label: name })).filter(mark => mark.x);
  const picture = chart({ x: log.curve.map(([lines]) => lines * log.line), series, log: true, label: bytes, what: 'size of a fully associative cache (LRU)', marks,
    read: i => readout.replaceChildren(curveText(log, i) + (series.some(one => /before$/.test(one.name)) ? '; before: ' + curveText(before, i) : '')) });
  picture.id = 'curve';
  return el('section', {}, legend(series), picture, readout);
}

function setsSection(sets, id) {
  const most = Math.max(...sets), sum = sets.reduce((n, m) => n + m, 0), rows = [];
  const cell = (misses, i) => el('td', { class: 'heat' + heat(misses, most), title: `set ${i}: ${commas(misses)} misses` }, el('span', {}, ''));
  for (let i = 0; i < sets.length; i += SETS_ACROSS) {
    rows.push(el('tr', {}, el('th', { scope: 'row' }, String(i)), ...sets.slice(i, i + SETS_ACROSS).map((misses, k) => cell(misses, i + k))));
  }
  const worst = sets.map((misses, i) => [misses, i]).sort((a, b) => b[0] - a[0]).slice(0, 8);
  return el('section', {}, el('div', { class: 'wide' }, el('table', { class: 'sets', id }, ...rows)),
    el('p', { id: id + '-text' }, `${commas(sum)} misses in ${sets.length} sets, ${commas(Math.round(sum / sets.length))} in each if they were alike. Most have set ` +
      worst.map(([misses, i]) => `${i} (${commas(misses)})`).join(', ') + '. Each step of the colour is half of the next.'));
}

// Misses by set and time: a box for each row of the table, one path for each step of the colour. Where no box is there are no misses.
function setsPicture(name, rows, readout) {
  const begin = Math.min(...rows.map(r => r.start)), end = Math.max(...rows.map(r => r.end)), sets = rows.reduce((n, r) => Math.max(n, r.set + r.sets), 0), most = rows.reduce((n, r) => Math.max(n, r.misses), 0);
  const shapes = ['', '', '', '', '', ''], x = at => (PLANE.left + PLANE.w * (at - begin) / (end - begin)).toFixed(1), y = at => (PLANE.h * (1 - at / sets)).toFixed(1);
  for (const r of rows) {
    shapes[heat(r.misses, most)] += `M${x(r.start)} ${y(r.set)}H${x(r.end)}V${y(r.set + r.sets)}H${x(r.start)}Z`;
  }
  const label = (text, at, anchor) => svg('text', { ...at, 'text-anchor': anchor }, text);
  const picture = svg('svg', { viewBox: `0 0 ${PLANE.left + PLANE.w} ${PLANE.h + 20}`, class: 'plane', role: 'img', id: 'plane-' + name,
    'aria-label': `misses of the ${name} by set and time` }, svg('rect', { class: 'ground', x: PLANE.left, width: PLANE.w, height: PLANE.h }), ...shapes.map((d, i) => d && svg('path', { class: 'step' + i, d })),
    label('set 0', { x: PLANE.left - 4, y: PLANE.h }, 'end'), label(String(sets - 1), { x: PLANE.left - 4, y: 24 }, 'end'),
    label(commas(begin) + ' instructions', { x: PLANE.left, y: PLANE.h + 16 }, 'start'), label(commas(end), { x: PLANE.left + PLANE.w, y: PLANE.h + 16 }, 'end'));
  picture.addEventListener('pointermove', event => {
    const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
    const at = begin + (p.x - PLANE.left) / PLANE.w * (end - begin), set = Math.floor((1 - p.y / PLANE.h) * sets);
    const row = rows.find(r => r.start <= at && at < r.end && r.set <= set && set < r.set + r.sets);
    readout.replaceChildren(row ? boxText(row) : 'no misses here');
  });
  return picture;
}

function boxText(r) {
  return `set${r.sets > 1 ? `s ${r.set} to ${r.set + r.sets - 1}` : ' ' + r.set}, instructions ${commas(r.start)} to ${commas(r.end)}: ${commas(r.misses)} misses`;
}

// A row for each number of sets with misses.
function setRows() {
  return records(model.data.sets).flatMap(r => r.misses.map((misses, i) => ({ ...r, set: r.set + i * r.sets, misses }))).filter(r => r.misses);
}

// The rows of the table within the range that is chosen in Time; all of them if none is chosen.
function setsTimeSection(name, state) {
  const range = rangeCounts(state), rows = setRows().filter(r => r.cache === name && (!range || (r.start >= range.first && r.end <= range.last)));
  const sum = rows.reduce((n, r) => n + r.misses, 0), when = range ? ` from instruction ${commas(range.first)} to ${commas(range.last)}` : '';
  if (!sum) return el('p', { class: 'absent' }, `The ${name} has no misses there${when}.`);
  const readout = el('p', { class: 'note', role: 'status' }, 'Move over the picture.'), worst = rows.slice().sort((a, b) => b.misses - a.misses).slice(0, 8);
  return el('section', {}, setsPicture(name, rows, readout), readout,
    el('p', { id: 'plane-text-' + name }, `${commas(sum)} misses${name === 'LL' ? ' of data' : ''}${when}. Each step of the colour is half of the next. Most have:`),
    el('ol', { id: 'plane-most-' + name }, ...worst.map(r => el('li', {}, boxText(r)))));
}

// Sliders over the columns that a sweep varied, and the numbers of the run that they choose.
function sweepSliders(state, rows, axesOf, rates) {
  const values = axesOf.map(name => [...new Set(rows.map(r => r[name]))].sort((a, b) => a - b));
  const at = axesOf.map((name, i) => { const k = values[i].indexOf(Number(state[name])); return k < 0 ? 0 : k; });
  const out = el('div', { id: 'chosen-run', role: 'status' }), show = (name, v) => /_size$|_line$/.test(name) ? bytes(v) : String(v);
  function update() {
    const row = rows.find(r => axesOf.every((name, i) => r[name] === values[i][at[i]]));
    axesOf.forEach((name, i) => { labels[i].replaceChildren(show(name, values[i][at[i]])); });
    if (!row) return out.replaceChildren(el('p', { class: 'absent' }, 'No run has these.'));
    out.replaceChildren(el('table', {}, ...rates.map(name => el('tr', {}, el('th', { scope: 'row' }, name), el('td', { class: 'n' }, Number.isInteger(row[name]) ? commas(row[name]) : visible(row[name]))))));
  }
  const labels = axesOf.map(() => el('output', {}));
  const sliders = axesOf.map((name, i) => el('label', { class: 'slider' }, name + ' ', el('input', { type: 'range', id: 'slider-' + name, min: 0, max: values[i].length - 1, value: at[i],
    oninput(event) { at[i] = Number(event.target.value); state[name] = values[i][at[i]]; history.replaceState(null, '', makeHash('caches', state)); update(); } }), labels[i]));
  update();
  return el('div', { class: 'sweep' }, el('div', { class: 'tools' }, ...sliders), out);
}

// The columns that a sweep varied: their numbers are not the same in all rows.
function varying(rows, columns) {
  return columns.filter(name => /_(size|ways|line)$/.test(name) && rows.every(r => typeof r[name] === 'number') && new Set(rows.map(r => r[name])).size > 1);
}

// Runs in which nothing but the size of the D1 differs.
function isBySize(table) {
  return varying(records(table).filter(r => r.status === undefined || r.status === 'ok'), table.columns).join() === 'D1_size';
}

function sweepChart(state, main, table) {
  const rows = records(table).filter(r => r.status === undefined || r.status === 'ok'), axesOf = varying(rows, table.columns);
  if (!axesOf.length) {
    main.append(el('p', { class: 'absent' }, 'In these runs no size, number of ways or line of a cache differs.'));
    return;
  }
  const x = axesOf.includes(state.x) ? state.x : axesOf[0];
  const rates = table.columns.filter(name => /_percent$|mr$|mw$/.test(name) && rows.some(r => typeof r[name] === 'number'));
  const y = rates.includes(state.y) ? state.y : rates.find(name => name === 'D1_miss_percent') || rates[0];
  const sorted = rows.slice().sort((a, b) => a[x] - b[x]), xs = [...new Set(sorted.map(r => r[x]))];
  // One line for each combination of all else that differs.
  const others = table.columns.filter(name => name !== x && (axesOf.includes(name) || name === 'program' || name === 'D1' || name === 'sim'));
  const groups = new Map();
  for (const r of sorted) {
    const name = others.filter(o => new Set(rows.map(q => q[o])).size > 1).map(o => `${o}=${r[o]}`).join(' ') || y;
    if (!groups.has(name)) groups.set(name, xs.map(() => NaN));
    groups.get(name)[xs.indexOf(r[x])] = Number(r[y]);
  }
  const series = [...groups].slice(0, 6).map(([name, values]) => ({ name, values })), readout = el('p', { class: 'note', role: 'status' });
  const show = v => /_size$/.test(x) ? bytes(v) : String(v);
  main.append(el('div', { class: 'tools' }, picker('x', 'across', axesOf, x, v => go({ ...state, x: v })), picker('y', 'up', rates, y, v => go({ ...state, y: v }))),
    legend(series), chart({ x: xs, series, log: /_size$/.test(x), label: show, what: x, read: i => readout.replaceChildren(
      `${x} ${show(xs[i])}: ` + series.map(one => `${one.name} ${one.values[i]}`).join(', ')) }), readout,
  sweepSliders(state, rows, axesOf, rates));
}

views.caches = {
  title: 'Caches',
  show(state, main) {
    const caches = model.profile.descs.filter(([key]) => / cache$/.test(key)), log = model.data.caches || {};
    main.append(el('h1', {}, 'Caches'), el('table', {}, ...caches.map(([key, value]) => el('tr', {}, el('th', { scope: 'row' }, visible(key)), el('td', {}, visible(value))))));
    const classes = classesOf(model.totals);
    main.append(el('h2', {}, 'Why the D1 misses'));
    if (classes) main.append(model.before ? classTable() : classBars({ counts: model.totals }));
    else notCollected(main, 'The classes of misses were not collected. They come from', 'quern run --analysis=3c PROGRAM');
    main.append(el('h2', {}, 'Misses by size'));
    const runs = model.data.runs && model.data.runs.rows.length ? model.data.runs : null, bySize = runs && isBySize(runs);
    if (log.curve && log.curve.length) main.append(curveSection(log));
    if (bySize) {
      main.append(el('p', {}, 'D1s like this one, of several sizes:'));
      sweepChart(state, main, runs);
    } else if (!log.curve || !log.curve.length) notCollected(main, 'The curve of misses by size is not on this page. It comes from', 'quern run --analysis=mattson PROGRAM\nquern page --mattson=PROFILE.mattson.csv PROFILE');
    main.append(el('h2', {}, 'Misses by set of the D1'));
    const setsBefore = (model.data.cachesBefore || {}).sets || [];
    if (log.sets && log.sets.length) main.append(setsSection(log.sets, 'sets'));
    else notCollected(main, 'Misses by set are not on this page. They come from', 'quern run --analysis=sets PROGRAM\nquern page --sets=PROFILE.sets.csv PROFILE');
    if (setsBefore.length) main.append(el('h2', {}, 'Misses by set of the D1, before'), setsSection(setsBefore, 'sets-before'));
    main.append(el('h2', {}, 'Misses by set and time'));
    if (model.data.sets) for (const name of ['D1', 'LL']) main.append(el('h3', {}, name), setsTimeSection(name, state));
    else notCollected(main, 'Misses by set and time are not on this page. They come from', 'quern run --analysis=sets --interval=auto PROGRAM\nquern page --sets=PROFILE.sets.csv PROFILE');
    if (bySize) return;
    main.append(el('h2', {}, 'Other caches'));
    if (runs) sweepChart(state, main, runs);
    else notCollected(main, 'Runs with other caches are not on this page. They come from',
      "quern sweep -L 'D1.size=1024,2048,4096,8192,16384,32768' -o runs.csv -- PROGRAM\nquern page --runs=runs.csv PROFILE");
  },
};

// Classes before and after.
function classTable() {
  const count = (name, counts) => sumOf('AN.' + name, counts);
  return el('table', { id: 'classes' }, el('tr', {}, ...['class', 'before', 'after', 'change'].map((text, i) => el('th', { scope: 'col', class: i ? 'n' : null }, text))),
    ...CLASSES.map(name => {
      const before = count(name, model.totalsBefore) || 0, after = count(name, model.totals) || 0;
      return el('tr', {}, el('th', { scope: 'row' }, name), el('td', { class: 'n' }, commas(before)), el('td', { class: 'n' }, commas(after)),
        el('td', { class: 'n ' + (after > before ? 'worse' : 'better') }, (after > before ? '+' : '') + commas(after - before)));
    }));
}
