// Where the evidence of statements is in the passages.

/**
 * The passages of a case with the spans of its evidence, and for each statement the names
 * `passage:start-end` of its evidence. Without passages, they are made of the evidence itself.
 */
function passagesOf(detail, verdicts) {
  const complete = Boolean(detail.passages);
  const items = (detail.passages ?? []).map(([id, text]) => ({ id, text, spans: new Set() }));
  const byName = new Map();
  const of = verdicts.map((verdict) => (verdict.e ?? []).map((item) => placeOf(item, items, byName)));
  return { complete, items, of };
}

function placeOf([passage, start, end], items, byName) {
  if (typeof passage === 'number') {
    items[passage].spans.add(`${start}-${end}`);
    return `${passage}:${start}-${end}`;
  }
  const [id, , text] = [passage, start, end];
  if (!byName.has(id)) byName.set(id, items.push({ id, text: '', spans: new Set(), made: true }) - 1);
  const number = byName.get(id);
  const made = items[number];
  made.places ??= new Map();
  if (!made.places.has(text)) {
    if (made.text) made.text += '\n';
    made.places.set(text, made.text.length);
    made.text += text;
  }
  const from = made.places.get(text);
  made.spans.add(`${from}-${from + text.length}`);
  return `${number}:${from}-${from + text.length}`;
}

function evidenceText(item, passages) {
  if (typeof item[0] !== 'number') return { from: item[0], text: item[2] };
  const { id, text } = passages.items[item[0]];
  return { from: id, text: item[3] ?? text.slice(item[1], item[2]) };
}

function remarks(statement, verdict) {
  const notes = [...new Set(statement.flags)].map(flagWords);
  if (verdict?.repeats) notes.push(`repeats ${verdict.repeats}`);
  return notes.length ? ` (${notes.join('; ')})` : '';
}

// ---------------------------------------------------------------- the nearest sentence

const MOST_SEARCHED = 200000;

/** Finds sentences of the passages by their words, for people. */
class Sentences {
  constructor(passages) {
    this.having = new Map();
    for (const sentence of sentencesOf(passages)) {
      for (const word of wordsOf(sentence.text)) addTo(this.having, word, sentence);
    }
  }

  /** The sentence that shares the rarest words with (the beginning of) a text; null if none does. */
  nearest(text) {
    const scores = new Map();
    for (const word of wordsOf(beginning(text, FIRST_CHARACTERS))) {
      const found = this.having.get(word) ?? [];
      for (const sentence of found) scores.set(sentence, (scores.get(sentence) ?? 0) + 1 / found.length);
    }
    let [best, most] = [null, 0];
    for (const [sentence, score] of scores) {
      if (score > most || (score === most && sentence.place < best.place)) [best, most] = [sentence, score];
    }
    return best;
  }
}

function sentencesOf(passages) {
  if (typeof Intl.Segmenter === 'undefined') return [];
  const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
  const found = [];
  let left = MOST_SEARCHED;
  for (const { id, text } of passages) {
    for (const { segment } of segmenter.segment(text.slice(0, Math.max(left, 0)))) {
      if (segment.trim()) found.push({ id, text: segment.trim(), place: found.length });
    }
    left -= text.length;
  }
  return found;
}

const wordsOf = (text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []);
