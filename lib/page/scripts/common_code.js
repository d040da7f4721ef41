// common_code.js - colours in source: comments, strings, numbers, words of the language.
//
//   paint('int x; /* a', state)  ->  nodes; state.comment is true where a comment goes on in the next line
//
// Tokens of C, C++, Rust, Go and their like; it colours, it does not parse, so a wrong guess does no harm.

const WORDS = new Set(('alignas auto bool break case catch char class const constexpr continue default delete do double else enum ' +
  'explicit extern false float fn for func goto if impl inline int let long match mod mut namespace new nullptr operator private ' +
  'protected pub public register restrict return short signed sizeof static struct switch template this throw true try type ' +
  'typedef typename union unsigned use using var virtual void volatile while').split(' '));

const TOKEN = /\/\/.*|\/\*|"(?:[^"\\]|\\.)*"?|'(?:[^'\\\n]|\\.)'|^\s*#\s*\w+|\b\d[\w.]*|\b[A-Za-z_]\w*/g;

function painted(kind, text) {
  return el('span', { class: kind }, visible(text));
}

// The part of a line that is inside of a comment begun before; returns where it ends.
function endComment(text, from, state, nodes) {
  const end = text.indexOf('*/', from);
  const to = end < 0 ? text.length : end + 2;
  state.comment = end < 0;
  if (to > from) nodes.push(painted('comment', text.slice(from, to)));
  return to;
}

function kindOf(token) {
  if (token.startsWith('//')) return 'comment';
  if (token[0] === '"' || token[0] === "'") return 'string';
  if (token.trim()[0] === '#') return 'word';
  if (token[0] >= '0' && token[0] <= '9') return 'number';
  return WORDS.has(token) ? 'word' : '';
}

function paint(text, state) {
  const nodes = [];
  let at = state.comment ? endComment(text, 0, state, nodes) : 0;
  TOKEN.lastIndex = at;
  for (let found; (found = TOKEN.exec(text));) {
    const token = found[0], kind = token === '/*' ? '' : kindOf(token);
    if (token !== '/*' && !kind) continue;
    if (found.index > at) nodes.push(visible(text.slice(at, found.index)));
    if (token === '/*') {
      at = endComment(text, found.index, state, nodes);
    } else {
      nodes.push(painted(kind, token));
      at = found.index + token.length;
    }
    TOKEN.lastIndex = at;
  }
  if (at < text.length) nodes.push(visible(text.slice(at)));
  return nodes;
}
