// watch_picture.js - a step as one SVG that stands by itself: the address in its parts, each cache as a grid of sets and ways.
//
// Colours are in the picture, not in a style sheet, so that it looks the same on a slide.  A hit is a thick blue frame, a fill a hatched
// orange field, so that colour is not alone in telling them.

const LIGHT = { ink: '#111111', soft: '#555555', paper: '#ffffff', empty: '#f2f4f7', held: '#dbe9f4', filled: '#fbd9bd', hits: '#00588a', misses: '#a63d00',
  frame: '#8a939c', parts: ['#e8d5f2', '#fff2c2', '#d8ecd8'] }; // parts: tag, set, offset
const DARK = { ink: '#e8eaed', soft: '#b4bcc5', paper: '#14171a', empty: '#1f2429', held: '#1d3a52', filled: '#5f3413', hits: '#7cc4f2', misses: '#ffb07a',
  frame: '#5d6771', parts: ['#43295a', '#4d430f', '#1f4424'] };
let colours = LIGHT; // as the page is; a still is light
const CELL = { width: 118, height: 34, label: 58, gap: 4 };
const SETS_SHOWN = 32;
const BUS_SHOWN = 8; // entries of the bus log

function box(x, y, width, height, fillColour, extra) {
  return svg('rect', { x, y, width, height, fill: fillColour, stroke: colours.frame, 'stroke-width': 1, ...extra });
}

function words(x, y, text, extra) {
  return svg('text', { x, y, fill: colours.ink, 'font-size': 13, 'font-family': 'ui-monospace, monospace', ...extra }, visible(text));
}

// The address as tag, set and offset, in bits where they are few.
function addressParts(cache, address, x, y) {
  const offset = address % cache.line, line = address - offset;
  const parts = [['tag', hex(tagOf(cache, line))], ['set', String(setOf(cache, line))], ['offset', String(offset)]];
  const nodes = [];
  let at = x;
  parts.forEach(([name, text], i) => {
    const width = Math.max(70, 9 * text.length + 22);
    nodes.push(box(at, y, width, 26, colours.parts[i]), words(at + 10, y + 17, text), words(at + 10, y + 40, name, { fill: colours.soft, 'font-size': 11 }));
    at += width;
  });
  return nodes;
}

// Sets around those of this step, where there are more than fit.
function shownSets(cache, step) {
  if (cache.shown.length <= SETS_SHOWN) return cache.shown;
  const now = touchesAt(cache, step).map(t => setOf(cache, t.line))[0] || cache.shown[0];
  const at = cache.shown.indexOf(now), first = Math.max(0, Math.min(at - SETS_SHOWN / 2, cache.shown.length - SETS_SHOWN));
  return cache.shown.slice(first, first + SETS_SHOWN);
}

function drawWay(cache, touch, way, x, y, now) {
  const line = touch.after[way], nodes = [];
  const isNow = now && line === touch.line, filled = isNow && !touch.hit && !isRemote(cache, touch.step);
  nodes.push(box(x, y, CELL.width, CELL.height, line === undefined || line === -1 ? colours.empty : filled ? colours.filled : colours.held,
    isNow ? { stroke: filled ? colours.misses : colours.hits, 'stroke-width': 3, 'stroke-dasharray': filled ? '7 3' : null } : {}));
  if (line === undefined || line === -1) return nodes;
  nodes.push(words(x + 8, y + 15, hex(tagOf(cache, line))));
  if (objectOf(line)) nodes.push(words(x + CELL.width - 6, y + 15, objectOf(line).slice(0, 8), { 'text-anchor': 'end', 'font-weight': 'bold', 'font-size': 12 }));
  const note = filled && touch.victim >= 0 ? 'for ' + hex(tagOf(cache, touch.victim))
    : cache.way ? stateAfter(cache, touch, line)
      : cache.order === 'recent' ? (way === 0 ? 'last used' : way === cache.ways - 1 ? 'oldest' : '') : '';
  nodes.push(words(x + 8, y + 28, note, play.data.cores ? { 'font-size': 12, 'font-weight': 'bold' } : { 'font-size': 10, fill: colours.soft }));
  return nodes;
}

function drawCache(cache, step, x, y) {
  const nodes = [], outcome = cache.steps[step][0], touches = touchesAt(cache, step);
  const width = Math.max(430, CELL.label + Math.min(cache.ways, 16) * (CELL.width + CELL.gap));
  nodes.push(words(x, y, `${cache.name}: ${cache.sets} sets, ${cache.ways} ways of ${cache.line} bytes`, { 'font-weight': 'bold' }),
    words(x, y + 20, `misses so far: ${commas(cache.misses[step])} of ${commas(step + 1)}`, { fill: colours.soft }));
  nodes.push(...addressParts(cache, play.data.steps[step][4], x, y + 32));
  let at = y + 96;
  for (const touch of touches) {
    for (const text of [outcomeText(cache, touch, outcome), touch.hit ? '' : whyVictim(cache, touch)]) {
      for (const part of wrap(text, Math.floor(width / 8))) {
        nodes.push(words(x, at, part, { fill: isRemote(cache, step) ? colours.soft : touch.hit ? colours.hits : colours.misses }));
        at += 17;
      }
    }
  }
  at = Math.max(at, y + 96 + 17 * 6);
  if (!cache.order) nodes.push(words(x, at + 21, 'This module does not show its sets (LEVEL_LINES, doc/modules.md).', { fill: colours.soft }));
  for (const set of cache.order ? shownSets(cache, step) : []) {
    const touch = setAt(cache, set, step), now = touch && touch.step === step;
    nodes.push(words(x, at + 21, (now ? '>' : ' ') + 'set ' + set, { 'font-weight': now ? 'bold' : 'normal', 'xml:space': 'preserve' }));
    for (let way = 0; way < Math.min(cache.ways, 16); way++) {
      const left = x + CELL.label + 10 + way * (CELL.width + CELL.gap);
      nodes.push(...(touch ? drawWay(cache, touch, way, left, at, now) : [box(left, at, CELL.width, CELL.height, colours.paper, { 'stroke-dasharray': '2 3' })]));
    }
    if (cache.set && touch) nodes.push(words(x + CELL.label + 16 + cache.ways * (CELL.width + CELL.gap), at + 21, touch.next ? setText(cache, touch.next) : setText(cache, touch) + ' before', { fill: colours.soft, 'font-size': 11 }));
    at += CELL.height + CELL.gap;
  }
  return { nodes, width: width + (cache.set ? 130 : 20), height: at - y };
}

// The last things that went over the bus; > : at this step.
function drawBus(step, x, y) {
  const before = play.bus.filter(entry => entry.step <= step), shown = before.slice(-BUS_SHOWN);
  return [words(x, y, `bus: ${commas(before.length)} requests so far`, { 'font-weight': 'bold' }),
    ...shown.map((entry, i) => words(x, y + 20 + 17 * i, `${entry.step === step ? '>' : ' '} step ${entry.step + 1}: ${entry.text}`,
      { 'xml:space': 'preserve', fill: entry.step === step ? colours.misses : colours.soft }))];
}

function wrap(text, width) {
  const lines = [];
  for (const word of text.split(' ')) {
    const last = lines.length - 1;
    if (last >= 0 && (lines[last] + ' ' + word).length <= width) lines[last] += ' ' + word;
    else lines.push(word);
  }
  return lines.filter(Boolean);
}

// The whole picture of a step.
function drawStep(step) {
  const said = play.data.caches ? sayStep(step) : sayBranch(step), draw = play.data.caches ? drawCache : drawPredictor;
  const nodes = [words(16, 26, said, { 'font-size': 15, 'font-weight': 'bold' })];
  const text = sourceLine(...placeOf(step));
  if (text) nodes.push(words(16, 50, text.trim().slice(0, 120), { fill: colours.soft }));
  let x = 16, height = 0;
  for (const player of players()) {
    const drawn = draw(player, step, x, 84);
    nodes.push(...drawn.nodes);
    x += drawn.width + 24;
    height = Math.max(height, drawn.height);
  }
  if (play.data.cores) {
    nodes.push(...drawBus(step, 16, height + 100));
    height += 30 + 17 * (BUS_SHOWN + 1);
  }
  const width = Math.max(x, 16 + 9.2 * said.length);
  return svg('svg', { viewBox: `0 0 ${width} ${height + 96}`, width, height: height + 96, role: 'img', 'aria-label': said,
    xmlns: 'http://www.w3.org/2000/svg' }, box(0, 0, width, height + 96, colours.paper, { stroke: 'none' }), ...nodes);
}

function sourceLine(file, line) {
  const known = play.data.files.find(f => f.name === file);
  for (const [first, texts] of known ? known.text : []) {
    if (line >= first && line < first + texts.length) return [texts[line - first]].flat()[0];
  }
  return '';
}

// The picture as the text of a file.
function stillText() {
  colours = LIGHT;
  const picture = drawStep(play.step);
  colours = themeIsDark() ? DARK : LIGHT;
  return '<?xml version="1.0" encoding="UTF-8"?>\n' + new XMLSerializer().serializeToString(picture) + '\n';
}
