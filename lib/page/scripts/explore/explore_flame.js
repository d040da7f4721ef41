// explore_flame.js - a flame graph: contexts of calls as bars, each as wide as what it and all below it count.
//
//   #calls&event=Ir&node=12&find=hash     bar 12 has the whole width; bars whose names hold "hash" are marked
//
// Bars differ by heat, misses of both levels per instruction; in a comparison by what changed, with its sign.

const FLAME_ROWS = 40;         // levels below the widest bar
const FLAME_LEAST = 0.0015;    // of the width: narrower bars are left out
const FLAME_MISSES = 'I1mr+D1mr+D1mw';
const FLAME_HEATS = [1, 5, 20, 80]; // misses per thousand instructions, from which on a bar is one step hotter

function flameHeat(node) {
  const misses = sumOf(FLAME_MISSES, node.counts), instructions = sumOf('Ir', node.counts);
  if (misses === null || !instructions) return 1;
  const rate = 1000 * misses / instructions;
  return 1 + FLAME_HEATS.filter(least => rate >= least).length;
}

function nodeName(node) {
  return node.f ? node.f.own : 'all';
}

function flameBar(node, column, frame, state) {
  const value = flameSize(column, node), whole = flameSize(column, model.calls.root), name = visible(nodeName(node));
  const change = node.before ? column.value(node) : 0, words = (state.find || '').toLowerCase();
  const found = words && node.f && node.f.name.toLowerCase().includes(words);
  const kind = node.before ? (change > 0 ? ' grown' : change < 0 ? ' shrunk' : '') : ' flame' + flameHeat(node);
  const text = `${name}: ${commas(value)} ${column.name}, ${percent(value, whole)}` + (node.before ? `, ${change > 0 ? '+' : ''}${commas(change)}` : '');
  return el('a', { class: 'frame' + kind + (found ? ' found' : ''), href: makeHash('calls', { ...state, node: node.id }), title: text, 'aria-label': text,
    'data-node': node.id, style: `left:${(100 * frame.left).toFixed(3)}%;width:${(100 * frame.width).toFixed(3)}%;top:${frame.row * 1.35}em` },
  (node.before && change ? (change > 0 ? '+ ' : '\u2212 ') : '') + name);
}

function flameSize(column, node) {
  return Math.max(0, column.value({ counts: node.counts }));
}

// The chosen bar and those above it, each of the whole width, and those below it that are wide enough to be seen.
function flameGraph(column, state) {
  const nodes = model.calls.nodes, chosen = nodes[Number(state.node) || 0] || model.calls.root, above = [], bars = [];
  for (let up = chosen; up; up = up.parent) above.unshift(up);
  above.forEach((node, row) => bars.push(flameBar(node, column, { left: 0, width: 1, row }, state)));
  const whole = flameSize(column, chosen);
  let rows = above.length, hidden = 0;
  const layChildren = (node, left, row) => {
    if (row >= above.length + FLAME_ROWS) {
      hidden += node.children.length;
      return;
    }
    for (const child of node.children.slice().sort((a, b) => flameSize(column, b) - flameSize(column, a))) {
      const width = whole ? flameSize(column, child) / whole : 0;
      if (width < FLAME_LEAST) {
        hidden++;
        continue;
      }
      rows = Math.max(rows, row + 1);
      bars.push(flameBar(child, column, { left, width, row }, state));
      layChildren(child, left, row + 1);
      left += width;
    }
  };
  layChildren(chosen, 0, above.length);
  return el('div', {}, el('div', { class: 'flames', id: 'flames', style: `height:${rows * 1.35}em` }, ...bars),
    hidden ? el('p', { class: 'note' }, `${commas(hidden)} narrower or deeper bars are not drawn; click on a bar to widen it.`) : null);
}

// The sum of all bars that are found; a bar inside of another one is left out.
function foundShare(column, words) {
  let sum = 0, count = 0;
  const walk = node => {
    if (node.f && node.f.name.toLowerCase().includes(words)) {
      sum += flameSize(column, node);
      count++;
    } else {
      node.children.forEach(walk);
    }
  };
  walk(model.calls.root);
  return { sum, count };
}

function flameLegend() {
  if (model.before) {
    return el('div', {}, el('p', { class: 'note' }, 'Widths are those of the profile after.'), changeLegend());
  }
  if (sumOf(FLAME_MISSES, model.totals) === null) return '';
  const steps = [0, ...FLAME_HEATS];
  return el('ul', { class: 'legend' }, ...steps.map((least, i) => el('li', {}, el('span', { class: 'swatch flame' + (i + 1) }, ''), i ? `${least} and more` : `below ${FLAME_HEATS[0]}`)),
    el('li', {}, 'misses of level 1 per 1000 instructions'));
}

// The link back to the whole graph, and the function of the bar that has the whole width.
function chosenLinks(state) {
  const node = model.calls.nodes[Number(state.node)];
  if (!node || !node.f) return [];
  return [el('a', { href: makeHash('calls', { ...state, node: '' }), id: 'all-bars' }, 'all'),
    node.f.file ? el('a', { href: makeHash('calls', { ...state, function: node.f.id }), id: 'bar-function' }, 'callers and callees of ' + visible(node.f.own)) : null];
}

function flameSection(state, column) {
  if (model.calls.nodes.length < 2) {
    return el('div', {}, el('p', { class: 'absent' }, 'Which path led to a call was not collected, so there is no flame graph. It comes from'), el('pre', {}, 'quern run --calls=paths PROGRAM'));
  }
  const share = el('span', { class: 'note', role: 'status', id: 'found' }), body = el('div', {});
  const find = el('input', { type: 'search', id: 'find', placeholder: 'find functions', value: state.find || '', 'aria-label': 'find functions',
    oninput: () => { state.find = find.value; history.replaceState(null, '', makeHash('calls', state)); fillFlames(); } });
  function fillFlames() {
    const words = (state.find || '').toLowerCase();
    body.replaceChildren(flameGraph(column, state));
    if (!words) return share.replaceChildren();
    const found = foundShare(column, words);
    share.replaceChildren(`${commas(found.count)} bars, ${percent(found.sum, flameSize(column, model.calls.root))} of ${column.name}`);
  }
  fillFlames();
  return el('section', {}, el('div', { class: 'tools' }, find, share, ...chosenLinks(state)),
    flameLegend(), body);
}
