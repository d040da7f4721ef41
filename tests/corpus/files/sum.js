// sum.js - what V8 does with numbers, strings, classes, closures, promises and garbage.
class Node { constructor(key, left, right) { this.key = key; this.left = left; this.right = right; } }
const insert = (t, k) => !t ? new Node(k) : k < t.key ? new Node(t.key, insert(t.left, k), t.right)
                                          : new Node(t.key, t.left, insert(t.right, k));
const depth = t => t ? 1 + Math.max(depth(t.left), depth(t.right)) : 0;
let x = 1, tree, text = "";
for (let i = 0; i < 4000; i++) { x = x * 16807 % 2147483647; tree = insert(tree, x % 10007); }
for (let i = 0; i < 300; i++) text += String.fromCharCode(97 + (x = x * 16807 % 2147483647) % 26);
const words = text.match(/[aeiou]+[^aeiou]*/g).sort();
console.log(depth(tree), tree.key, words.length, words[3], JSON.stringify({ words: words.slice(0, 3) }));
const floats = new Float64Array(1000).map((_, i) => Math.sin(i));
console.log(floats.reduce((a, b) => a + b, 0).toFixed(12), (2n ** 200n % 1000007n).toString());
try { null.missing; } catch (e) { console.error(e.constructor.name); }
Promise.all([1, 2, 3].map(async v => { await null; return v * v; })).then(v => { console.log(v.join()); process.exitCode = 5; });
