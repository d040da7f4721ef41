// explore_chart.js - a line chart in SVG, with a cursor that reads values, and a brush that selects a range.
//
//   chart({ x: [0, 1], series: [{ name: 'D1mr', values: [3, 4] }], log: false, read(i), select(from, to) })
//
// Lines differ by dashes as well as by colour (Okabe and Ito's colours, which the colour-blind can tell).

const COLOURS = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9'];
const DASHES = ['', '6 3', '2 2', '8 3 2 3', '12 4', '4 6'];
const PLOT = { width: 900, height: 300, left: 70, right: 40, top: 12, bottom: 56 };

// 1, 2 or 5 times a power of ten, for about `count` marks up to `most`.
function niceStep(most, count) {
  const raw = most / count, power = 10 ** Math.floor(Math.log10(raw || 1));
  return power * ([1, 2, 5, 10].find(n => n * power >= raw) || 10);
}

function shortNumber(n) {
  const units = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']];
  const unit = units.find(u => Math.abs(n) >= u[0]);
  return unit ? +(n / unit[0]).toPrecision(3) + unit[1] : String(+n.toPrecision(3));
}

function scales(options) {
  const values = options.series.flatMap(s => s.values).filter(isFinite), most = Math.max(1e-9, ...values);
  const xs = options.x.map(x => options.log ? Math.log2(x) : x), low = xs[0], high = xs[xs.length - 1];
  const w = PLOT.width - PLOT.left - PLOT.right, h = PLOT.height - PLOT.top - PLOT.bottom;
  return { most, xs, x: i => PLOT.left + (high > low ? (xs[i] - low) / (high - low) * w : w / 2), y: v => PLOT.top + h - v / most * h, w, h };
}

// An upright line at a number of the x axis, with a word: { x: 32768, label: 'D1' }.
function markAt(options, s, mark) {
  const v = options.log ? Math.log2(mark.x) : mark.x, low = s.xs[0], high = s.xs[s.xs.length - 1];
  if (v < low || v > high || high === low) return [];
  const x = PLOT.left + (v - low) / (high - low) * s.w;
  return [svg('line', { class: 'mark', x1: x, x2: x, y1: PLOT.top, y2: PLOT.top + s.h }), svg('text', { x: x + 4, y: PLOT.top + 12 }, mark.label)];
}

function axes(options, s) {
  const nodes = [], step = niceStep(s.most, 5);
  for (let v = 0; v <= s.most * 1.0001; v += step) {
    nodes.push(svg('line', { class: 'grid', x1: PLOT.left, x2: PLOT.width - PLOT.right, y1: s.y(v), y2: s.y(v) }),
      svg('text', { x: PLOT.left - 6, y: s.y(v) + 4, 'text-anchor': 'end' }, shortNumber(v)));
  }
  const every = Math.ceil(options.x.length / 8);
  for (let i = 0; i < options.x.length; i += every) {
    nodes.push(svg('text', { x: s.x(i), y: PLOT.height - 28, 'text-anchor': 'middle' }, options.label ? options.label(options.x[i]) : shortNumber(options.x[i])));
  }
  for (const mark of options.marks || []) nodes.push(...markAt(options, s, mark));
  nodes.push(svg('text', { x: PLOT.left + s.w / 2, y: PLOT.height - 6, 'text-anchor': 'middle' }, options.what || ''));
  return nodes;
}

function nearest(s, x) {
  let best = 0;
  for (let i = 1; i < s.xs.length; i++) if (Math.abs(s.x(i) - x) < Math.abs(s.x(best) - x)) best = i;
  return best;
}

function chart(options) {
  const s = scales(options), cursor = svg('line', { class: 'cursor', y1: PLOT.top, y2: PLOT.top + s.h, visibility: 'hidden' });
  const brush = svg('rect', { class: 'brush', y: PLOT.top, height: s.h, visibility: 'hidden' });
  const lines = options.series.map((one, k) => svg('polyline', { class: 'series', stroke: COLOURS[k % 6], 'stroke-dasharray': DASHES[k % 6],
    points: one.values.map((v, i) => isFinite(v) ? `${s.x(i).toFixed(1)},${s.y(v).toFixed(1)}` : '').filter(Boolean).join(' ') }));
  const picture = svg('svg', { viewBox: `0 0 ${PLOT.width} ${PLOT.height}`, role: 'img', tabindex: 0,
    'aria-label': options.series.map(one => one.name).join(', ') + ' by ' + (options.what || '') }, ...axes(options, s), ...lines, brush, cursor);
  let at = -1, from = -1;
  const point = event => { const box = picture.getBoundingClientRect(); return nearest(s, (event.clientX - box.left) / box.width * PLOT.width); };
  function move(i) {
    at = Math.max(0, Math.min(options.x.length - 1, i));
    fill(cursor, { x1: s.x(at), x2: s.x(at), visibility: 'visible' }, []);
    if (options.read) options.read(at);
    if (from >= 0 && options.select) select(Math.min(from, at), Math.max(from, at));
  }
  function mark(a, b) {
    fill(brush, { x: s.x(a), width: Math.max(1, s.x(b) - s.x(a)), visibility: 'visible' }, []);
  }
  function select(a, b) {
    mark(a, b);
    options.select(a, b);
  }
  picture.addEventListener('pointerdown', event => { from = options.select ? point(event) : -1; });
  picture.addEventListener('pointermove', event => move(point(event)));
  addEventListener('pointerup', () => { from = -1; });
  picture.addEventListener('keydown', event => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) { from = event.shiftKey && from < 0 ? at : event.shiftKey ? from : -1; move(at + step); event.preventDefault(); }
  });
  picture.moveTo = move;
  picture.selectRange = select;
  picture.markRange = mark;
  return picture;
}

function legend(series) {
  return el('ul', { class: 'legend' }, ...series.map((one, k) => el('li', {}, svg('svg', { viewBox: '0 0 30 8', width: 30, height: 8, 'aria-hidden': 'true' },
    svg('line', { x1: 0, x2: 30, y1: 4, y2: 4, stroke: COLOURS[k % 6], 'stroke-width': 2.5, 'stroke-dasharray': DASHES[k % 6] })), one.name)));
}
