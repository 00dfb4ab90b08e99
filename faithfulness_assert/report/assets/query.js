// Which cases are listed, in which order; and the part of the address after #.

const SORTS = { worst: 'worst first', input: 'as in the data', best: 'best first' };

/** The parameters in an address such as `#case=12&s=3`. */
function readHash(hash) {
  const found = {};
  for (const part of hash.replace(/^#/, '').split('&')) {
    const [name, ...value] = part.split('=');
    if (name && value.length) found[decoded(name)] = decoded(value.join('='));
  }
  return found;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function writeHash(values) {
  const parts = Object.entries(values).filter(([, value]) => value !== '' && value !== undefined);
  return `#${parts.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')}`;
}

const encoded = (value) => encodeURIComponent(wellFormed(String(value)));
const wellFormed = (text) => text.replace(/[\ud800-\udfff]/gu, '\ufffd');

/** The places of the cases that match, in order. */
function selected(cases, query, names) {
  const wanted = conditions(query, names);
  const found = cases.filter((item) => wanted.every((holds) => holds(item)));
  return sorted(found, query.sort);
}

function conditions(query, names) {
  const made = [];
  const words = searchedFor(query.q ?? '');
  if (words.length) made.push((item) => words.every((word) => item.words.includes(word)));
  if (query.kind) made.push((item) => item.kind === query.kind);
  if (query.outcome) made.push((item) => item.outcome === query.outcome);
  if (query.status) made.push((item) => item.status === query.status);
  if (query.label) {
    const label = names.labels.indexOf(query.label);
    made.push((item) => item.has(label));
  }
  if (query.flag) {
    const flag = names.flags.indexOf(query.flag);
    made.push((item) => item.hasFlag(flag));
  }
  for (const [name, place, values] of names.slices) {
    const wanted = query[`by.${name}`];
    if (!wanted) continue;
    const value = values.indexOf(wanted);
    made.push((item) => value >= 0 && item.values[place] === value);
  }
  return made;
}

/** The words of a search; words in quotes are one. */
const searchedFor = (text) => [...text.toLowerCase().matchAll(/"([^"]+)"?|\S+/g)].map(([all, inner]) => inner ?? all);

function sorted(cases, order) {
  if (order === 'input' || (cases.length && cases[0].badness === undefined)) return cases;
  const sign = order === 'best' ? -1 : 1;
  return cases.sort((a, b) => sign * (b.badness - a.badness) || a.place - b.place);
}
