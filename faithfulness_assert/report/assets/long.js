// What is long is shown in parts, so that the work for a page follows from what it shows.

const FIRST_CHARACTERS = 2000;
const FIRST_ITEMS = 200;

/** A text of the data in an element that keeps its direction to itself. A button shows the rest of a long one. */
function quoted(value) {
  const text = String(value);
  if (text.length <= FIRST_CHARACTERS) return element('bdi', {}, text);
  const all = () => {
    made.classList.add('prose');
    made.replaceChildren(...blocksOf([{ text, keys: [] }], textNodes));
  };
  const rest = element('button', { type: 'button', class: 'rest', click: all }, `… Show all ${counted(text.length, 'character')}`);
  const made = element('bdi', {}, beginning(text, FIRST_CHARACTERS), rest);
  return made;
}

/** The beginning of a text, where the whole is shown elsewhere. */
function excerpt(value, most = FIRST_CHARACTERS) {
  const text = String(value);
  const first = beginning(text, most);
  return first.length < text.length ? `${first}… (${counted(text.length - first.length, 'more character')})` : text;
}

const beginning = (text, most) => text.slice(0, inCharacter(text, most) ? most - 1 : most);

/** Fills a list with a node for each item. Of many, only the first are made, and more by a button. */
function inParts(list, items, nodeOf) {
  let made = 0;
  const more = element('button', { type: 'button', class: 'more', click: () => add() });
  const add = () => {
    append(list, items.slice(made, made + FIRST_ITEMS).map(nodeOf));
    made = Math.min(made + FIRST_ITEMS, items.length);
    more.hidden = made === items.length;
    more.textContent = `Show more (${(items.length - made).toLocaleString('en')} left)`;
  };
  add();
  return more.hidden ? [list] : [list, more];
}

// Paper has no buttons.
addEventListener('beforeprint', () => {
  for (const button of document.querySelectorAll('#case .rest')) button.click();
});
