// explore_data.js - the data of a page, ready for its views.
//
//   { after: {events: ["Ir"], functions: [[0, 1, 2, 9]], ...} }  ->  model.functions = [{name, object, file, counts, before}]
//
// Where two profiles are compared, a row has the counts of both, and what is shown is after - before.

const model = { events: [], weights: [], totals: [], before: null, functions: [], files: [], byFile: new Map() };

function rowCounts(row, from) {
  return model.events.map((_, i) => row[from + i] === undefined ? 0 : row[from + i]);
}

// Events of a profile in the order of the model's; of a comparison, those that both have.
function arranged(at, row, from) {
  return at.map(i => i < 0 ? 0 : row[from + i] || 0);
}

// Where these events stand in a row of counts of the others: -1, nowhere.
function places(events, others) {
  return events.map(name => others.indexOf(name));
}

// "leaf (inlined in middle at /src/a.c:9, in main at /src/a.c:20)" -> "leaf", ["middle at /src/a.c:9", "main at ..."].
function splitChain(name) {
  const at = name.indexOf(' (inlined in ');
  if (at < 0 || !name.endsWith(')')) return { own: name, chain: [] };
  return { own: name.slice(0, at), chain: name.slice(at + 13, -1).split(', in ') };
}

function makeFunction(profile, row) {
  const name = profile.names[row[0]], object = profile.names[row[1]], f = { name, ...splitChain(name), object, file: profile.names[row[2]] };
  // Code without a name is called after its object.
  return name === UNKNOWN && object !== UNKNOWN ? { ...f, own: `${shortPath(object)} (no symbols)` } : f;
}

function readProfile(profile, which, index) {
  const at = places(model.events, profile.events);
  for (const row of profile.functions) {
    const f = makeFunction(profile, row);
    // Between two builds an object's path may differ; the function is told by its name and file.
    const key = model.before ? f.name + '\0' + f.file : f.name + '\0' + f.file + '\0' + f.object;
    put(index.functions, model.functions, key, f, which, arranged(at, row, 3));
  }
  for (const file of profile.files) {
    let known = model.byFile.get(file.name);
    if (!known) {
      known = { name: file.name, lines: [], insns: [], index: new Map() };
      model.byFile.set(file.name, known);
      model.files.push(known);
    }
    for (const row of file.lines) {
      const line = { line: row[0], name: profile.names[row[1]], object: profile.names[row[2]] };
      put(known.index, known.lines, row[0] + '\0' + line.name + (model.before ? '' : '\0' + line.object), line, which,
        arranged(at, row, 3));
    }
    if (which === 'after' || !known.text) Object.assign(known, { text: file.text, size: file.size, why: file.why, newer: file.newer, more: file.more });
    if (which === 'after') {
      later(known, 'insns', () => file.insns.map(row => ({ line: row[0], name: profile.names[row[1]], object: profile.names[row[2]],
        address: row[3], text: row[4], counts: arranged(at, row, 5) })));
    }
  }
}

// A member that is made when it is first asked for: the first view comes sooner.
function later(object, name, make) {
  Object.defineProperty(object, name, { configurable: true, get() {
    const value = make();
    Object.defineProperty(object, name, { configurable: true, writable: true, value });
    return value;
  } });
}

function put(index, list, key, row, which, counts) {
  const known = index.get(key);
  if (known) {
    addAll(which === 'after' ? known.counts : known.before, counts);
    return;
  }
  const zeros = model.before && model.events.map(() => 0);
  row.counts = which === 'after' ? counts : zeros;
  row.before = which === 'after' ? zeros : counts;
  index.set(key, row);
  list.push(row);
}

function addAll(to, counts) {
  for (let i = 0; i < counts.length; i++) if (counts[i]) to[i] = add(to[i], counts[i]);
}

// Counts that are strings of digits are exact beyond 2^53.
function add(a, b) {
  if (!a) return b;
  if (!b) return a;
  if (typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(a + b)) return a + b;
  return String(BigInt(a) + BigInt(b));
}

function subtract(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(BigInt(a) - BigInt(b));
}

// What only one of two profiles has, and a comparison leaves out: "Bc, Bcm, calls (after)".
function onlyOne(after, before) {
  const alone = (p, other) => p.events.filter(name => !other.events.includes(name)).concat(p.data && !other.data ? 'objects in memory' : [],
    p.data && other.data ? p.data.events.filter(name => !other.data.events.includes(name)).map(name => `${name} of objects`) : [],
    p.calls && !other.calls ? 'calls' : []);
  return [[before, after, 'before'], [after, before, 'after']].map(([p, other, which]) => [alone(p, other).join(', '), which])
    .filter(([names]) => names).map(([names, which]) => `${names} (${which})`).join('; ');
}

function readData(data) {
  const after = data.after, before = data.before;
  model.data = data;
  model.profile = after;
  model.before = before || null;
  model.events = after.events.filter(name => !before || before.events.includes(name));
  model.only = before ? onlyOne(after, before) : '';
  model.weights = model.events.map(name => after.weights[after.events.indexOf(name)]);
  MEANINGS.cost = `estimated cost: ${after.timing}`;
  const totals = p => arranged(places(model.events, p.events), p.totals, 1);
  model.totals = totals(after);
  model.totalsBefore = before ? totals(before) : null;
  const index = { functions: new Map() };
  readProfile(after, 'after', index);
  if (before) readProfile(before, 'before', index);
  for (const file of model.files) sumFile(file);
  model.columns = makeColumns();
  model.culprits = readCulprits(after);
  readAllObjects(after, before);
  later(model, 'calls', () => readCalls(after, before));
}

// Rows of the profile's culprits with names in place of their numbers; null where there are none.
function readCulprits(profile) {
  if (!profile.culprits) return null;
  return records(profile.culprits).map(r => {
    for (const key of ['file', 'function', 'evictor_file', 'evictor_function']) r[key] = profile.names[r[key]];
    return r;
  });
}

// A file's sums, and one entry for each of its lines, whatever functions have it.
function sumFile(file) {
  file.counts = model.events.map(() => 0);
  file.before = model.before ? model.events.map(() => 0) : null;
  file.byLine = new Map();
  for (const row of file.lines) {
    let line = file.byLine.get(row.line);
    if (!line) {
      line = { line: row.line, rows: [], counts: model.events.map(() => 0), before: model.before ? model.events.map(() => 0) : null };
      file.byLine.set(row.line, line);
    }
    line.rows.push(row);
    for (const to of [file, line]) {
      addAll(to.counts, row.counts);
      if (to.before) addAll(to.before, row.before);
    }
  }
}
