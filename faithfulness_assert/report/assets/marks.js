// Texts with marked spans.

const MOST_COVERING = 50;
const BLOCK = 3000;
const LONGEST_BLOCK = 6000;

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
 * `nodes(text, keys)` makes the nodes of a piece. A line may end between pieces.
 */
function blocksOf(found, nodes) {
  let block = element('div');
  const blocks = [block];
  let size = 0;
  for (const { text, keys } of found) {
    for (let rest = text; rest; ) {
      const { at, skip } = cutOf(rest, size);
      if (at) block.append(...[nodes(rest.slice(0, at), keys)].flat(), element('wbr'));
      size += at;
      if (at < rest.length) {
        blocks.push((block = element('div')));
        size = 0;
      }
      rest = rest.slice(at + skip);
    }
  }
  return blocks;
}

/** Where a block may end: at a line break, or at a space or anywhere if it is too long. */
function cutOf(text, size) {
  if (size + text.length <= BLOCK) return { at: text.length, skip: 0 };
  const room = Math.max(LONGEST_BLOCK - size, 1);
  const at = text.slice(0, room + 1).indexOf('\n', Math.max(0, BLOCK - size));
  if (at >= 0) return { at, skip: 1 };
  if (text.length <= room) return { at: text.length, skip: 0 };
  const space = text.lastIndexOf(' ', room - 1) + 1;
  return { at: space > room - LONGEST_RUN ? space : room + (inCharacter(text, room) ? 1 : 0), skip: 0 };
}
