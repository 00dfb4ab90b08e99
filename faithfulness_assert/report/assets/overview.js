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
  const order = element('select', { 'aria-label': 'Order' }, Object.entries(SORTS).map(([value, words]) => element('option', { value }, words)));
  const clear = element('button', { type: 'button', hidden: true }, 'Clear');
  append(form, [
    element('label', { class: 'search' }, 'Search', search),
    report.compare ? choice('kind', 'Change', Object.keys(KINDS).map((kind) => [kind, kind === 'status' || kind === 'score' ? KINDS[kind] : kind])) : choices(report, choice),
    report.compare ? null : element('label', {}, 'Order', (fields.sort = order)),
    clear,
  ]);
  const read = () => Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value]));
  const write = (query) => {
    for (const [name, field] of Object.entries(fields)) field.value = query[name] ?? (name === 'sort' ? 'worst' : '');
    for (const [name, field] of Object.entries(fields)) if (field.value === '' && query[name] && name !== 'q') addOption(field, query[name]);
  };
  const update = () => {
    const query = read();
    clear.hidden = !Object.entries(query).some(([name, value]) => value && name !== 'sort');
    changed(query);
  };
  form.addEventListener('input', update);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    openFirst();
  });
  clear.addEventListener('click', () => {
    write({ sort: fields.sort?.value });
    update();
    search.focus();
  });
  form.hidden = false;
  return { search, write: (query) => (write(query), update()), read };
}

function addOption(field, value) {
  field.append(element('option', { value }, inWords(value)));
  field.value = value;
}

function choices({ cases, names }, choice) {
  const [outcomes, statuses, labels, flags] = [new Set(), new Set(), new Set(), new Set()];
  for (const item of cases) {
    outcomes.add(item.outcome);
    statuses.add(item.status);
    for (const row of item.rows) {
      labels.add(names.labels[row[0]]);
      for (const flag of row[4] ?? []) flags.add(names.flags[flag]);
    }
  }
  const byNames = (all, found) => all.filter((name) => found.has(name));
  const all = [...labels].sort((a, b) => severity(a) - severity(b));
  return [
    choice('outcome', 'Answer', byNames(Object.keys(OUTCOMES), outcomes).map((name) => [name, OUTCOMES[name]])),
    choice('label', 'Has a statement', all.map((name) => [name, labelled(name).words])),
    choice('status', 'Status', byNames(names.statuses, statuses).map((name) => [name, inWords(name)])),
    choice('flag', 'Flag', [...flags].map((name) => [name, inWords(name)]), 1),
    names.slices.map(([name, , values]) => choice(`by.${name}`, name, [...values].sort().map((value) => [value, value]))),
  ];
}

/** The content of a row of the list. */
function caseLink(item, hash) {
  const worst = item.worst >= 0 ? item.statements[item.worst] : null;
  const label = worst ? labelled(worst.label) : null;
  const text = worst ? worst.text.slice(0, 300) : (item.answer ?? '').slice(0, 300);
  return element(
    'a',
    { href: hash },
    element('span', { class: 'score' }, element('span', { class: 'value' }, scoreText(item.score)), element('span', { class: `badge outcome-${item.outcome}` }, OUTCOMES[item.outcome])),
    element(
      'span',
      { class: 'text' },
      element('span', { class: 'first' }, element('span', { class: 'name' }, quoted(item.id.slice(0, 200))), item.status === 'graded' ? null : element('span', {}, inWords(item.status)), tally(item)),
      element('span', { class: `line quote ${label?.style ?? ''}` }, label ? element('span', { class: 'sign' }, `${label.sign} `) : null, label ? hiddenText(`${label.words}: `) : null, quoted(text)),
    ),
  );
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
  return element(
    'a',
    { href: hash },
    element('span', { class: 'score' }, element('span', { class: 'value' }, after), element('span', { class: 'hint' }, `was ${before}`)),
    element(
      'span',
      { class: 'text' },
      element('span', { class: 'first' }, element('span', { class: 'name' }, quoted(item.id.slice(0, 200))), element('span', { class: `badge kind-${item.kind}` }, KINDS[item.kind].split(':')[0])),
      element('span', { class: 'line quote' }, whatChanged(item)),
    ),
  );
}

/** The statement whose label changed, else the statuses, else the worst statement of the worse answer. */
function whatChanged(item) {
  const [before, after] = item.sides;
  if (item.flips.length) {
    const [{ text, ...flip }] = item.flips;
    const [from, to] = [labelled(flip.before), labelled(flip.after)];
    return [`${from.sign} → ${to.sign} `, hiddenText(`from ${from.words} to ${to.words}: `), quoted(text.slice(0, 300))];
  }
  if (before?.status !== after?.status) return `${inWords(before?.status ?? 'missing')} → ${inWords(after?.status ?? 'missing')}`;
  const [side, run] = item.kind === 'improved' ? [before, 'A'] : [after, 'B'];
  const statement = side?.statements[side.worst];
  if (!statement) return '';
  const { sign, words, style } = labelled(statement.label);
  return [`only in ${run}: `, element('span', { class: `sign ${style}`, 'aria-hidden': 'true' }, `${sign} `), hiddenText(`${words}: `), quoted(statement.text.slice(0, 300))];
}

const hiddenText = (text) => element('span', { class: 'visually-hidden' }, text);
