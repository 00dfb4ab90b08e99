// What labels, statuses and flags are called, and the sign of each label.

const LABELS = {
  supported: { sign: '✓', words: 'supported', says: 'The context supports it.' },
  partially_supported: { sign: '~', words: 'partially supported', says: 'The context supports a part of it.' },
  not_enough_info: { sign: '?', words: 'not in the context', says: 'Nothing in the context says this: it may be made up.' },
  contradicted: { sign: '✗', words: 'contradicted', says: 'The context says something else.' },
  not_a_claim: { sign: '·', words: 'not a claim', says: 'There is nothing in it that could be checked.' },
  unresolved: { sign: '!', words: 'no verdict', says: 'The judge gave no valid verdict, so it counts as not supported.' },
};
// The order in which statements are shown first, and marks win where they overlap.
const SEVERITY = ['contradicted', 'not_enough_info', 'unresolved', 'partially_supported'];

const OUTCOMES = { failed: 'fails', not_graded: 'not graded', passed: 'passes' };

const FLAGS = {
  no_such_evidence: 'the judge points at context that it was not shown',
  no_such_quote: 'the judge quotes what the context does not contain',
  number_not_found: 'a number or unit that is nowhere in the context',
  marked: 'the judge marks words of it as not supported',
  lowered: 'lowered from supported, because its evidence does not hold',
};

const KINDS = {
  regressed: 'regressed: passed in A, fails in B',
  improved: 'improved: failed in A, passes in B',
  status: 'another status',
  score: 'another score',
};

function labelled(name) {
  const own = Object.hasOwn(LABELS, name);
  const known = own ? LABELS[name] : { sign: '¿', words: name, says: 'This version does not know this label.' };
  return { ...known, name, style: `label-${own ? name : 'other'}` };
}

function severity(name) {
  const place = SEVERITY.indexOf(name);
  if (place >= 0) return place;
  return Object.hasOwn(LABELS, name) ? SEVERITY.length + 1 : SEVERITY.length;
}

const inWords = (name) => name.replaceAll('_', ' ');
const flagWords = (name) => (Object.hasOwn(FLAGS, name) ? FLAGS[name] : inWords(name));
const counted = (n, one, many = `${one}s`) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
const scoreText = (score) => (score === null ? '–' : score.toFixed(2));

const badge = (label) =>
  element('span', { class: `badge ${label.style}` }, element('span', { class: 'sign', 'aria-hidden': 'true' }, label.sign), ' ', label.words);

/** Where the wrong words are not, as `records/verdict_words.py` says it. */
function whereNot({ label, flags }, { e }) {
  if (flags.includes('marked')) return 'Marked as not supported';
  if (label === 'supported') return 'Nowhere in the context';
  return e?.length ? 'Not in the evidence' : 'Not in the context';
}
