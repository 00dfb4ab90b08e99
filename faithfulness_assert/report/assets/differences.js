// Words in which a statement and a sentence of its context differ, such as 22:00 and 17:00.

const MOST_COMPARED = 3000;
const WORD = /\p{N}+(?:[.,:/-]\p{N}+)*|[\p{L}\p{M}]+/gu;

/** The text with the words marked that `other` lacks: all of them if the texts are much alike, else numbers only. */
function comparedWith(other, text) {
  if (!other || text.length + other.length > MOST_COMPARED) return quoted(text);
  const theirs = new Set(wordsIn(other));
  const own = wordsIn(text);
  const alike = own.filter((word) => theirs.has(word)).length >= own.length / 2;
  const parts = [];
  let from = 0;
  for (const found of text.matchAll(WORD)) {
    const [word] = found;
    if (theirs.has(word.toLowerCase()) || !(alike || /\p{N}/u.test(word))) continue;
    parts.push(text.slice(from, found.index), element('mark', { class: 'differs' }, word));
    from = found.index + word.length;
  }
  return element('bdi', {}, parts, text.slice(from));
}

const wordsIn = (text) => text.toLowerCase().match(WORD) ?? [];
