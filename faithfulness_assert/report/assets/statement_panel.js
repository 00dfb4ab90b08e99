// One result of a case: the answer with its statements, the passages, and the chosen statement.

const FIRST_PASSAGES = 100;
const MOST_LIT = 200;

/** The parts of a page that show one result. They follow `choose`. */
class Side {
  /** `chosen(statement)` is called after a statement was chosen. `run`: ' in A' if there are two. */
  constructor(item, detail, chosen, run = '') {
    Object.assign(this, { item, detail, chosen, run });
    this.current = -1;
    this.statements = item.statements;
    this.verdicts = detail.verdicts ?? [];
    this.marks = new Map();
    this.lit = [];
    this.passages = passagesOf(detail, this.verdicts);
    this.answer = this.answerPanel();
    this.selected = element('section', { class: 'panel selected', 'aria-label': `Chosen statement${run}`, tabindex: 0 });
    this.context = this.contextPanel();
    this.list = this.statements.length ? this.listPanel() : null;
    this.selected.hidden = !this.statements.length;
  }

  // ------------------------------------------------------------ the answer

  answerPanel() {
    const panel = element('section', { class: 'panel', 'aria-label': `Answer${this.run}` }, element('h2', {}, 'Answer'));
    if (this.item.answer === null) {
      panel.append(element('p', { class: 'hint' }, 'The answer itself is not in this report. These are its statements:'));
    }
    const prose = element('div', { class: 'prose', dir: 'auto' });
    prose.append(...(this.item.answer === null ? this.statementLines() : this.answerBlocks()));
    prose.addEventListener('click', (event) => this.pressed(event.target.closest('.mark')));
    prose.addEventListener('keydown', (event) => {
      const mark = event.target.closest('.mark');
      if (!mark || !['Enter', ' '].includes(event.key)) return;
      event.preventDefault();
      this.pressed(mark);
    });
    panel.append(prose);
    if (this.statements.length) panel.append(this.key());
    return panel;
  }

  answerBlocks() {
    const spans = this.statements.filter(({ span }) => span);
    const ranges = spans.map(({ span: [start, end], place }) => ({ start, end, key: place }));
    const skipped = (this.detail.skipped ?? []).filter(([start]) => start >= 0);
    const others = skipped.map((span) => ({ start: span[0], end: span[1], key: span }));
    let last = null;
    return blocksOf(pieces(this.item.answer, [...ranges, ...others]), (text, keys) => {
      const places = keys.filter((key) => typeof key === 'number');
      if (!keys.length) return textNodes(text);
      const made = places.length ? this.mark(text, places, last) : skippedNode(text, keys[0], last);
      last = made.primary;
      return made.node;
    });
  }

  statementLines() {
    return this.statements.slice(0, 2000).map(({ text, place }) => element('div', {}, this.mark(excerpt(text), [place], null).node));
  }

  /** The mark of a piece of the answer. Of several statements, the most serious one gives the style. */
  mark(text, places, last) {
    const rank = (place) => severity(this.statements[place].label);
    const primary = places.reduce((a, b) => (rank(b) < rank(a) ? b : a));
    const label = labelled(this.statements[primary].label);
    const node = element(
      'span',
      {
        class: `mark ${label.style}${primary === last ? ' follows' : ''}`,
        role: 'button',
        tabindex: -1,
        'aria-pressed': 'false',
        'data-sign': label.sign,
      },
      primary === last ? null : element('span', { class: 'visually-hidden' }, `${label.words}: `),
      text,
    );
    node.places = places;
    for (const place of places) addTo(this.marks, place, node);
    return { node, primary };
  }

  /** A click on a mark chooses its statement; another click the next one that covers it. */
  pressed(mark) {
    if (!mark) return;
    const rank = (place) => severity(this.statements[place].label);
    const places = [...mark.places].sort((a, b) => rank(a) - rank(b) || a - b);
    this.choose(places[(places.indexOf(this.current) + 1) % places.length], { scroll: 'evidence' });
  }

  key() {
    const labels = this.item.tally.map(({ label, count }) => {
      const { sign, words, style } = labelled(label);
      return element('span', { class: style }, element('span', { class: 'sign', 'aria-hidden': 'true' }, sign), ` ${words}: ${count}`);
    });
    return element('p', { class: 'key' }, labels);
  }

  // ------------------------------------------------------------ the context

  contextPanel() {
    const panel = element('section', { class: 'panel context', 'aria-label': `Context${this.run}`, tabindex: 0 }, element('h2', {}, 'Context'));
    if (!this.detail.complete) {
      const none = this.passages.items.length ? 'The passages are not in this report. These are the sentences that the judge names:' : 'The context is not in this report, and the judge names no sentence of it.';
      panel.append(element('p', { class: 'hint' }, none));
    } else if (!this.passages.items.length) {
      panel.append(element('p', { class: 'hint' }, 'The context was empty: nothing was retrieved.'));
    }
    this.evidence = new Map();
    this.shown = new Map();
    this.passageList = element('div');
    this.more = element('button', { type: 'button', class: 'more', click: () => this.morePassages() });
    panel.append(this.passageList, this.more);
    this.morePassages();
    return panel;
  }

  morePassages() {
    const all = this.passages.items.length;
    const end = Math.min(this.shown.size + FIRST_PASSAGES, all);
    for (let number = 0; this.shown.size < end; number += 1) this.showPassage(number);
    this.more.hidden = this.shown.size === all;
    this.more.textContent = `Show more (${(all - this.shown.size).toLocaleString('en')} left)`;
  }

  /** Puts a passage into its place among those that are shown. */
  showPassage(number) {
    if (this.shown.has(number) || !this.passages.items[number]) return;
    const node = this.passage(this.passages.items[number], number);
    let next = null;
    for (const other of this.shown.keys()) if (other > number && (next === null || other < next)) next = other;
    this.passageList.insertBefore(node, next === null ? null : this.shown.get(next));
    this.shown.set(number, node);
  }

  /** The nodes of evidence by its name, in a passage that is shown from now on. */
  evidenceNodes(name) {
    this.showPassage(parseInt(name, 10));
    return this.evidence.get(name) ?? [];
  }

  passage({ id, text, spans }, number) {
    const node = (part, keys) => {
      if (!keys.length) return textNodes(part);
      const made = element('span', { class: 'evidence' }, part);
      for (const key of keys) {
        addTo(this.evidence, `${number}:${key}`, made);
      }
      return made;
    };
    const ranges = [...spans].map((key) => {
      const [start, end] = key.split('-').map(Number);
      return { start, end, key };
    });
    const prose = element('div', { class: 'prose', dir: 'auto' });
    prose.append(...blocksOf(pieces(text, ranges), node));
    return element('section', { class: 'passage', 'aria-label': visible(`Passage ${excerpt(id, 200)}${this.run}`) }, element('h3', {}, 'Passage ', quoted(id)), prose);
  }

  // ------------------------------------------------------------ the list of statements

  listPanel() {
    const list = element('ol', { class: 'statements' });
    this.buttons = [];
    const rows = inParts(list, this.statements, (statement) => this.listed(statement));
    return element('section', { class: 'panel later', 'aria-label': `All statements${this.run}` }, element('h2', {}, `All statements (${this.statements.length.toLocaleString('en')})`), rows);
  }

  listed(statement) {
    const label = labelled(statement.label);
    const { r: reason } = this.verdicts[statement.place] ?? {};
    const button = element(
      'button',
      { type: 'button', class: label.style, 'aria-pressed': 'false', click: () => this.choose(statement.place, { scroll: 'evidence' }) },
      element('span', { class: 'label' }, `${label.sign} ${statement.place + 1}. ${label.words}${remarks(statement, this.verdicts[statement.place])}`),
      element('bdi', {}, excerpt(statement.text)),
      reason ? element('span', { class: 'note' }, element('bdi', {}, excerpt(reason))) : null,
    );
    this.buttons.push(button);
    return element('li', {}, button);
  }

  // ------------------------------------------------------------ choosing

  /** Shows a statement. `scroll`: 'evidence', 'statement', both apart by a space, or nothing. */
  choose(place, { scroll = '', quiet = false, focus = false } = {}) {
    if (!this.statements[place]) return;
    for (const node of this.marks.get(this.current) ?? []) node.setAttribute('aria-pressed', 'false');
    this.buttons?.[this.current]?.setAttribute('aria-pressed', 'false');
    for (const mark of this.answer.querySelectorAll('.mark[tabindex="0"]')) mark.tabIndex = -1;
    this.current = place;
    const marks = this.marks.get(place) ?? [];
    for (const node of marks) node.setAttribute('aria-pressed', 'true');
    if (marks.length) marks[0].tabIndex = 0;
    this.buttons?.[place]?.setAttribute('aria-pressed', 'true');
    this.light(place);
    this.describe(place);
    if (focus && marks.length) marks[0].focus({ preventScroll: true });
    if (scroll.includes('statement')) intoView(marks[0] ?? this.buttons?.[place]);
    if (scroll.includes('evidence')) intoView(this.lit[0] ?? this.selected);
    else if (this.lit[0]) within(this.context, this.lit[0]);
    if (!quiet) this.chosen(this.statements[place], this);
  }

  light(place) {
    for (const node of this.lit) node.classList.remove('lit');
    const names = [...new Set(this.passages.of[place])].slice(0, MOST_LIT);
    this.lit = [...new Set(names.flatMap((name) => this.evidenceNodes(name)))];
    for (const node of this.lit) node.classList.add('lit');
  }

  describe(place) {
    const statement = this.statements[place];
    const label = labelled(statement.label);
    const verdict = this.verdicts[place] ?? {};
    this.selected.className = `panel selected ${label.style}`;
    const step = (by) => () => this.choose(place + by, { scroll: 'statement' });
    replaceContent(
      this.selected,
      element(
        'div',
        { class: 'steps' },
        badge(label),
        element('span', { class: 'hint' }, `statement ${place + 1} of ${this.statements.length}`),
        element(
          'span',
          { class: 'buttons' },
          element('button', { type: 'button', 'aria-label': 'Previous statement', disabled: place === 0, click: step(-1) }, '↑'),
          element('button', { type: 'button', 'aria-label': 'Next statement', disabled: place === this.statements.length - 1, click: step(1) }, '↓'),
        ),
      ),
      element('p', { class: 'what' }, withMarks(statement.text || '(a statement without text)', verdict.w ?? [])),
      element('p', { class: 'hint' }, label.says),
      element('dl', {}, this.judged(statement, verdict)),
    );
    announce(`Statement ${place + 1}: ${label.words}. ${counted(this.lit.length, 'place')} in the context.`);
  }

  judged(statement, verdict) {
    const rows = [];
    const row = (name, ...values) => rows.push(element('div', {}, element('dt', {}, name), element('dd', {}, ...values)));
    if (verdict.w) row(whereNot(statement, verdict), verdict.w.map((word, number) => [number ? ', ' : '', '“', quoted(word), '”']));
    if (verdict.s) row('The context says', quoted(verdict.s[0]));
    if (verdict.r) row('Why, in the judge’s words', quoted(verdict.r));
    if (verdict.e?.length) row('Evidence that the judge names', this.evidenceButtons(verdict.e, statement));
    else if (statement.label !== 'not_a_claim') {
      row('Evidence', 'The judge names none.');
      if (verdict.n) {
        const { from, text } = evidenceText(verdict.n, this.passages);
        row('Nearest in the context, by its words', element('q', {}, withMarks(text, verdict.s ?? [])), element('span', { class: 'hint' }, ' passage ', quoted(from)));
      }
    }
    if (statement.flags.length) row('Flags', element('ul', {}, [...new Set(statement.flags)].map((flag) => element('li', {}, flagWords(flag)))));
    if (verdict.u) row('No valid verdict', `the verdict is ${inWords(verdict.u)}, also after asking again`);
    if (verdict.repeats) row('Repeats', `statement ${verdict.repeats}, and does not count again`);
    if (verdict.shown !== undefined) row('Long context', `the judge was shown ${(verdict.shown * 100).toPrecision(2)} % of it with this statement`);
    if (!statement.span && this.item.answer !== null) row('Place', 'It has no place of its own in the answer.');
    return rows;
  }

  evidenceButtons(items, statement) {
    const pairs = items.map((item, number) => [item, this.passages.of[statement.place][number]]);
    return inParts(element('div'), pairs, ([item, name]) => this.evidenceButton(item, name, statement));
  }

  evidenceButton(item, name, statement) {
    const { text, from } = evidenceText(item, this.passages);
    const go = () => intoView(this.evidenceNodes(name)[0]);
    const source = element('span', { class: 'from' }, 'passage ', element('bdi', {}, excerpt(from, 200)));
    const shown = text.length > FIRST_CHARACTERS ? element('bdi', {}, excerpt(text)) : withMarks(text, this.verdicts[statement.place]?.s ?? []);
    return element('button', { type: 'button', class: 'evidence-link', click: go }, source, shown);
  }

  /** Chooses the statement that is `by` places further. */
  move(by) {
    const place = Math.min(Math.max(this.current + by, 0), this.statements.length - 1);
    this.choose(place, { scroll: 'statement', focus: true });
  }
}

/** A piece of a span that was not judged. Its first piece says why. */
function skippedNode(text, span, last) {
  const why = visible(`not judged: ${excerpt(span[2], 200)}`);
  return { node: element('span', { class: 'skipped', 'data-why': span === last ? null : why }, text), primary: span };
}

// ---------------------------------------------------------------- bringing things into view

const behavior = () => (matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth');

/** Scrolls a panel that scrolls by itself, or else the page. */
function intoView(node) {
  if (!node) return;
  const panel = node.closest('.context');
  if (panel && panel.scrollHeight > panel.clientHeight + 1) {
    within(panel, node);
    if (!inSight(panel)) panel.scrollIntoView({ block: 'nearest', behavior: behavior() });
  } else {
    centre(node);
  }
}

/** Far places are jumped to. The heights on the way there are only estimated, so it may need a few jumps. */
function centre(node, tries = 4) {
  if (inSight(node) || !tries) return;
  const far = Math.abs(node.getBoundingClientRect().top) > 3 * innerHeight;
  node.scrollIntoView({ block: 'center', behavior: far || tries < 4 ? 'instant' : behavior() });
  if (far) requestAnimationFrame(() => requestAnimationFrame(() => centre(node, tries - 1)));
}

function within(panel, node) {
  const [outer, inner] = [panel.getBoundingClientRect(), node.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom) panel.scrollTop += inner.top - outer.top - outer.height / 3;
}

function inSight(node) {
  const { top, bottom } = node.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}
