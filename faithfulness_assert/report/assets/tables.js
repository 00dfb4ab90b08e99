// Tables of markdown in a text, and texts with such tables.

// Browsers lay out each cell, also out of sight. Tables beyond these many cells stay text.
const MOST_CELLS = 4000;

/**
 * The nodes of a text with marked spans, as `blocksOf` makes them; its tables are tables.
 * `nodes(text, keys)` makes the nodes of a piece.
 */
function shownText(text, spans, nodes) {
  const between = slicer(pieces(text, spans));
  const shown = [];
  let from = 0;
  const prose = (end) => {
    if (end > from) shown.push(...blocksOf(between(from, end), nodes));
  };
  for (const { start, end, rows, sides } of tablesOf(text)) {
    prose(start - 1); // without the line break before it
    const cells = rows.map((row) => row.map(([first, last]) => between(first, last).map((piece) => nodes(piece.text, piece.keys))));
    shown.push(tableNode(cells, sides));
    from = end + 1; // without the line break after it
  }
  prose(text.length);
  return shown;
}

/** A function that gives the pieces between two places. Each call goes on behind the one before. */
function slicer(found) {
  let [nth, at] = [0, 0];
  return (start, end) => {
    const slice = [];
    while (nth < found.length && at < end) {
      const { text, keys } = found[nth];
      const part = text.slice(Math.max(start - at, 0), end - at);
      if (part) slice.push({ text: part, keys });
      if (at + text.length > end) break;
      at += text.length;
      nth += 1;
    }
    return slice;
  };
}

function tableNode(rows, sides) {
  const line = (cells, tag) => element('tr', {}, cells.map((cell, place) => element(tag, { class: sides[place] }, cell)));
  const [head, ...body] = rows;
  const made = element('table', {}, element('thead', {}, line(head, 'th')), element('tbody', {}, body.map((cells) => line(cells, 'td'))));
  return element('div', { class: 'table', tabindex: 0, role: 'group', 'aria-label': 'Table' }, made);
}

// ---------------------------------------------------------------- finding them

/**
 * The tables of a text: {start, end, rows, sides}. A row is a list of [start, end], one for each cell; the first row
 * is the header. Sides: the class of each column. Each cell of a row is there, also one that the header has no column for.
 */
function tablesOf(text) {
  const found = [];
  const lastBar = text.lastIndexOf('|');
  let [left, fence, header] = [MOST_CELLS, null, null];
  for (let at = 0; at <= lastBar; ) {
    let end = lineEnd(text, at);
    const opens = /^[ \t>]{0,20}(`{3}|~{3})/.exec(text.slice(at, Math.min(end, at + 30)))?.[1];
    if (opens && (!fence || opens === fence)) fence = fence ? null : opens;
    const table = header && !fence ? tableAt(text, header, [at, end], left) : null;
    if (table) {
      left -= table.cells;
      if (left < 0) break;
      found.push(table);
      end = table.end;
    }
    header = table || fence ? null : [at, end];
    at = end + 1;
  }
  return found;
}

/** The table with this header and this line under it; null if there is none. It is read until it has too many cells. */
function tableAt(text, header, under, most) {
  const [names, columns] = [header, under].map(([start, end]) => cellsOf(text, start, end, most));
  if (!columns.length || columns.length !== names.length) return null;
  const signs = columns.map(([first, last]) => /^(:?)-{1,100}(:?)$/.exec(text.slice(first, Math.min(last, first + 103))));
  if (signs.includes(null)) return null;
  const sides = signs.map(([, before, after]) => (after ? (before ? 'middle' : 'right') : null));
  const table = { start: header[0], end: under[1], rows: [names], sides, cells: names.length };
  while (table.end < text.length && table.cells <= most) {
    const end = lineEnd(text, table.end + 1);
    const row = cellsOf(text, table.end + 1, end, most);
    if (!row.length) break;
    table.rows.push(row);
    table.cells += row.length;
    table.end = end;
  }
  return table;
}

/** Where the cells of a line are, without the spaces around them, one more than `most` at most; none if it is no row. */
function cellsOf(text, start, end, most) {
  const [first, last] = trimmed(text, start, end);
  const cells = [];
  const line = text.slice(first, last);
  let from = line.startsWith('|') ? 1 : 0;
  for (let bar = line.indexOf('|', from); bar >= 0 && cells.length <= most; bar = line.indexOf('|', bar + 1)) {
    if (line[bar - 1] === '\\') continue;
    cells.push(trimmed(text, first + from, first + bar));
    from = bar + 1;
  }
  if (from && from < line.length) cells.push(trimmed(text, first + from, last));
  return cells;
}

function trimmed(text, start, end) {
  let [first, last] = [start, end];
  while (first < last && SPACES.has(text.charCodeAt(first))) first += 1;
  while (last > first && SPACES.has(text.charCodeAt(last - 1))) last -= 1;
  return [first, last];
}

function lineEnd(text, at) {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}
