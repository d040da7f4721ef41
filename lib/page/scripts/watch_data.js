// watch_data.js - the steps of caches in `quern watch`, and what each set holds before and after each of them.
//
//   cache.touches.get(set)     [{ step, before, after, state, setState, line, hit, class, victim, next }], in order of steps; states are those before
//   play.bus                   with --cores: [{ step, text }], of steps at which a line came, left or changed its state in a core
//   setAt(cache, set, step)    the last of these up to `step`: what the set looks like then
//
// A set that no step has touched is not shown: nothing is known of it.

const play = { step: 0, data: null, timer: null, objects: null };

function setOf(cache, line) {
  return Math.floor(line / cache.line) % cache.sets;
}

function tagOf(cache, line) {
  return Math.floor(line / (cache.line * cache.sets));
}

// As lib/page/watch/watch.c has it: the line goes to the victim's way or the first free one, or comes to the front.
function fillSet(before, line, victim, recent) {
  const at = before.indexOf(line) >= 0 ? before.indexOf(line) : before.indexOf(victim);
  if (at < 0) return before.slice();
  const after = before.slice();
  if (!recent) {
    after[at] = line;
    return after;
  }
  after.splice(at, 1);
  after.unshift(line);
  return after;
}

// The variable that a line holds, as far as the window tells: "b", or "".
function objectOf(line) {
  if (!play.objects) play.objects = new Map((play.data.lines || []).map(([address, i]) => [address, play.data.objects[i]]));
  return play.objects.get(line) || '';
}

// Is the reference of another core than that whose D1 this is?
function isRemote(cache, step) {
  return play.data.cores && play.data.steps[step][7] !== cache.number;
}

function readCache(cache, number) {
  cache.number = number;
  const recent = cache.order === 'recent', states = new Map();
  cache.touches = new Map();
  cache.misses = [];
  let misses = 0;
  cache.steps.forEach((entry, step) => {
    const remote = isRemote(cache, step);
    misses += remote ? 0 : entry[0] & 1;
    cache.misses.push(misses);
    for (const [line, hit, className, victim, content, state, setState] of entry.slice(1)) {
      const set = setOf(cache, line), list = cache.touches.get(set) || [], last = list[list.length - 1];
      const before = content || (last ? last.after : []), known = state || states.get(set) || [];
      states.set(set, known);
      const after = remote ? victim < 0 ? before : [...before.filter(one => one !== victim), -1] : hit ? (recent ? fillSet(before, line, line, true) : before) : fillSet(before, line, victim, recent);
      const touch = { step, line, hit, class: className, victim, before, after, state: known, setState, next: null };
      if (last) last.next = touch;
      list.push(touch);
      cache.touches.set(set, list);
    }
  });
  cache.shown = [...cache.touches.keys()].sort((a, b) => a - b);
}

// "ISEM", the letters of the states of a coherent cache's lines; undefined: it has none
function lettersOf(cache) {
  return (/^state of (\w+)$/.exec(cache.way) || [])[1];
}

// The letter of a line's state before the touch; I: the set does not hold it.
function letterBefore(cache, touch, line) {
  const letters = lettersOf(cache), way = touch.before.indexOf(line);
  return way < 0 ? 'I' : letters && letters[touch.state[way]] || '?';
}

function letterAfter(cache, touch, line) {
  return !touch.after.includes(line) ? 'I' : touch.next ? letterBefore(cache, touch.next, line) : '?';
}

// What goes over the bus: steps at which a line changes its state in a core.  After the last touch of a set nothing is known of it.
function readBus() {
  play.bus = [];
  play.data.steps.forEach((step, i) => {
    const [, , , kind, , , thread, core] = step;
    for (const mine of touchesAt(play.data.caches[core] || play.data.caches[0], i)) {
      const changes = play.data.caches.map(cache => [cache.number, touchesAt(cache, i).find(t => t.line === mine.line), cache])
        .filter(([, t]) => t).map(([n, t, cache]) => [n, letterBefore(cache, t, t.line), letterAfter(cache, t, t.line)]);
      const changed = changes.filter(([, before, after]) => before !== after && after !== '?'), others = changed.filter(([n]) => n !== core);
      if (mine.hit && !others.length) continue;
      const request = !mine.hit ? kind === 'read' ? 'read' : 'read to own' : others.every(([, , after]) => after !== 'I') ? 'update' : 'upgrade';
      play.bus.push({ step: i, text: `core ${core} (thread ${thread}): ${request} ${hex(mine.line)}${objectOf(mine.line) ? ' ' + objectOf(mine.line) : ''}   `
        + changed.map(([n, before, after]) => `core ${n} ${before} > ${after}`).join(', ') });
    }
  });
}

function setAt(cache, set, step) {
  const list = cache.touches.get(set);
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle].step <= step) low = middle + 1;
    else high = middle;
  }
  return low ? list[low - 1] : null;
}

// What this step did to the cache: an entry for each line that it touched.
function touchesAt(cache, step) {
  return cache.steps[step].slice(1).map(([line]) => setAt(cache, setOf(cache, line), step)).filter(t => t && t.step === step);
}

// What is shown side by side: caches or predictors.  The first bit of an entry of their steps: a miss, or a misprediction.
function players() {
  return play.data.caches || play.data.predictors;
}

function nextMiss(step, by) {
  for (let i = step + by; i >= 0 && i < play.data.steps.length; i += by) {
    if (players().some(player => player.steps[i][0] & 1)) return i;
  }
  return step;
}

// ---- words ----

const REASONS = {
  compulsory: 'the program has not used this line before',
  capacity: 'a fully associative cache of this size would miss it, too',
  conflict: 'a fully associative cache of this size would have it: too much falls into this set',
};

function hex(n) {
  return '0x' + n.toString(16);
}

function wayText(cache, touch, line) {
  const way = touch.before.indexOf(line), letters = lettersOf(cache);
  if (letters && way >= 0 && way < touch.state.length) return `, state ${letters[touch.state[way]] || touch.state[way]}`;
  return cache.way && way >= 0 && way < touch.state.length ? `, ${cache.way} ${touch.state[way]}` : '';
}

function remoteText(cache, touch) {
  const core = play.data.steps[touch.step][7], before = letterBefore(cache, touch, touch.line), after = letterAfter(cache, touch, touch.line);
  if (before === 'I') return `core ${core} refers to a line that is not here`;
  return after === 'I' ? `core ${core} takes the line: ${before} > I` : before === after || after === '?' ? `core ${core} refers to the line, which stays: ${before}` : `core ${core} refers to the line: ${before} > ${after}`;
}

// The state of a line after the step is what the set's next touch finds; after the last touch only the state before it is known.
function stateAfter(cache, touch, line) {
  const text = wayText(cache, touch.next || touch, line).slice(2);
  return text && !touch.next ? `${text} before` : text;
}

function whyVictim(cache, touch) {
  if (isRemote(cache, touch.step)) return '';
  if (touch.victim < 0) return touch.before.includes(-1) ? 'A way was free.' : '';
  const tag = hex(tagOf(cache, touch.victim));
  if (cache.order === 'recent') return `Tag ${tag} leaves: of this set it was used longest ago.`;
  const others = touch.before.filter(line => line !== touch.victim).map(line => wayText(cache, touch, line).slice(2)).filter(Boolean);
  let why = `Tag ${tag} leaves${wayText(cache, touch, touch.victim)}`;
  if (others.length) why += `; the others have ${others.map(text => text.slice(cache.way.length + 1)).join(', ')}`;
  if (cache.set) why += `; ${cache.set}: ${setText(cache, touch)}`;
  return why + '.';
}

// Bits are shown as bits, the highest first.
function setText(cache, touch) {
  return /bit/.test(cache.set) ? '0b' + touch.setState.toString(2).padStart(cache.ways, '0') : String(touch.setState);
}

function outcomeText(cache, touch, outcome) {
  if (isRemote(cache, touch.step)) return remoteText(cache, touch);
  if (play.data.cores && !touch.hit) return outcome & 1 ? `miss; ${outcome & 2 ? 'the last level misses, too' : 'another core or the last level has it'}` : 'not in this D1, but in the L2 of the core';
  if (touch.hit) return 'hit';
  const level = outcome & 2 ? 'the last level misses, too' : 'the last level has it';
  return outcome & 1 ? `miss, ${touch.class}: ${REASONS[touch.class] || ''}; ${level}` : 'not in this set, but no miss: the module has it elsewhere';
}

function placeOf(step) {
  return play.data.places[play.data.steps[step][1]];
}

function sayStep(step) {
  const [number, , pc, kind, address, size] = play.data.steps[step], [file, line, name] = placeOf(step);
  const whose = play.data.cores ? `core ${play.data.steps[step][7]}, thread ${play.data.steps[step][6]}: ` : '';
  const where = file ? `${shortName(file)}:${line}` : hex(pc);
  return `reference ${commas(number)}: ${whose}${where}${name ? ' in ' + name : ''} ${kind === 'modify' ? 'reads and writes' : kind + 's'} ${size} bytes at ${hex(address)}${nameAt(step)}`;
}

function nameAt(step) {
  const name = objectOf((play.data.caches[0].steps[step][1] || [0])[0]);
  return name ? ', ' + name : '';
}

function shortName(file) {
  return file.split('/').slice(-1)[0];
}
