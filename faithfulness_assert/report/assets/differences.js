// Marks of the words that are wrong in a statement, and of what the context says instead: 22:00, 17:00.
// text/wrong_words.py finds them; here they are only shown.

/** The text with the first place of each of these words marked. */
function withMarks(text, words) {
  const parts = [];
  let from = 0;
  for (const [start, end] of placesOf(text, words)) {
    if (start < from) continue;
    parts.push(text.slice(from, start), element('mark', { class: 'differs' }, text.slice(start, end)));
    from = end;
  }
  return element('bdi', {}, parts, text.slice(from));
}

/** Where words begin and end in a text, in the order of the text. A part of a longer word is none. */
function placesOf(text, words) {
  const found = [];
  for (const word of words) {
    let at = text.indexOf(word);
    while (at >= 0 && (joins(text, at) || joins(text, at + word.length))) at = text.indexOf(word, at + 1);
    if (word && at >= 0) found.push([at, at + word.length]);
  }
  return found.sort((a, b) => a[0] - b[0]);
}

const LETTER = /[\p{L}\p{M}\p{N}]/u;
const joins = (text, at) => at > 0 && LETTER.test(text[at - 1]) && LETTER.test(text[at] ?? '');
