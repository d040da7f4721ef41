// serve_main.js - the page of `quern serve`: opens and saves files, asks for runs, shows what came of them.
//
//   keys    Ctrl+Enter runs, Ctrl+S saves, Escape ends a run, or leaves the editor
//
// A run lasts as long as the request for it: closing the page ends it.

const CACHES = {
  I1: ['16384,4,64', '32768,8,64', '65536,8,64'],
  D1: ['1024,2,64', '4096,1,64', '4096,4,64', '16384,4,64', '32768,8,64', '49152,12,64'],
  LL: ['262144,8,64', '1048576,16,64', '8388608,16,64', '33554432,16,64'],
};
const LEVELS = ['-O0', '-O1', '-O2', '-O3', '-Os'];
const START = '#include <stdio.h>\n\nint main(void)\n{\n    puts("hello");\n    return 0;\n}\n';

// program: the last one that was in the editor, for runs while a module is in it.
const desk = { name: 'new.c', version: '', saved: '', running: null, program: null };

function byId(id) {
  return document.getElementById(id);
}

function say(text, bad) {
  byId('status').className = bad ? 'worse' : '';
  byId('status').textContent = text;
}

// The JSON of an answer; an error is thrown as one line.
async function ask(path, options) {
  let answer, value;
  try {
    answer = await fetch(path, options);
    value = await answer.json();
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Error('quern serve does not answer; is it still running?');
  }
  if (!answer.ok || value.error) throw new Error(value.error || 'status ' + answer.status);
  return value;
}

function post(path, value, signal) {
  return ask(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value), signal });
}

// ---- files ----

function isChanged() {
  return editor.text() !== desk.saved;
}

async function listFiles() {
  const list = await ask('files');
  byId('file').replaceChildren(el('option', { value: '' }, 'new file'), ...list.files.map(name => el('option', { value: name }, visible(name))));
  byId('file').value = list.files.includes(desk.name) ? desk.name : '';
  for (const slot of Object.keys(CACHES)) {
    const menu = byId('module-' + slot), chosen = menu.value;
    menu.querySelectorAll('.own').forEach(option => option.remove());
    menu.append(...list.own.map(name => el('option', { value: name, class: 'own' }, visible(name))));
    menu.value = chosen;
  }
  return list;
}

// A cache, policy or predictor: it is run beside a program.
function isModule(text) {
  return text.includes('#include "sim/');
}

function noteProgram() {
  if (!isModule(editor.text())) desk.program = { name: byId('name').value, text: editor.text() };
}

async function openFile(name) {
  if (desk.saved) noteProgram();
  const file = name ? await ask('file?name=' + encodeURIComponent(name)) : { name: 'new.c', text: START, version: '' };
  Object.assign(desk, { name: file.name, version: file.version, saved: file.text });
  byId('name').value = file.name;
  editor.open(file.text);
  desk.saved = editor.text();
  say(name ? 'opened ' + file.name : 'a new file');
  showMessages(null);
}

async function chooseFile(event) {
  if (isChanged() && !confirm('Changes are not saved. Open another file?')) {
    event.target.value = desk.name;
    return;
  }
  await openFile(event.target.value);
}

async function save() {
  const name = byId('name').value, text = editor.text();
  const answer = await post('save', { name, text, version: name === desk.name ? desk.version : '' });
  Object.assign(desk, { name, version: answer.version, saved: text });
  await listFiles();
  say('saved ' + name);
}

// ---- a run ----

// "a 'b c' d" -> ["a", "b c", "d"]
function splitWords(text) {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a !== undefined ? a : b !== undefined ? b : c);
}

function wantedRun() {
  noteProgram();
  const beside = isModule(editor.text()) ? { name: byId('name').value, text: editor.text() } : null;
  if (beside && !desk.program) throw new Error('open the program that it shall run, then the module');
  const wanted = { ...desk.program, ...(beside ? { beside } : {}), optimisation: byId('level').value, caches: {}, modules: {},
    branches: byId('branches').checked, arguments: splitWords(byId('arguments').value), input: byId('input').value };
  if (beside && !Object.keys(CACHES).some(slot => byId('module-' + slot).value === beside.name))
    throw new Error('choose ' + beside.name + ' as the module of a cache');
  for (const slot of Object.keys(CACHES)) {
    if (byId('cache-' + slot).value) wanted.caches[slot] = byId('cache-' + slot).value;
    if (byId('module-' + slot).value) wanted.modules[slot] = byId('module-' + slot).value;
  }
  return wanted;
}

function setRunning(controller) {
  desk.running = controller;
  byId('run').disabled = Boolean(controller);
  byId('stop').disabled = !controller;
}

async function run() {
  if (desk.running) return;
  const wanted = wantedRun();
  setRunning(new AbortController());
  say('running');
  try {
    take(wanted, await post('run', wanted, desk.running.signal));
  } catch (error) {
    if (error.name !== 'AbortError') throw error;
    say('ended before it was through', true);
  } finally {
    setRunning(null);
  }
}

function take(wanted, answer) {
  showMessages(answer, wanted.beside ? wanted.beside.name : wanted.name);
  if (answer.stage === 'compile') {
    editor.show(new Map(), []);
    say('it cannot be compiled', true);
    return;
  }
  const kept = { number: past.runs.length + 1, name: wanted.name, text: wanted.text, wanted, answer, profile: readProfile(answer.profile, wanted.name) };
  past.runs.push(kept);
  showRun(kept);
  say(...verdict(answer, kept.profile));
}

function verdict(answer, profile) {
  if (answer.trouble) return ['the program ' + answer.trouble, true];
  if (answer.profile_cut) return ['its profile is too large to be shown', true];
  if (profile.parts !== 1) return ['there is no profile: see the errors', true];
  return [answer.status ? `ended with status ${answer.status}` : 'ended well', Boolean(answer.status)];
}

// ---- what compiler and program said ----

function compilerLines(text, name) {
  const marks = new Map();
  for (const line of text.split('\n')) {
    const found = line.match(/^(?:[^:]*\/)?([^:/]+):(\d+):(?:\d+:)? (?:fatal )?(error|warning): (.*)/);
    if (found && found[1] === name && !marks.has(Number(found[2]))) marks.set(Number(found[2]), found[4]);
  }
  return marks;
}

function block(title, text, note) {
  return text ? [el('h2', {}, title), el('pre', { class: 'said', tabindex: 0 }, visible2(text)), ...(note ? [el('p', { class: 'note' }, note)] : [])] : [];
}

// Line ends and tabs stay as they are.
function visible2(text) {
  return text.split('\n').map(visible).join('\n');
}

function showMessages(answer, name) {
  const marks = answer ? compilerLines(answer.messages || '', name) : new Map();
  editor.mark(marks);
  byId('said').replaceChildren(...(answer ? [
    ...[...marks].map(([line, text]) => el('p', {}, el('button', { type: 'button', onclick: () => editor.goTo(line) }, 'line ' + line), ' ', visible(text))),
    ...block('compiler', answer.messages), ...block('output', answer.output, answer.output_cut ? 'There is more of it: only the first 64 KiB are shown.' : ''),
    ...block('errors', answer.errors), ...block('caches', answer.profile ? readProfile(answer.profile, '').described.slice(0, 3).join('\n') : ''),
    ...block('command', answer.command)] : []));
}

// ---- the page ----

function choice(id, label, values, first) {
  return el('label', {}, label + ' ', el('select', { id }, first === undefined ? null : el('option', { value: '' }, first), ...values.map(value => el('option', { value }, value))));
}

function guarded(action) {
  return (...given) => Promise.resolve(action(...given)).catch(error => say(error.message, true));
}

function cacheMenus(modules) {
  return Object.entries(CACHES).map(([slot, sizes]) => el('span', { class: 'cache' }, choice('cache-' + slot, slot, sizes, "as this machine's"),
    el('select', { id: 'module-' + slot, 'aria-label': 'module of ' + slot }, el('option', { value: '' }, 'lru'),
      ...(modules[slot] || []).filter(name => name !== 'lru' && name !== 'opt').map(name => el('option', { value: name }, name)))));
}

function controls(modules) {
  return [el('div', { class: 'bar' }, el('label', {}, 'file ', el('select', { id: 'file', onchange: guarded(chooseFile) })),
    el('label', {}, 'name ', el('input', { id: 'name', size: 16, spellcheck: 'false' })),
    el('button', { type: 'button', id: 'save', onclick: guarded(save) }, 'save'), el('button', { type: 'button', id: 'run', onclick: guarded(run) }, 'run'),
    el('button', { type: 'button', id: 'stop', disabled: true, onclick: () => desk.running && desk.running.abort() }, 'stop'),
    el('span', { id: 'status', role: 'status' }), el('span', { class: 'keys' }, 'Ctrl+Enter runs, Ctrl+S saves, Escape stops'), themeButton()),
  el('div', { class: 'bar' }, choice('level', 'compiled with', LEVELS), ...cacheMenus(modules),
    el('label', {}, el('input', { type: 'checkbox', id: 'branches' }), ' branches'),
    el('label', {}, 'arguments ', el('input', { id: 'arguments', size: 16, spellcheck: 'false' })))];
}

function onKey(event) {
  const action = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey ? { Enter: guarded(run), s: guarded(save) }[event.key] : null;
  if (action) {
    event.preventDefault();
    action();
  } else if (event.key === 'Escape') {
    if (desk.running) desk.running.abort();
    else byId('run').focus();
  }
}

async function start() {
  const head = byId('head'), main = byId('main'), list = await ask('files');
  head.append(...controls(list.modules));
  main.append(el('h1', { class: 'hidden' }, 'quern serve'), editor.make(), el('details', {}, el('summary', {}, 'standard input'),
    el('textarea', { id: 'input', rows: 4, spellcheck: 'false', 'aria-label': 'standard input' })),
  el('div', { class: 'beside' }, el('section', {}, el('h2', {}, 'runs'), el('div', { id: 'history', class: 'wide' })), el('section', { id: 'said' })));
  byId('level').value = '-O1';
  editor.onChange = () => { if (past.shown && past.shown.text !== editor.text()) editor.show(new Map(), []); else if (past.shown) showRun(past.shown); };
  addEventListener('keydown', onKey);
  addEventListener('beforeunload', event => { if (isChanged()) event.preventDefault(); });
  drawHistory();
  await listFiles();
  await guarded(openFile)(list.files[0] || '');
  byId('file').value = list.files[0] || '';
}
