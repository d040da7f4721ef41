// serve_profile.js - the profile that a run sends, as text, and what is made of it.
//
//   readProfile("desc: ...\nevents: Ir D1mr\nfl=./prog.c\nfn=main\n3 10 1\nsummary: 900 40\n", "prog.c")
//   ->  { described: ["D1 cache: ..."], events: ["Ir", "D1mr"], lines: Map { 3 => [10, 1] }, totals: [900, 40], parts: 1 }
//
// Columns are sums of events: "D1 misses" is D1mr + D1mw.

const COLUMNS = [
  ['Ir', 'instructions', ['Ir']],
  ['D', 'references', ['Dr', 'Dw']],
  ['D1m', 'D1 misses', ['D1mr', 'D1mw']],
  ['LLm', 'LL misses', ['ILmr', 'DLmr', 'DLmw']],
  ['I1m', 'I1 misses', ['I1mr']],
  ['B', 'branches', ['Bc', 'Bi']],
  ['Bm', 'mispredicted', ['Bcm', 'Bim']],
];

function baseName(path) {
  return path.slice(path.lastIndexOf('/') + 1);
}

// parts: how many profiles there are, one if all is well.
function readProfile(text, file) {
  const profile = { described: [], events: [], lines: new Map(), totals: [], parts: 0 };
  let own = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('desc: ')) profile.described.push(line.slice(6));
    else if (line.startsWith('events: ')) {
      profile.events = line.slice(8).trim().split(/\s+/);
      profile.parts++;
    } else if (line.startsWith('fl=') || line.startsWith('fi=') || line.startsWith('fe=')) own = /^(\.\/)+[^/]*$/.test(line.slice(3)) && baseName(line) === file;
    else if (line.startsWith('summary: ')) profile.totals = line.slice(9).trim().split(/\s+/).map(Number);
    else if (own && /^\d/.test(line)) addRow(profile, line.split(' ').map(Number));
  }
  return profile;
}

function addRow(profile, [line, ...counts]) {
  const known = profile.lines.get(line) || profile.events.map(() => 0);
  profile.lines.set(line, known.map((count, i) => count + (counts[i] || 0)));
}

// The columns whose events the profile has.
function columnsOf(profile) {
  return COLUMNS.filter(([, , events]) => events.every(event => profile.events.includes(event)));
}

function valueOf(profile, counts, [, , events]) {
  return counts ? events.reduce((sum, event) => sum + counts[profile.events.indexOf(event)], 0) : 0;
}

// Which line of the new text was which of the old: Map new -> old, numbers from 1.  Equal beginnings and ends are taken first; between
// them a longest common subsequence, unless it is too long to look for.
function matchLines(oldText, newText) {
  const a = oldText.split('\n'), b = newText.split('\n'), match = new Map();
  let from = 0, end = 0;
  while (from < a.length && from < b.length && a[from] === b[from]) match.set(++from, from);
  while (end < a.length - from && end < b.length - from && a[a.length - 1 - end] === b[b.length - 1 - end]) {
    match.set(b.length - end, a.length - end);
    end++;
  }
  const left = a.slice(from, a.length - end), right = b.slice(from, b.length - end);
  if (left.length * right.length > 4e6) return match;
  const longest = left.map(() => new Uint16Array(right.length + 1)).concat([new Uint16Array(right.length + 1)]);
  for (let i = left.length - 1; i >= 0; i--) {
    for (let k = right.length - 1; k >= 0; k--) {
      longest[i][k] = left[i] === right[k] ? longest[i + 1][k + 1] + 1 : Math.max(longest[i + 1][k], longest[i][k + 1]);
    }
  }
  for (let i = 0, k = 0; i < left.length && k < right.length;) {
    if (left[i] === right[k]) match.set(from + ++k, from + ++i);
    else if (longest[i + 1][k] >= longest[i][k + 1]) i++;
    else k++;
  }
  return match;
}
