// Which cases are listed; and the part of the address after #.

/** The parameters in an address such as `#case=12&s=3`. */
const readHash = (hash) => Object.fromEntries(new URLSearchParams(hash.slice(1)));

function writeHash(values) {
  const parts = Object.entries(values).filter(([, value]) => value !== '' && value !== undefined);
  return `#${new URLSearchParams(parts)}`;
}

/** The cases that match, the worst first. */
function selected(cases, query, names) {
  const wanted = conditions(query, names);
  const found = cases.filter((item) => wanted.every((holds) => holds(item)));
  return found.sort((a, b) => b.badness - a.badness || a.place - b.place);
}

function conditions(query, names) {
  const made = [];
  const words = searchedFor(query.q ?? '');
  if (words.length) made.push((item) => words.every((word) => item.words.includes(word)));
  for (const name of ['kind', 'outcome', 'status']) {
    if (query[name]) made.push((item) => item[name] === query[name]);
  }
  if (query.label) made.push((item) => item.has(query.label));
  if (query.flag) made.push((item) => item.hasFlag(query.flag));
  for (const [name, place, values] of names.slices) {
    const value = values.indexOf(query[`by.${name}`]);
    if (value >= 0) made.push((item) => item.values[place] === value);
  }
  return made;
}

/** The words of a search; words in quotes are one. */
const searchedFor = (text) => [...text.toLowerCase().matchAll(/"([^"]+)"?|\S+/g)].map(([all, inner]) => inner ?? all);
