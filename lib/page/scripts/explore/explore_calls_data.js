// explore_calls_data.js - who called whom, as `quern run --calls=yes` (or paths) has counted it.
//
//   calls: {"events":["Ir"],"functions":[[name, file, object, called, inclusive...]],"edges":[[caller, line, file, callee, calls, inclusive...]],
//           "nodes":[[parent, function, calls, self...]],"lost":[["edges", 3]]}
//   ->  model.calls = { functions, edges, root }; root is the tree of contexts, each with what is below it
//
// In a comparison functions are the same by name and file, contexts by their path.

function emptyCounts() {
  return { counts: model.events.map(() => 0), before: model.before ? model.events.map(() => 0) : null, calls: 0, callsBefore: 0 };
}

function addCalls(to, which, calls, counts) {
  if (which === 'after') to.calls = add(to.calls, calls);
  else to.callsBefore = add(to.callsBefore, calls);
  addAll(which === 'after' ? to.counts : to.before, counts);
}

function known(list, index, key, make) {
  let row = index.get(key);
  if (!row) {
    row = { ...make(), ...emptyCounts() };
    index.set(key, row);
    list.push(row);
  }
  return row;
}

function takeCallFunctions(profile, which, calls, at) {
  return profile.calls.functions.map(row => {
    const name = profile.names[row[0]], file = profile.names[row[1]], object = profile.names[row[2]];
    const f = known(calls.functions, calls.functionIndex, name + '\0' + file + (model.before ? '' : '\0' + object),
      () => ({ id: calls.functions.length, name, ...splitChain(name), file, object, callers: [], callees: [] }));
    addCalls(f, which, row[3], arranged(at, row, 4));
    return f;
  });
}

function takeEdges(profile, which, calls, functions, at) {
  for (const row of profile.calls.edges) {
    const caller = functions[row[0]], callee = functions[row[3]], line = row[1], file = row[2] === NO_PART ? caller.file : profile.names[row[2]];
    const edge = known(calls.edges, calls.edgeIndex, [caller.id, file, line, callee.id].join('\0'), () => ({ caller, callee, line, file }));
    if (!edge.listed) {
      edge.listed = true;
      callee.callers.push(edge);
      caller.callees.push(edge);
    }
    addCalls(edge, which, row[4], arranged(at, row, 5));
  }
}

function makeNode(parent, f) {
  return { f, parent, children: [], index: new Map(), depth: parent ? parent.depth + 1 : 0, ...emptyCounts(), selfCounts: model.events.map(() => 0) };
}

function childNode(parent, f) {
  let node = parent.index.get(f);
  if (!node) {
    node = makeNode(parent, f);
    parent.index.set(f, node);
    parent.children.push(node);
  }
  return node;
}

// A node stands behind its parent, so from the last to the first each is whole when it is added to its parent.
function takeNodes(profile, which, calls, functions, at) {
  const rows = profile.calls.nodes, nodes = [], whole = rows.map(row => arranged(at, row, 3));
  rows.forEach((row, i) => {
    const node = childNode(row[0] === NO_PART ? calls.root : nodes[row[0]], functions[row[1]]);
    nodes.push(node);
    if (which === 'after') addAll(node.selfCounts, whole[i]);
  });
  for (let i = rows.length - 1; i >= 0; i--) {
    addCalls(nodes[i], which, rows[i][2], whole[i]);
    if (rows[i][0] === NO_PART) addCalls(calls.root, which, 0, whole[i]);
    else addAll(whole[rows[i][0]], whole[i]);
  }
}

function numberNodes(node, list) {
  node.id = list.length;
  list.push(node);
  for (const child of node.children) numberNodes(child, list);
}

function readCalls(after, before) {
  if (![after, before].every(p => !p || p.calls)) return null;
  const calls = { functions: [], functionIndex: new Map(), edges: [], edgeIndex: new Map(), nodes: [] };
  calls.root = makeNode(null, null);
  for (const profile of [after, before]) {
    if (!profile) continue;
    const which = profile === after ? 'after' : 'before', at = places(model.events, profile.calls.events);
    const functions = takeCallFunctions(profile, which, calls, at);
    takeEdges(profile, which, calls, functions, at);
    takeNodes(profile, which, calls, functions, at);
  }
  numberNodes(calls.root, calls.nodes);
  return calls;
}
