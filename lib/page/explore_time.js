// explore_time.js - the views Time (counts by interval) and Caches (runs with other caches).

// Rows of a table of the data as objects by column name.
function records(table) {
  return table.rows.map(row => Object.fromEntries(table.columns.map((name, i) => [name, row[i]])));
}

function picker(id, label, names, chosen, change) {
  return el('label', {}, label + ' ', el('select', { id, onchange: event => change(event.target.value) },
    ...names.map(name => el('option', { value: name, selected: name === chosen }, name))));
}

// Events of the intervals that are chosen for the chart: as rates per thousand instructions, so that a short last interval is no spike.
function intervalSeries(rows, names) {
  return names.map(name => ({ name: name + ' per 1000 instructions', values: rows.map(r => r.end > r.start ? 1000 * (Number(r[name]) || 0) / (r.end - r.start) : 0) }));
}

function rangeTable(rows, events, a, b) {
  const part = rows.slice(a, b + 1), sum = (list, name) => list.reduce((n, r) => n + (Number(r[name]) || 0), 0);
  return el('table', { id: 'range' }, el('caption', {}, `Instructions ${commas(part[0].start)} to ${commas(part[part.length - 1].end)}`),
    el('tr', {}, ...['event', 'in this range', 'of the run'].map(text => el('th', { scope: 'col' }, text))),
    ...events.map(name => el('tr', {}, el('th', { scope: 'row' }, name), el('td', { class: 'n' }, commas(sum(part, name))),
      el('td', { class: 'n' }, percent(sum(part, name), sum(rows, name))))));
}

views.time = {
  title: 'Time',
  show(state, main) {
    const table = model.data.intervals;
    main.append(el('h1', {}, 'Time'));
    if (!table || !table.rows.length) {
      notCollected(main, 'Counts by interval are not on this page. They come from',
        'quern run --interval=1000000 --interval-file=intervals.csv PROGRAM\nquern page --intervals=intervals.csv PROFILE');
      return;
    }
    const rows = records(table), events = table.columns.filter(name => model.events.includes(name));
    const names = (state.events || 'D1mr,D1mw').split(',').filter(name => events.includes(name)).slice(0, 6);
    if (!names.length) names.push(events[0]);
    const series = intervalSeries(rows, names), range = el('div', {}), readout = el('p', { class: 'note', role: 'status' });
    const picture = chart({ x: rows.map(r => r.end), series, what: 'instructions', read: i => readout.replaceChildren(
      `up to instruction ${commas(rows[i].end)}: ` + names.map(name => `${commas(rows[i][name] || 0)} ${name}`).join(', ')),
    select: (a, b) => range.replaceChildren(rangeTable(rows, events, a, b)) });
    const boxes = events.map(name => el('label', {}, el('input', { type: 'checkbox', value: name, checked: names.includes(name),
      onchange: event => go({ ...state, events: events.filter(e => e === name ? event.target.checked : names.includes(e)).join(',') }) }), name));
    main.append(el('details', { class: 'columns' }, el('summary', {}, 'events'), ...boxes), legend(series), picture, readout,
      el('p', { class: 'note' }, 'Drag over the picture, or press shift and the arrow keys, to choose a range.'), range);
    range.append(rangeTable(rows, events, 0, rows.length - 1));
  },
};

// Of a column that varies, and holds numbers: what a sweep has changed.
function varying(rows, columns) {
  return columns.filter(name => /_(size|ways|line)$/.test(name) && rows.every(r => typeof r[name] === 'number') && new Set(rows.map(r => r[name])).size > 1);
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
      `${x} ${show(xs[i])}: ` + series.map(one => `${one.name} ${one.values[i]}`).join(', ')) }), readout);
}

views.caches = {
  title: 'Caches',
  show(state, main) {
    main.append(el('h1', {}, 'Caches'));
    const caches = model.profile.descs.filter(([key]) => / cache$/.test(key));
    main.append(el('table', {}, ...caches.map(([key, value]) => el('tr', {}, el('th', { scope: 'row' }, visible(key)), el('td', {}, visible(value))))));
    const classes = classesOf(model.totals);
    if (classes) main.append(el('h2', {}, 'Why the D1 misses'), classBars({ counts: model.totals }));
    else notCollected(main, 'The classes of misses were not collected. They come from', 'quern run --analysis=3c PROGRAM');
    main.append(el('h2', {}, 'Other caches'));
    if (model.data.runs && model.data.runs.rows.length) sweepChart(state, main, model.data.runs);
    else notCollected(main, 'Runs with other caches are not on this page. They come from',
      "quern sweep -L 'D1.size=1024,2048,4096,8192,16384,32768' -o runs.csv -- PROGRAM\nquern page --runs=runs.csv PROFILE");
  },
};
