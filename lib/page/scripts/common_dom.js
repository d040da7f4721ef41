// common_dom.js - elements, numbers and text, for every page.
//
//   el('td', { class: 'n' }, 'text', child)    an element; text is never markup
//   commas(-1234567)                           "-1,234,567"
//   visible('a\u202eb')                        "a\u27e8U+202E\u27e9b": characters that would steer the display are shown instead

function el(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function svg(name, attributes, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}

// An attribute that is a function is a listener: { onclick: f }.
function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (typeof value === 'function') node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, '');
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}

// Controls, marks of direction, and what has no width: those of lib/text/escape.c.
const STEERING = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad\u0600-\u0605\u061c\u06dd\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

function visible(text) {
  return String(text).replace(STEERING,
    c => '\u27e8U+' + c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0') + '\u27e9');
}

// Counts beyond 2^53 come as strings of digits and are shown as they are.
function commas(count) {
  const text = typeof count === 'number' ? String(Math.round(count)) : String(count);
  return text.replace(/\B(?=(\d{3})+$)/g, ',');
}

function percent(part, whole, digits) {
  return whole ? (100 * part / whole).toFixed(digits === undefined ? 1 : digits) + '%' : '';
}

function bytes(n) {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  let unit = 0;
  while (n >= 1024 && n % 1024 === 0 && unit < 3) {
    n /= 1024;
    unit++;
  }
  return n + ' ' + units[unit];
}

// A text that is no valid encoding stays as it is.
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// The hash is "view&key=value&key=value".
function readHash() {
  const parts = location.hash.slice(1).split('&');
  const state = { view: decoded(parts[0]) };
  for (const part of parts.slice(1)) {
    const at = part.indexOf('=');
    if (at > 0) state[part.slice(0, at)] = decoded(part.slice(at + 1));
  }
  return state;
}

function makeHash(view, values) {
  let hash = '#' + encodeURIComponent(view);
  for (const [key, value] of Object.entries(values || {})) {
    if (key !== 'view' && value !== undefined && value !== null && value !== '') hash += '&' + key + '=' + encodeURIComponent(value);
  }
  return hash;
}

// Dark, light, or as the system has it; the choice is part of the document only, nothing is stored.
function themeIsDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

function themeButton() {
  return el('button', { type: 'button', id: 'theme', onclick: () => { document.documentElement.dataset.theme = themeIsDark() ? 'light' : 'dark'; } }, 'dark / light');
}

// The views of the page by name; each file of one puts its own in.
const views = {};
