// explore_objects.js - objects in memory and the misses on them, as `quern run --data=yes` has written them.
//
//   data: {"events":["D1mr",...],"objects":[[kind, name, type, file, line, function, size, blocks, bytes, bytes of the type]],
//          "parts":[[object, name]],"members":[[object, name, offset, size]],"misses":[[file, function, line, object, part, D1mr, D1mw, DLmr, DLmw]],"lost":[0,0],
//          "pairs":[[object, object that evicted it or -1: others, misses, conflicts]],"line":64,"uses":[[object, part, bytes that came, bytes used]]}
//   ->  model.objects = [{name, kind, ..., counts, before, parts: [...], lines: [...]}], model.dataColumns
//
// In a comparison an object is the same if kind, name, type and place but for its line are.

const OBJECT_KINDS = { symbol: 'global', heap: 'allocated', 'heap-rest': 'heap, not in a block', local: 'on the stack', stack: 'stack', file: 'mapped file', anonymous: 'mapped memory', rest: 'rest of the program',
  unknown: 'not known', others: 'less costly' };
const KIND_COLOURS = { symbol: 0, heap: 1, 'heap-rest': 4, local: 2, stack: 2, file: 3, anonymous: 4, rest: 5, unknown: 5, others: 4 };
const NO_PART = -1;

function emptyData() {
  return { counts: model.dataEvents.map(() => 0), before: model.before ? model.dataEvents.map(() => 0) : null };
}

function addData(row, which, counts) {
  const to = which === 'after' ? row.counts : row.before;
  addAll(to, counts);
}

// The row of a list under a key; it is made if there is none yet.
function keyed(list, index, key, make) {
  let known = index.get(key);
  if (!known) {
    known = { ...make(), ...emptyData() };
    index.set(key, known);
    list.push(known);
  }
  return known;
}

function makeObject([kind, name, type, file, line, func, size, blocks, bytes, typeSize], id) {
  return { id, kind, name, type, file, line, func, size, blocks, bytes, typeSize, members: [], parts: [], partIndex: new Map(), lines: [], lineIndex: new Map(), pairs: [], pairIndex: new Map() };
}

// Objects of one profile by their numbers; several of the same name and place are told apart by their order.
function takeObjects(profile, index) {
  const seen = new Map();
  return profile.data.objects.map(row => {
    const o = [...row.slice(0, 4), ...row.slice(4).slice(1, 2)], plain = o.join('\0'), nth = seen.get(plain) || 0;
    seen.set(plain, nth + 1);
    const known = keyed(model.objects, index, plain + '\0' + nth, () => makeObject(row, model.objects.length));
    return known;
  });
}

// Members are named where a type is met first; all objects of the type have them.
function takeMembers(profile, objects) {
  const byType = new Map();
  for (const [object, name, offset, size] of profile.data.members) {
    const type = objects[object].type;
    if (!byType.has(type)) byType.set(type, []);
    byType.get(type).push({ object, name, offset, size });
  }
  for (const o of objects) {
    const members = byType.get(o.type) || [];
    o.members = members.filter(m => m.object === members[0].object);
  }
}

function readObjects(profile, which, index) {
  const objects = takeObjects(profile, index), names = profile.names, at = places(model.dataEvents, profile.data.events);
  takeMembers(profile, objects);
  for (const row of profile.data.misses) {
    const [file, func, line, object, part] = row, o = objects[object], counts = arranged(at, row, 5);
    const place = { file: names[file], func: names[func], line };
    addData(o, which, counts);
    const name = part === NO_PART ? '' : profile.data.parts[part][1];
    addData(keyed(o.parts, o.partIndex, name, () => ({ name, order: part })), which, counts);
    addData(keyed(o.lines, o.lineIndex, place.file + '\0' + line, () => place), which, counts);
    const key = place.file + '\0' + line;
    if (!model.objectsByLine.has(key)) model.objectsByLine.set(key, { list: [], index: new Map() });
    const here = model.objectsByLine.get(key);
    const on = keyed(here.list, here.index, o.id, () => ({ object: o, parts: [], index: new Map() }));
    addData(on, which, counts);
    addData(keyed(on.parts, on.index, name, () => ({ name })), which, counts);
  }
  readPairsAndUses(profile, which, objects);
}

// Puts the bytes used of a part into the part, and the misses on lines that another object had evicted into the object.
function readPairsAndUses(profile, which, objects) {
  const counts = values => model.dataEvents.map((_, i) => values[i] || 0);
  for (const [object, by, misses, conflicts] of profile.data.pairs) {
    const o = objects[object], other = objects[by] || null;
    addData(keyed(o.pairs, o.pairIndex, other && other.id, () => ({ by: other })), which, counts([misses, conflicts]));
  }
  for (const [object, part, filled, used] of which === 'after' ? profile.data.uses : []) {
    const o = objects[object], name = profile.data.parts[part][1];
    const known = keyed(o.parts, o.partIndex, name, () => ({ name, order: part }));
    known.came = (known.came || 0) + Number(filled);
    known.used = (known.used || 0) + Number(used);
  }
}

// How many bytes of a line were used before its eviction, on average; a cell says of how many bytes.
function usedColumn() {
  const [came, used] = ['filled', 'used'].map(name => model.dataEvents.indexOf(name)), line = (model.profile.data || {}).line || 100;
  const of = counts => Number(counts[came]) > 0 ? line * Number(counts[used]) / Number(counts[came]) : null;
  return { name: 'used of a line', kind: 'ratio', more: true, value(row) {
    const after = of(row.counts), before = row.before ? of(row.before) : 0;
    return after === null || before === null ? 0 : after - before;
  }, text(row) {
    const value = this.value(row);
    return !value && of(row.counts) === null ? '' : value.toFixed(1) + (model.profile.data && model.profile.data.line ? ' B' : '%');
  } };
}

// Bytes that were fetched and not used.
function unusedColumn() {
  const signs = model.dataEvents.map(name => name === 'filled' ? 1 : name === 'used' ? -1 : 0);
  return dataColumn('bytes not used', signs.map((_, i) => i), signs);
}

function dataColumn(name, of, times) {
  const sum = counts => of.reduce((n, i) => n + times[i] * Number(counts[i]), 0);
  const value = row => sum(row.counts) - (row.before ? sum(row.before) : 0);
  return { name, kind: 'count', value, text: row => commas(value(row)), size: row => Math.max(sum(row.counts), row.before ? sum(row.before) : 0),
    total: () => model.objects.reduce((n, o) => n + sum(o.counts), 0),
    totalBefore: () => model.objects.reduce((n, o) => n + sum(o.before), 0) };
}

function makeDataColumns() {
  const events = model.dataEvents, ones = events.map(() => 1), weights = events.map(weightOf);
  const all = prefix => events.map((name, i) => name.startsWith(prefix) ? i : -1).filter(i => i >= 0);
  return [dataColumn('D1 misses', all('D1'), ones), dataColumn('LL misses', all('DL'), ones),
    ...(events.includes('filled') ? [usedColumn(), unusedColumn()] : []), dataColumn('cost', events.map((_, i) => i), weights),
    ...events.map((name, i) => ['filled', 'used'].includes(name) ? null : dataColumn(name, [i], ones)).filter(Boolean)];
}

function readAllObjects(after, before) {
  const all = [after, before].filter(p => p), profiles = all.every(p => p.data) ? all : [];
  model.objects = [];
  model.objectsByLine = new Map();
  model.dataEvents = profiles.length ? after.data.events.filter(name => profiles.every(p => p.data.events.includes(name))) : [];
  const index = new Map();
  for (const profile of profiles) readObjects(profile, profile === after ? 'after' : 'before', index);
  for (const o of model.objects) o.parts.sort((a, b) => a.order - b.order);
  model.dataColumns = makeDataColumns();
}

// As qn_prof_describe_object names it.
function describeObject(o) {
  if (o.kind === 'others') return `others (${commas(o.line)} objects)`;
  const place = o.file && o.line ? shortPath(o.file) + ':' + o.line : '';
  const type = o.type ? ', ' + o.type : '';
  if (o.kind === 'symbol') return visible(`${o.name} (global${place ? ', ' + place : ''}${type})`);
  return visible(o.kind === 'heap' ? `${o.name} in ${o.func || 'unknown'}${place ? ` (${place})` : ''}${type}` : o.name);
}

// "[3][4].key" of an array is "key" of what it holds.
function withoutIndex(part) {
  return part.replace(/^(\[\d+\])+(\.\.)?(\[\d+\])*\.?/, '');
}

// Classes of an object's D1 misses, the most first; null where they were not collected.
function dataClasses(row) {
  const found = CLASSES.map(name => ({ name, n: Number(row.counts[model.dataEvents.indexOf(name)]) || 0 })), all = found.reduce((sum, c) => sum + c.n, 0);
  return all ? found.map(c => ({ name: c.name, share: c.n / all })).sort((a, b) => b.share - a.share) : null;
}

// Objects of the same type as one; those without stay as they are.
function byType() {
  const rows = [], index = new Map();
  for (const o of model.objects) {
    const key = o.type ? 'type\0' + o.type : 'object\0' + o.id;
    const t = keyed(rows, index, key, () => o.type ? { id: 't' + o.id, name: o.type, kind: o.kind, type: o.type, typeSize: o.typeSize, members: o.members, objects: [], parts: [], partIndex: new Map(),
      lines: [], lineIndex: new Map(), pairs: [], size: o.size, blocks: 0, bytes: 0 } : { ...o, objects: [] });
    t.objects.push(o);
    addBoth(t, o);
    if (!o.type) continue;
    t.blocks += Number(o.blocks);
    t.bytes += Number(o.bytes);
    for (const part of o.parts) addBoth(keyed(t.parts, t.partIndex, withoutIndex(part.name), () => ({ name: withoutIndex(part.name), order: part.order })), part);
    for (const line of o.lines) addBoth(keyed(t.lines, t.lineIndex, line.file + '\0' + line.line, () => ({ file: line.file, line: line.line, func: line.func })), line);
  }
  return rows;
}

function addBoth(to, from) {
  addData(to, 'after', from.counts);
  if (from.before) addData(to, 'before', from.before);
  if (from.came) {
    to.came = (to.came || 0) + from.came;
    to.used = (to.used || 0) + from.used;
  }
}
