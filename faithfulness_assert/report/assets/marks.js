// Texts with marked spans.

const MOST_COVERING = 50;
const BLOCK = 3000;
const LONGEST_BLOCK = 20000;

/**
 * Cuts a text at the ends of all spans. Each piece has the keys of the spans that cover it.
 * Spans: {start, end, key}.
 */
function pieces(text, spans) {
  const edges = [];
  for (const { start, end, key } of spans) {
    edges.push([start, 1, key], [end, 0, key]);
  }
  edges.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const [made, open] = [[], new Set()];
  let from = 0;
  for (const [place, opens, key] of edges) {
    if (place > from) made.push({ text: text.slice(from, place), keys: firstOf(open) });
    from = Math.max(from, place);
    if (opens) open.add(key);
    else open.delete(key);
  }
  if (from < text.length) made.push({ text: text.slice(from), keys: [] });
  return made;
}

function firstOf(keys) {
  const found = [];
  for (const key of keys) {
    found.push(key);
    if (found.length === MOST_COVERING) break;
  }
  return found;
}

/**
 * Pieces as blocks of a few thousand characters, so that a browser lays out only those in sight.
 * `node(text, keys)` makes the node of a piece.
 */
function blocksOf(found, node) {
  const blocks = [];
  let [block, size] = [element('div'), 0];
  const next = () => {
    blocks.push(block);
    [block, size] = [element('div'), 0];
  };
  for (const { text, keys } of found) {
    for (let rest = text; rest; ) {
      const cut = cutOf(rest, size);
      const part = cut ? rest.slice(0, cut.at) : rest;
      if (part) block.append(node(part, keys));
      size += part.length;
      if (cut) next();
      rest = cut ? rest.slice(cut.at + cut.skip) : '';
    }
  }
  blocks.push(block);
  return blocks;
}

/** Where a block may end: at a line break, or anywhere if it is too long. */
function cutOf(text, size) {
  if (size + text.length <= BLOCK) return null;
  const at = text.indexOf('\n', Math.max(0, BLOCK - size));
  const room = LONGEST_BLOCK - size;
  if (at >= 0 && at <= Math.max(room, 0)) return { at, skip: 1 };
  return text.length > room ? { at: wholeCharacter(text, Math.max(room, 1)), skip: 0 } : null;
}

const wholeCharacter = (text, at) => at + (/[\ud800-\udbff]/.test(text[at - 1]) ? 1 : 0);
