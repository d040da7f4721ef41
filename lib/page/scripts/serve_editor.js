// serve_editor.js - the source: a text field over its coloured copy, and beside each line its counts.
//
//   editor.text()                    what stands in it
//   editor.open(text)                another text
//   editor.show(rows, head)          rows: Map line -> [{ text, title, kind }], a cell for each column; head: names of the columns
//   editor.mark(lines)               lines that the compiler complains of: Map line -> text
//   editor.goTo(line)
//
// Field, copy and counts have the same letters and the same height of lines, so they stay beside each other.

const INDENT = '    ', LONG = 200000; // letters; a longer text is not coloured

const editor = {
  onChange: () => {},

  make() {
    this.field = el('textarea', { id: 'source', spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off', wrap: 'off', 'aria-label': 'source',
      oninput: () => { this.draw(); this.onChange(); }, onscroll: () => this.follow(), onkeydown: event => this.onKey(event) });
    this.copy = el('pre', { id: 'copy', 'aria-hidden': 'true' });
    this.counts = el('div', { id: 'counts', role: 'region', 'aria-label': 'counts of each line' });
    this.head = el('div', { id: 'counts-head' });
    this.rows = new Map();
    this.marks = new Map();
    return el('div', { id: 'editor' }, this.head, this.counts, el('div', { id: 'text' }, this.copy, this.field));
  },

  text() { return this.field.value; },

  open(text) {
    this.field.value = text;
    this.show(new Map(), []);
    this.mark(new Map());
    this.field.scrollTop = this.field.scrollLeft = 0;
    this.field.setSelectionRange(0, 0);
    this.draw();
  },

  show(rows, head) {
    this.rows = rows;
    this.columns = head;
    this.head.replaceChildren(el('span', { class: 'line-number' }, 'line'), ...head.map(name => el('span', { class: 'cell' }, name)));
    this.drawCounts();
  },

  mark(lines) {
    this.marks = lines;
    this.drawCounts();
  },

  draw() {
    const state = {}, text = this.field.value;
    this.copy.replaceChildren();
    if (text.length < LONG && !STEERING.test(text.replace(/[\n\t]/g, ''))) {
      for (const line of text.split('\n')) this.copy.append(...paint(line, state), '\n');
    } else {
      this.copy.append(text, '\n');
    }
    STEERING.lastIndex = 0;
    if (this.counts.childElementCount !== text.split('\n').length) this.drawCounts();
    this.follow();
  },

  drawCounts() {
    const lines = this.field.value.split('\n').length;
    this.counts.replaceChildren(...Array.from({ length: lines }, (_, i) => this.row(i + 1)), el('div', { class: 'row' }));
    this.follow();
  },

  row(line) {
    const cells = this.rows.get(line) || (this.columns || []).map(() => null), mark = this.marks.get(line);
    return el('div', { class: 'row' + (mark ? ' marked' : ''), title: mark || null }, el('span', { class: 'line-number' }, String(line)),
      ...cells.map(cell => el('span', { class: 'cell ' + (cell ? cell.kind || '' : ''), title: cell ? cell.title : null }, cell ? cell.text : '')));
  },

  follow() {
    this.copy.scrollTop = this.counts.scrollTop = this.field.scrollTop;
    this.copy.scrollLeft = this.field.scrollLeft;
  },

  goTo(line) {
    const lines = this.field.value.split('\n'), at = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
    this.field.focus();
    this.field.setSelectionRange(at, at + (lines[line - 1] || '').length);
    this.field.scrollTop = Math.max(0, (line - 6) * this.field.scrollHeight / lines.length);
  },

  // A tab indents; after Escape it leaves the field, for users of the keyboard.
  onKey(event) {
    if (event.key !== 'Tab' || event.shiftKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    this.field.setRangeText(INDENT, this.field.selectionStart, this.field.selectionEnd, 'end');
    this.field.dispatchEvent(new Event('input'));
  },
};
