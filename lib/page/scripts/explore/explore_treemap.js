// explore_treemap.js - rectangles whose areas are proportional to given numbers, as near to squares as their order allows.
//
//   treemap([{ size: 6, ... }, { size: 2, ... }], { x: 0, y: 0, w: 400, h: 200 })  ->  [{ item, x, y, w, h }, ...]
//
// M. Bruls, K. Huizing, J. van Wijk, Squarified treemaps, VisSym 2000.  Items without size have no rectangle.

// The worst ratio of sides of a row of areas that lies along a side of this length.
function worstRatio(areas, side) {
  const sum = areas.reduce((n, a) => n + a, 0);
  return Math.max(side * side * Math.max(...areas) / (sum * sum), sum * sum / (side * side * Math.min(...areas)));
}

// Lays a row along the shorter side; what is left of the box.
function layRow(row, box, found) {
  const sum = row.reduce((n, one) => n + one.area, 0), across = box.w < box.h;
  const side = across ? box.w : box.h, depth = sum / side;
  let at = 0;
  for (const { item, area } of row) {
    const length = area / depth;
    found.push(across ? { item, x: box.x + at, y: box.y, w: length, h: depth } : { item, x: box.x, y: box.y + at, w: depth, h: length });
    at += length;
  }
  return across ? { x: box.x, y: box.y + depth, w: box.w, h: box.h - depth } : { x: box.x + depth, y: box.y, w: box.w - depth, h: box.h };
}

function treemap(items, box) {
  const sized = items.filter(item => item.size > 0).sort((a, b) => b.size - a.size), whole = sized.reduce((n, item) => n + item.size, 0);
  const scale = whole ? box.w * box.h / whole : 0, found = [];
  let row = [];
  for (const item of sized) {
    const one = { item, area: item.size * scale }, side = Math.min(box.w, box.h), areas = row.map(r => r.area);
    if (row.length && worstRatio([...areas, one.area], side) > worstRatio(areas, side)) {
      box = layRow(row, box, found);
      row = [];
    }
    row.push(one);
  }
  if (row.length) layRow(row, box, found);
  return found;
}
