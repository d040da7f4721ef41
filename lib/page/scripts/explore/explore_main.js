// explore_main.js - the views of `quern page`, one at a time, each state of them a link.
//
//   #functions&sort=D1mr&filter=hash     start(data) shows what the hash says, and again whenever it changes
//
// A view is { title, show(state, main) }, and puts itself into `views` (common_dom.js).

// Goes to a state; a plain link does the same.
function go(state) {
  const hash = makeHash(state.view, state);
  if (location.hash === hash) show();
  else location.hash = hash;
}

function order() {
  return ['overview', 'source', 'functions', 'calls', 'data', 'caches', 'time', 'threads', 'origin'].filter(name => views[name]);
}

function showHead(state) {
  const head = document.getElementById('head');
  const links = order().map((name, i) => el('a', { href: makeHash(name, { range: state.range }), 'aria-current': name === state.view ? 'page' : null,
    title: `key ${i + 1}` }, views[name].title));
  head.replaceChildren(el('div', { class: 'bar' }, el('nav', { 'aria-label': 'views' }, ...links),
    el('span', { class: 'keys' }, 'keys 1-' + order().length + ', / filter, n and p: hot lines'), themeButton()));
}

function show() {
  const state = readHash(), main = document.getElementById('main');
  if (!views[state.view]) state.view = 'overview';
  showHead(state);
  main.replaceChildren();
  main.className = state.view;
  document.title = visible(model.profile.command) + ' - ' + views[state.view].title;
  views[state.view].show(state, main);
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const name = order()[Number(event.key) - 1];
  if (name) {
    go({ view: name, range: readHash().range });
  } else if (event.key === '/') {
    const filter = document.querySelector('input[type=search]');
    if (filter) {
      filter.focus();
      event.preventDefault();
    }
  } else if (event.key === 'n' || event.key === 'p') {
    const button = document.getElementById(event.key === 'n' ? 'next-hot' : 'previous-hot');
    if (button) button.click();
  }
}

// A view without data says how to get it.
function notCollected(main, what, how) {
  main.append(el('p', { class: 'absent' }, what), el('pre', {}, how), onlyNote());
}

// In a comparison: what is left out because only one of the two profiles has it.
function onlyNote() {
  return model.only ? el('p', { class: 'note', id: 'only' }, `Left out, because only one of the two has it: ${model.only}.`) : '';
}

// What was left out of the page for lack of room, of one profile or of two, and what that means for a comparison.
function leftNote(tell) {
  const [here, earlier] = [model.profile, model.before].map(p => p ? tell(p) : '');
  if (!here && !earlier) return '';
  const of = model.before ? [here && here + ' of this profile', earlier && earlier + ' of the earlier one'].filter(Boolean).join(', ') : here;
  return el('p', { class: 'note', id: 'left' }, `Left out, for they cost least: ${of}; the totals have them.`,
    model.before ? ' What only one of the two leaves out is shown as if it had no counts there: its change may be wrong.' : null);
}

function start(data) {
  readData(data);
  addEventListener('hashchange', show);
  addEventListener('keydown', onKey);
  show();
}
