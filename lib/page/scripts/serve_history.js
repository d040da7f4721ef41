// serve_history.js - the runs of this page, and the difference of two of them beside the lines.
//
//   a run: { number, name, text, wanted, answer, profile }
//
// The history lives as long as the page; nothing is stored.

const past = { runs: [], shown: null, base: null };

function settingsText(wanted) {
  const words = [wanted.optimisation];
  for (const slot of ['I1', 'D1', 'LL']) {
    const named = [wanted.modules[slot], wanted.caches[slot]].filter(Boolean).join(' ');
    if (named) words.push(`${slot} ${named}`);
  }
  return words.concat(wanted.arguments).join(', ');
}

function difference(now, before) {
  const by = now - before;
  return by === 0 ? '=' : (by > 0 ? '+' : '\u2212') + commas(Math.abs(by));
}

// Fewer is better in every column.
function kindOfDifference(now, before) {
  return now === before ? 'same' : now < before ? 'better' : 'worse';
}

// The counts beside the lines: of the run that is shown, or with another as base how much they changed.
function rowsOf(run, base) {
  const rows = new Map(), columns = columnsOf(run.profile).filter(column => base ? columnsOf(base.profile).includes(column) : true);
  const most = columns.map(column => Math.max(0, ...[...run.profile.lines.values()].map(counts => valueOf(run.profile, counts, column))));
  const match = base ? matchLines(base.text, run.text) : null;
  const count = run.text.split('\n').length;
  for (let line = 1; line <= count; line++) {
    const counts = run.profile.lines.get(line), before = base ? base.profile.lines.get(match.get(line)) : null;
    if (!counts && !before) continue;
    rows.set(line, columns.map((column, i) => cellOf(valueOf(run.profile, counts, column), most[i], base, base ? valueOf(base.profile, before, column) : 0)));
  }
  return [rows, columns.map(([, name]) => name)];
}

function cellOf(now, most, base, before) {
  if (base) return { text: difference(now, before), title: `${commas(before)}, now ${commas(now)}`, kind: kindOfDifference(now, before) };
  const share = most ? now / most : 0;
  return { text: commas(now), title: percent(now, most) + ' of the line with most', kind: now ? 'heat' + Math.max(1, Math.ceil(5 * share)) : 'zero' };
}

function showRun(run) {
  past.shown = run;
  const base = past.base && past.base !== run && past.base.profile.parts === 1 && past.base.name === run.name ? past.base : null;
  if (run.text !== editor.text()) editor.show(new Map(), []);
  else if (run.profile.parts === 1) editor.show(...rowsOf(run, base));
  drawHistory();
}

function setBase(run) {
  past.base = past.base === run ? null : run;
  if (past.shown) showRun(past.shown);
}

function totalsCells(run) {
  const base = past.base && past.base !== run ? past.base : null;
  return COLUMNS.slice(0, 4).map(column => {
    const has = run.profile.parts === 1 && columnsOf(run.profile).includes(column);
    const now = has ? valueOf(run.profile, run.profile.totals, column) : 0;
    const before = has && base && base.profile.parts === 1 ? valueOf(base.profile, base.profile.totals, column) : null;
    return el('td', { class: 'n' }, has ? commas(now) : '', before === null ? null : el('small', { class: kindOfDifference(now, before) }, difference(now, before)));
  });
}

function runRow(run) {
  return el('tr', { class: run === past.shown ? 'open' : '' },
    el('td', {}, el('button', { type: 'button', 'aria-pressed': String(run === past.shown), onclick: () => openRun(run) }, 'run ' + run.number)),
    el('td', {}, el('button', { type: 'button', class: 'base', 'aria-pressed': String(run === past.base), 'aria-label': `compare with run ${run.number}`, onclick: () => setBase(run) }, 'compare')),
    el('td', { class: 'name' }, visible(run.name), ' ', el('small', {}, visible(settingsText(run.wanted)))), ...totalsCells(run));
}

// The text of that run comes back with it. It asks first: what was written since is in the history only if it was run.
function openRun(run) {
  if (run.text !== editor.text()) {
    if (!past.runs.some(other => other.text === editor.text()) && !confirm('What is in the editor was changed since the last run. Replace it?')) return;
    editor.open(run.text);
  }
  showRun(run);
}

function drawHistory() {
  const heads = ['', '', 'program', ...COLUMNS.slice(0, 4).map(([, name]) => name)];
  document.getElementById('history').replaceChildren(past.runs.length ? el('table', {}, el('thead', {}, el('tr', {}, ...heads.map(text => el('th', { scope: 'col' }, text)))),
    el('tbody', {}, ...past.runs.slice().reverse().map(runRow))) : el('p', { class: 'note' }, 'No runs yet.'));
}
