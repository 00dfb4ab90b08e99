// Cases, as report/case_view.py writes them.

/** One result. */
class Case {
  constructor(row, place) {
    const [id, number, status, outcome, score, threshold, question, answer, statements, badness, values] = row;
    this.place = place;
    this.id = id || String(number ?? place + 1);
    this.status = status;
    this.outcome = outcome;
    this.score = score;
    this.threshold = threshold;
    this.question = question;
    this.answer = answer;
    this.badness = badness;
    this.values = values ?? [];
    this.rows = statements;
  }

  /** The statements, each with the label's name, its span (or null), its text and its flags. */
  get statements() {
    this.kept ??= this.rows.map((row, place) => this.statementOf(row, place));
    return this.kept;
  }

  statementOf([label, start, end, text, flags], place) {
    const span = start >= 0 && end > start && this.answer !== null ? [start, end] : null;
    return {
      place,
      label,
      span,
      text: text || (span ? this.answer.slice(start, end) : ''),
      flags: flags ?? [],
    };
  }

  has(label) {
    return this.rows.some((row) => row[0] === label);
  }

  hasFlag(flag) {
    return this.rows.some((row) => row[4]?.includes(flag));
  }

  /** The place of the most serious statement; -1 without statements. */
  get worst() {
    let [found, least] = [-1, Infinity];
    this.rows.forEach((row, place) => {
      const rank = severity(row[0]);
      if (rank < least) [found, least] = [place, rank];
    });
    return found;
  }

  /** How many statements have each label, the most serious label first. */
  get tally() {
    const counts = new Map();
    for (const [label] of this.rows) counts.set(label, (counts.get(label) ?? 0) + 1);
    const named = [...counts].map(([label, count]) => ({ label, count }));
    return named.sort((a, b) => severity(a.label) - severity(b.label));
  }

  get words() {
    this.lower ??= [this.id, this.question, this.answer ?? '', ...this.rows.map((row) => row[3] || '')]
      .join('\n')
      .replace(/\s+/g, ' ')
      .toLowerCase();
    return this.lower;
  }
}

/** A case with another result in a second run. */
class ChangedCase {
  constructor([kind, first, second, flips], place) {
    this.place = place;
    this.badness = 0;
    this.kind = Object.keys(KINDS)[kind];
    this.sides = [first, second].map((row) => row && new Case(row, place)); // a new case is in B only
    this.id = this.sides[1].id;
    this.flips = flips.map(([text, before, after]) => ({ text, before, after }));
  }

  get words() {
    this.lower ??= this.sides.map((side) => side?.words ?? '').join('\n');
    return this.lower;
  }
}
