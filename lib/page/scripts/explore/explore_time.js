// explore_time.js - the view Time: counts by interval; a range of it is chosen by dragging.
//
//   #time&events=D1mr&range=3-7     intervals 3 to 7 are chosen; Overview and the sets by time in Caches show what is in them

// Rows of a table of the data as objects by column name.
function records(table) {
  return table.rows.map(row => Object.fromEntries(table.columns.map((name, i) => [name, row[i]])));
}

function picker(id, label, names, chosen, change) {
  return el('label', {}, label + ' ', el('select', { id, onchange: event => change(event.target.value) },
    ...names.map(name => el('option', { value: name, selected: name === chosen }, name))));
}

// The range that the hash names, within `count` intervals; null: none is chosen.
function chosenRange(state, count) {
  const found = /^(\d+)-(\d+)$/.exec(state.range || '');
  if (!found) return null;
  const [a, b] = [Number(found[1]), Number(found[2])];
  return a <= b && b < count ? [a, b] : null;
}

// Sums of events over the chosen intervals, in the order of the model's events; null where nothing is chosen.
function rangeCounts(state) {
  const table = model.data.intervals, range = table && chosenRange(state, table.rows.length);
  if (!range) return null;
  const rows = records(table).slice(range[0], range[1] + 1);
  return { first: rows[0].start, last: rows[rows.length - 1].end, counts: model.events.map(name => rows.reduce((n, r) => n + (Number(r[name]) || 0), 0)) };
}

// Events of the intervals that are chosen for the chart: as rates per thousand instructions, so that a short last interval is no spike.
function intervalSeries(rows, names) {
  return names.map(name => ({ name: name + ' per 1000 instructions', values: rows.map(r => r.end > r.start ? 1000 * (Number(r[name]) || 0) / (r.end - r.start) : 0) }));
}

// The same of the profile before, at the same numbers of instructions; nothing after the end of that run.
function seriesBefore(rows, names) {
  if (!model.data.intervalsBefore) return [];
  const before = records(model.data.intervalsBefore), at = rows.map(r => before.findIndex(b => b.end >= r.end));
  return intervalSeries(before, names.filter(name => model.data.intervalsBefore.columns.includes(name)).slice(0, 3))
    .map(one => ({ name: one.name + ', before', values: at.map(i => i < 0 ? NaN : one.values[i]) }));
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
    const series = [...intervalSeries(rows, names), ...seriesBefore(rows, names)], range = el('div', {}), readout = el('p', { class: 'note', role: 'status' });
    const picture = chart({ x: rows.map(r => r.end), series, what: 'instructions', read: i => readout.replaceChildren(
      `up to instruction ${commas(rows[i].end)}: ` + names.map(name => `${commas(rows[i][name] || 0)} ${name}`).join(', ')),
    select(a, b) {
      state.range = a + '-' + b;
      history.replaceState(null, '', makeHash('time', state));
      showHead(state);
      range.replaceChildren(rangeTable(rows, events, a, b));
    } });
    const boxes = events.map(name => el('label', {}, el('input', { type: 'checkbox', value: name, checked: names.includes(name),
      onchange: event => go({ ...state, events: events.filter(e => e === name ? event.target.checked : names.includes(e)).join(',') }) }), name));
    main.append(el('details', { class: 'columns' }, el('summary', {}, 'events'), ...boxes), legend(series), picture, readout,
      el('p', { class: 'note' }, 'Drag over the picture, or press shift and the arrow keys, to choose a range. Overview and the sets in Caches show it. ',
      el('a', { href: makeHash('time', { ...state, range: undefined }), id: 'whole-run' }, 'Choose the whole run.')), range);
    const [a, b] = chosenRange(state, rows.length) || [0, rows.length - 1];
    range.append(rangeTable(rows, events, a, b));
    if (state.range) picture.markRange(a, b);
  },
};
