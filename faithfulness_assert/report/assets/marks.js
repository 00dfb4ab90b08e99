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
 * `nodes(text, keys)` makes the nodes of a piece.
 */
function blocksOf(found, nodes) {
  const blocks = [];
  let [block, size, run] = [element('div'), 0, 0];
  const next = () => {
    blocks.push(block);
    [block, size, run] = [element('div'), 0, 0];
  };
  for (const { text, keys } of found) {
    for (let rest = text; rest; ) {
      const cut = cutOf(rest, size);
      const part = cut ? rest.slice(0, cut.at) : rest;
      if (run > LONGEST_RUN) [run] = [0, block.append(element('wbr'))];
      if (part) block.append(...[nodes(part, keys)].flat());
      size += part.length;
      const last = lastRun(part);
      run = last === part.length ? run + last : last;
      if (cut) next();
      rest = cut ? rest.slice(cut.at + cut.skip) : '';
    }
  }
  blocks.push(block);
  return blocks;
}

/** Where a block may end: at a line break, or at a space or anywhere if it is too long. */
function cutOf(text, size) {
  if (size + text.length <= BLOCK) return null;
  const room = Math.max(LONGEST_BLOCK - size, 1);
  const at = text.slice(0, room + 1).indexOf('\n', Math.max(0, BLOCK - size));
  if (at >= 0) return { at, skip: 1 };
  if (text.length <= room) return null;
  const space = text.lastIndexOf(' ', room - 1) + 1;
  return { at: space > room - LONGEST_RUN ? space : room + (inCharacter(text, room) ? 1 : 0), skip: 0 };
}

/** How many characters a text has after its last space, as far as it matters. */
function lastRun(text) {
  const end = text.slice(-LONGEST_RUN - 1);
  let run = 0;
  while (run < end.length && !SPACES.has(end.charCodeAt(end.length - 1 - run))) run += 1;
  return run;
}
