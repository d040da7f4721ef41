// watch_main.js - the page of `quern watch`: plays the steps.
//
//   #step=17        each step is a link
//   keys            arrows: step; space: play; m, M: next, previous miss; Home, End
//
// The picture is drawn anew at each step; a play at the highest speed draws 60 of them a second.

const SPEEDS = [1, 2, 5, 10, 20, 60]; // steps per second

function goTo(step) {
  play.step = Math.max(0, Math.min(play.data.steps.length - 1, step));
  history.replaceState(null, '', '#step=' + play.step);
  showStep();
}

function showStep() {
  colours = themeIsDark() ? DARK : LIGHT;
  const picture = drawStep(play.step);
  picture.style.minWidth = 0.75 * picture.getAttribute('width') + 'px'; // smaller letters cannot be read: it scrolls
  document.getElementById('picture').replaceChildren(picture);
  document.getElementById('position').value = play.step;
  document.getElementById('count').textContent = `step ${commas(play.step + 1)} of ${commas(play.data.steps.length)}`;
  for (const row of document.querySelectorAll('#lines tr.open')) row.classList.remove('open');
  const [file, line] = placeOf(play.step), row = document.getElementById(rowName(file, line));
  if (row) {
    row.classList.add('open');
    const list = document.getElementById('lines');
    list.scrollTop = row.offsetTop - list.clientHeight / 2;
  }
}

function setPlaying(on) {
  clearInterval(play.timer);
  play.timer = on ? setInterval(() => {
    goTo(play.step + 1);
    if (play.step === play.data.steps.length - 1) setPlaying(false);
  }, 1000 / SPEEDS[document.getElementById('speed').value]) : null;
  document.getElementById('play').textContent = on ? 'pause' : 'play';
}

function rowName(file, line) {
  return 'L' + play.data.files.findIndex(f => f.name === file) + '-' + line;
}

// The source beside the picture, with how often each line misses in the first cache, or is mispredicted by the first predictor.
function sourceTable() {
  const misses = new Map();
  play.data.steps.forEach((step, i) => {
    const [file, line] = play.data.places[step[1]], name = rowName(file, line), known = misses.get(name) || [0, 0];
    misses.set(name, [known[0] + 1, known[1] + (players()[0].steps[i][0] & 1)]);
  });
  const body = play.data.files.flatMap((file, number) => [el('tr', {}, el('th', { colspan: 4 }, visible(file.name))),
    ...file.text.flatMap(([first, texts], piece) => {
      const painting = {};
      return [piece ? el('tr', { class: 'fold' }, el('td', { colspan: 4 }, '...')) : null, ...texts.map((text, i) => {
        const name = 'L' + number + '-' + (first + i), counts = misses.get(name);
        return el('tr', { id: name, class: counts ? 'counted' : '' }, el('td', { class: 'line' }, String(first + i)),
          el('td', { class: 'n' }, counts ? commas(counts[0]) : ''), el('td', { class: 'n' }, counts ? commas(counts[1]) : ''),
          el('td', { class: 'code' }, ...paint([text].flat()[0], painting)));
      })];
    })]);
  return el('table', { class: 'source' }, el('thead', {}, el('tr', {}, ...['line', ...(play.data.caches ? ['references', 'misses'] : ['branches', 'mispredicted']), ''].map(text => el('th', { scope: 'col' }, text)))),
    el('tbody', {}, ...body));
}

function save() {
  const address = URL.createObjectURL(new Blob([stillText()], { type: 'image/svg+xml' }));
  const link = el('a', { href: address, download: `step-${play.step + 1}.svg` });
  link.click();
  URL.revokeObjectURL(address);
}

function button(id, text, action) {
  return el('button', { type: 'button', id, onclick: action }, text);
}

function controls() {
  const position = el('input', { type: 'range', id: 'position', min: 0, max: play.data.steps.length - 1, value: 0, 'aria-label': 'step',
    oninput: event => goTo(Number(event.target.value)) });
  const speed = el('input', { type: 'range', id: 'speed', min: 0, max: SPEEDS.length - 1, value: 1, 'aria-label': 'speed',
    oninput: () => setPlaying(play.timer !== null) });
  return el('div', { class: 'bar' }, button('back', 'back', () => goTo(play.step - 1)), button('play', 'play', () => setPlaying(!play.timer)),
    button('step', 'step', () => goTo(play.step + 1)), button('miss', play.data.caches ? 'next miss' : 'next misprediction', () => goTo(nextMiss(play.step, 1))), position,
    el('span', { id: 'count', role: 'status' }), el('label', {}, 'speed ', speed), button('still', 'save as SVG', save), themeButton());
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === 'INPUT') return;
  const actions = { ArrowRight: () => goTo(play.step + 1), ArrowLeft: () => goTo(play.step - 1), Home: () => goTo(0), End: () => goTo(Infinity),
    m: () => goTo(nextMiss(play.step, 1)), M: () => goTo(nextMiss(play.step, -1)) };
  if (event.key === ' ' && event.target.tagName !== 'BUTTON') {
    setPlaying(!play.timer);
    event.preventDefault();
  } else if (actions[event.key]) {
    actions[event.key]();
    event.preventDefault();
  }
}

function start(data) {
  play.data = data;
  if (data.caches) data.caches.forEach(readCache);
  else data.predictors.forEach(readPredictor);
  if (data.cores) readBus();
  document.title = visible(data.title) + ' - watched';
  document.getElementById('head').append(controls());
  document.getElementById('main').append(el('p', { class: 'keys' }, `keys: arrows step, space plays, m and M go to the next and the previous ${data.caches ? 'miss' : 'misprediction; a counter: framed before, filled after; T taken, N not'}`),
    el('div', { class: 'watch' }, el('div', { id: 'picture' }), el('div', { id: 'lines', tabindex: 0, role: 'region', 'aria-label': 'source' }, sourceTable())));
  addEventListener('keydown', onKey);
  document.getElementById('theme').addEventListener('click', showStep);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', showStep);
  const from = () => goTo(Number((location.hash.match(/step=(\d+)/) || [])[1] || 0));
  addEventListener('hashchange', from);
  from();
}
