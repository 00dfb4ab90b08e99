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
    parent.append(...(child instanceof Node ? [child] : textNodes(String(child))));
  }
}

function replaceContent(parent, ...children) {
  parent.replaceChildren();
  append(parent, children);
}

// Browsers take quadratic time to lay out a long run without spaces, in Arabic, Thai and other scripts.
const LONGEST_RUN = 200;
const SPACES = new Set([9, 10, 13, 32]);

/** The nodes that show a text. A line may end in each run that is too long. */
function textNodes(text) {
  const nodes = [];
  let [from, run] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    run = SPACES.has(text.charCodeAt(at)) ? 0 : run + 1;
    if (run > LONGEST_RUN && !inCharacter(text, at)) {
      nodes.push(document.createTextNode(visible(text.slice(from, at))), element('wbr'));
      [from, run] = [at, 1];
    }
  }
  nodes.push(document.createTextNode(visible(text.slice(from))));
  return nodes;
}

const inCharacter = (text, at) => /[\ud800-\udbff]/.test(text[at - 1] ?? '') && /[\udc00-\udfff]/.test(text[at] ?? '');

// Characters that hide text or turn its direction are named, as the overview does.
const HIDDEN =
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\udb40-\udb43][\udc00-\udfff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function visible(text) {
  return text.replace(HIDDEN, (char) => {
    const code = char.codePointAt(0).toString(16).toUpperCase().padStart(4, '0');
    return `[U+${code}]`;
  });
}

function announce(text) {
  byId('announcer').textContent = visible(text);
}

function showProblem(text) {
  const place = byId('problem');
  place.hidden = !text;
  place.textContent = visible(text);
}

function addTo(map, key, value) {
  if (map.has(key)) map.get(key).push(value);
  else map.set(key, [value]);
}
