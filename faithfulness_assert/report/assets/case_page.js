// The page of a case: what was answered, what the context says, how the score came about.

function casePage(item, detail, links) {
  const side = new Side(item, detail, (statement) => links.chose(statement.place));
  const page = [
    caseHead(item, detail, links),
    element(
      'div',
      { class: 'columns one' },
      element('div', { class: 'column first' }, side.answer, side.list, detailsPanel(item, detail)),
      element('div', { class: 'column side' }, side.selected, side.context),
    ),
  ];
  return { page, side };
}

function caseHead(item, detail, links) {
  const head = [
    navigation(links),
    element('h1', { tabindex: -1 }, element('span', { class: 'lead-in' }, 'Case '), quoted(item.id)),
    verdictLine(item),
    detail.reason ? element('p', {}, quoted(detail.reason)) : null,
    item.question ? element('p', { class: 'question' }, 'Question: ', quoted(item.question)) : null,
  ];
  if (detail.error) {
    head.push(element('p', { class: 'hint' }, `Error (${excerpt(detail.error[0], 200)}): `, quoted(detail.error[1]), ' It says nothing about the answer.'));
  }
  if (detail.warnings) {
    head.push(...inParts(element('ul', { class: 'notes', 'aria-label': 'Warnings' }), detail.warnings, (text) => element('li', {}, quoted(text))));
  }
  return element('header', { class: 'case-head' }, head);
}

function navigation({ back, previous, next, place, link, copy }) {
  const step = (words, sign, hash) => (hash ? element('a', { class: 'button', href: hash, 'aria-label': words }, sign) : null);
  return element(
    'nav',
    { 'aria-label': 'Cases' },
    element('a', { class: 'button', href: back }, '← All cases'),
    step('Previous case', '‹ Previous', previous),
    step('Next case', 'Next ›', next),
    element('span', { class: 'place' }, place),
    element('a', { class: 'button', href: link, click: copy }, 'Copy link'),
  );
}

function verdictLine(item) {
  const limit = item.threshold === null ? '' : `, passes from ${item.threshold}`;
  return element(
    'p',
    { class: 'verdict' },
    element('span', { class: `badge outcome-${item.outcome}` }, OUTCOMES[item.outcome]),
    element('span', {}, item.score === null ? 'no score' : `score ${item.score.toFixed(3)}${limit}`),
    item.status === 'graded' ? null : element('span', {}, `status: ${inWords(item.status)}`),
  );
}

/** Everything that explains the score and is no statement. */
function detailsPanel(item, detail, run = '') {
  const facts = detail.facts ?? {};
  const parts = [
    detail.calculation ? part('How the score is calculated', element('p', { class: 'calculation' }, quoted(detail.calculation))) : null,
    detail.ratings ? part('Ratings', pairs(Object.entries(detail.ratings))) : null,
    detail.scores ? part('Scores', pairs(Object.entries(detail.scores))) : null,
    detail.suggestions ? part('Suggestions of the judge', bullets(detail.suggestions)) : null,
    detail.citations ? part('Citations', citations(detail.citations)) : null,
    detail.skipped ? part('Not judged', bullets(detail.skipped.map((span) => skippedWords(span, item.answer)))) : null,
    part('Graded with', pairs(factRows(facts, detail.controls))),
    detail.columns ? part('Columns of the data set', pairs(Object.entries(detail.columns).map(([name, value]) => [name, plainText(value)]))) : null,
    detail.metadata ? element('details', {}, element('summary', {}, 'All other data'), element('pre', { tabindex: 0 }, quoted(JSON.stringify(detail.metadata, null, 2)))) : null,
  ];
  return element('section', { class: 'panel details later', 'aria-label': `Details${run}` }, parts);
}

const part = (title, content) => element('div', {}, element('h3', {}, title), content);
const bullets = (items) => inParts(element('ul', { class: 'plain' }), items, (item) => element('li', {}, quoted(item)));
const shortNumber = (value) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value);
const plainText = (value) => (typeof value === 'string' ? value : JSON.stringify(value));

function pairs(rows) {
  const shown = rows.filter(([, value]) => value !== null && value !== undefined && value !== '');
  return inParts(element('dl', { class: 'pairs' }), shown, ([name, value]) => element('div', {}, element('dt', {}, excerpt(inWords(name), 200)), element('dd', {}, quoted(shortNumber(value)))));
}

function factRows(facts, controls) {
  const rows = [
    ['policy', facts.policy],
    ['judge', facts.judge],
    ['share of statements with a verdict', facts.coverage],
    ['requests', facts.requests?.toLocaleString('en')],
    ['prompt tokens', facts.prompt?.toLocaleString('en')],
    ['completion tokens', facts.completion?.toLocaleString('en')],
    ['cost', facts.cost],
    ['seconds', facts.ms === undefined ? null : (facts.ms / 1000).toPrecision(3)],
  ];
  if (controls?.asked) rows.push(['controls failed', `${controls.failed ?? 0} of ${controls.asked}`]);
  return rows;
}

function citations({ invalid, uncited, sentences }) {
  const found = [];
  if (invalid.length) found.push(element('p', {}, 'Cited, but not a passage: ', quoted(invalid.join(', '))));
  if (uncited) found.push(element('p', {}, `${counted(uncited, 'sentence')} without a citation`));
  if (sentences.length) found.push(...bullets(sentences));
  return found.length ? found : [element('p', {}, 'Nothing is wrong with them.')];
}

function skippedWords([start, end, reason], answer) {
  if (answer === null || start < 0) return reason;
  const text = answer.slice(start, Math.min(end, start + 120));
  return `${excerpt(reason, 200)}: ${text}${end > start + 120 ? '…' : ''}`;
}
