// The page of a case in two runs, side by side.

function comparePage(item, details, links) {
  const sides = item.sides.map((side, number) => (side ? new Side(side, details[number] ?? {}, follow, ` in ${'AB'[number]}`) : null));
  function follow(statement, from) {
    state.active = from;
    links.chose(statement.place);
    pair(statement, from);
  }
  function pair(statement, from) {
    for (const other of sides) if (statement && other && other !== from) chooseTwin(other, statement, from);
  }
  const state = { active: sides[1] ?? sides[0] };
  const page = [
    element(
      'header',
      { class: 'case-head' },
      navigation(links),
      element('h1', { tabindex: -1 }, element('span', { class: 'lead-in' }, 'Case '), quoted(item.id)),
      element('p', { class: 'verdict' }, element('span', { class: `badge kind-${item.kind}` }, KINDS[item.kind])),
      flipList(item),
    ),
    element(
      'div',
      { class: 'columns aligned' },
      sides.map((side, number) => column(side, item.sides[number], details[number], 'AB'[number])),
    ),
  ];
  return { page, sides, active: () => state.active, pair: () => pair(state.active.statements[state.active.current], state.active) };
}

function column(side, item, detail, name) {
  if (!side) return element('div', { class: 'column' }, element('p', {}, `Not in ${name}.`));
  const lead = element(
    'div',
    { class: 'panel' },
    element('h2', {}, `Run ${name}: `, quoted(report.names.runs['AB'.indexOf(name)])),
    verdictLine(item),
    detail?.reason ? element('p', { class: 'hint' }, quoted(detail.reason)) : null,
  );
  return element('div', { class: 'column' }, lead, side.answer, side.selected, side.context, side.list ?? element('div'), detailsPanel(item, detail ?? {}, ` of ${name}`));
}

// The statement that says the same; in an answer of as many, else the one in the same place.
function chooseTwin(side, { text, place }, from) {
  const same = (other) => beginning(other, FIRST_CHARACTERS).trim().toLowerCase();
  if (!side.byText) {
    side.byText = new Map();
    for (const statement of [...side.statements].reverse()) side.byText.set(same(statement.text), statement.place);
  }
  const twin = side.byText.get(same(text)) ?? (side.statements.length === from.statements.length ? place : undefined);
  if (twin !== undefined) side.choose(twin, { quiet: true });
}

function flipList({ flips }) {
  if (!flips.length) return element('p', { class: 'hint' }, 'No statement that both answers contain has another label.');
  const rows = flips.slice(0, 50).map(({ text, before, after }) =>
    element('li', {}, element('span', { class: 'change' }, badge(labelled(before)), ' → ', badge(labelled(after)), ' '), quoted(text)),
  );
  return element('ul', { class: 'flips', 'aria-label': 'Statements with another label' }, rows);
}
