// What outcomes and changes are called. Labels and flags are called as report/overview.py and records/views.py say.

const OUTCOMES = { failed: 'fails', not_graded: 'not graded', passed: 'passes' };

const KINDS = {
  regressed: 'regressed: passed in A, fails in B',
  new: 'new and failed: only in B',
  improved: 'improved: failed in A, passes in B',
  status: 'another status',
  score: 'another score',
};

/** The sign of a label, its words, what it says, and its style. */
function labelled(name) {
  return { ...report.names.words[name], name, style: `label-${name}` };
}

/** The place of a label among all, the worst first. */
function severity(name) {
  return Object.keys(report.names.words).indexOf(name);
}

const inWords = (name) => name.replaceAll('_', ' ');
const flagWords = (name) => report.names.flagWords.find(([known]) => known === name)?.[1] ?? inWords(name);
const counted = (n, one, many = `${one}s`) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
const scoreText = (score) => (score === null ? '–' : score.toFixed(2));

const badge = (label) =>
  element('span', { class: `badge ${label.style}` }, element('span', { class: 'sign', 'aria-hidden': 'true' }, label.sign), ' ', label.words);

/** Where the wrong words are not, as `records/views.py` says it. */
function whereNot({ label, flags }, { e }) {
  if (flags.includes('marked')) return 'Marked as not supported';
  if (label === 'supported') return 'Nowhere in the context';
  return e?.length ? 'Not in the evidence' : 'Not in the context';
}
