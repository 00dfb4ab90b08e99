// Elements from data. Texts become text nodes, so whatever they contain is shown and never run.

const byId = (id) => document.getElementById(id);

/** A new element. Attributes that are null or false are left out; functions listen to events. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name, value);
    else if (value !== null && value !== false && value !== undefined) {
      made.setAttribute(name, value === true ? '' : String(value));
    }
  }
  append(made, children);
  return made;
}

function append(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : document.createTextNode(visible(String(child))));
  }
}

function replaceContent(parent, ...children) {
  parent.replaceChildren();
  append(parent, children);
}

// Characters that hide text or turn its direction are named, as the overview does.
const HIDDEN =
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\udb40-\udb43][\udc00-\udfff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function visible(text) {
  return text.replace(HIDDEN, (char) => {
    const code = char.codePointAt(0).toString(16).toUpperCase().padStart(4, '0');
    return `[U+${code}]`;
  });
}

/** Text of the data in an element that keeps its direction to itself. */
const quoted = (text) => element('bdi', {}, text);

function announce(text) {
  byId('announcer').textContent = visible(text);
}

function showProblem(text) {
  const place = byId('problem');
  place.hidden = !text;
  place.textContent = visible(text);
}
