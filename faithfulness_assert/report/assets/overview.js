// The list of cases with its filters.

/** `changed(query)` lists the cases that match; `openFirst()` opens the first of them, on Enter. */
function filterForm(form, report, changed, openFirst) {
  const search = element('input', { type: 'search', id: 'search', placeholder: 'words in ids, answers, statements', autocomplete: 'off' });
  const fields = { q: search };
  const choice = (name, title, options, least = 2) => {
    if (options.length < least) return null;
    fields[name] = element('select', { 'aria-label': title }, element('option', { value: '' }, 'all'), options.map(([value, words]) => element('option', { value }, words)));
    return element('label', {}, title, fields[name]);
  };
  const clear = element('button', { type: 'button', hidden: true }, 'Clear');
  append(form, [
    element('label', { class: 'search' }, 'Search', search),
    report.compare ? choice('kind', 'Change', Object.keys(KINDS).map((kind) => [kind, kind === 'status' || kind === 'score' ? KINDS[kind] : kind])) : choices(report, choice),
    clear,
  ]);
  const read = () => Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value]));
  const write = (query) => {
    for (const [name, field] of Object.entries(fields)) field.value = query[name] ?? '';
  };
  const update = () => {
    const query = read();
    clear.hidden = !Object.values(query).some(Boolean);
    changed(query);
  };
  form.addEventListener('input', update);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    openFirst();
  });
  clear.addEventListener('click', () => {
    write({});
    update();
    search.focus();
  });
  form.hidden = false;
  return { search, write: (query) => (write(query), update()), read };
}

function choices({ cases, names }, choice) {
  const results = cases.flatMap((item) => item.sides?.filter(Boolean) ?? [item]);
  const used = (of) => [...new Set(results.flatMap(of))];
  const labels = used((one) => one.rows.map(([label]) => label));
  const statuses = used((one) => one.status);
  const flags = used((one) => one.rows.flatMap((row) => row[4] ?? []));
  const worst = [...labels].sort((a, b) => severity(a) - severity(b));
  const inSlices = names.slices.map(([name, , values]) => choice(`by.${name}`, name, [...values].sort().map((value) => [value, value])));
  return [
    choice('outcome', 'Answer', Object.entries(OUTCOMES)),
    choice('label', 'Has a statement', worst.map((name) => [name, labelled(name).words])),
    choice('status', 'Status', statuses.map((name) => [name, inWords(name)])),
    choice('flag', 'Flag', flags.map((name) => [name, inWords(name)]), 1),
    inSlices,
  ];
}

/** A row of the list: the score, the name with what stands beside it, and a line of text. */
function rowLink(hash, item, [score, below], beside, style, ...line) {
  const name = element('span', { class: 'name' }, quoted(item.id.slice(0, 200)));
  return element(
    'a',
    { href: hash },
    element('span', { class: 'score' }, element('span', { class: 'value' }, score), below),
    element('span', { class: 'text' }, element('span', { class: 'first' }, name, beside), element('span', { class: `line quote ${style}` }, line)),
  );
}

function caseLink(item, hash) {
  const worst = item.statements[item.worst];
  const label = worst && labelled(worst.label);
  const text = quoted((worst?.text ?? item.answer ?? '').slice(0, 300));
  const score = [scoreText(item.score), element('span', { class: `badge outcome-${item.outcome}` }, OUTCOMES[item.outcome])];
  const beside = [item.status === 'graded' ? null : element('span', {}, inWords(item.status)), tally(item)];
  if (!label) return rowLink(hash, item, score, beside, '', text);
  return rowLink(hash, item, score, beside, label.style, element('span', { class: 'sign' }, `${label.sign} `), hiddenText(`${label.words}: `), text);
}

function tally(item) {
  const parts = item.tally.map(({ label, count }, number) => {
    const { sign, words, style } = labelled(label);
    return element('span', { class: `${style}${number > 1 ? ' more-labels' : ''}`, title: `${words}: ${count}` }, element('span', { 'aria-hidden': 'true' }, `${sign} ${count}`), hiddenText(`${words}: ${count}`));
  });
  return element('span', { class: 'tally' }, parts);
}

function changeLink(item, hash) {
  const [before, after] = item.sides.map((side) => scoreText(side?.score ?? null));
  const kind = element('span', { class: `badge kind-${item.kind}` }, KINDS[item.kind].split(':')[0]);
  return rowLink(hash, item, [after, element('span', { class: 'hint' }, `was ${before}`)], kind, '', whatChanged(item));
}

/** The statement whose label changed, else the statuses, else the worst statement of the worse answer. */
function whatChanged(item) {
  const [before, after] = item.sides;
  if (item.flips.length) {
    const [{ text, ...flip }] = item.flips;
    const [from, to] = [labelled(flip.before), labelled(flip.after)];
    return [`${from.sign} → ${to.sign} `, hiddenText(`from ${from.words} to ${to.words}: `), quoted(text.slice(0, 300))];
  }
  if (before && after && before.status !== after.status) return `${inWords(before.status)} → ${inWords(after.status)}`;
  const [side, other, run] = item.kind === 'improved' ? [before, after, 'A'] : [after, before, 'B'];
  const statement = side?.statements[side.worst];
  if (!statement) return '';
  const { sign, words, style } = labelled(statement.label);
  const where = other?.statements.some(({ text }) => text === statement.text) ? 'in both' : `only in ${run}`;
  return [`${where}: `, element('span', { class: `sign ${style}`, 'aria-hidden': 'true' }, `${sign} `), hiddenText(`${words}: `), quoted(statement.text.slice(0, 300))];
}

const hiddenText = (text) => element('span', { class: 'visually-hidden' }, text);
