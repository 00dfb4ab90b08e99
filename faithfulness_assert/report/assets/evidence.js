// Where the evidence of statements is in the passages.

/** The passages of a case with the spans of its evidence, and for each statement the names `passage:start-end` of its evidence. */
function passagesOf(detail, verdicts) {
  const items = (detail.passages ?? []).map(([id, text]) => ({ id, text, spans: new Set() }));
  const of = verdicts.map((verdict) =>
    (verdict.e ?? []).map(([passage, start, end]) => {
      items[passage].spans.add(`${start}-${end}`);
      return `${passage}:${start}-${end}`;
    }),
  );
  return { items, of };
}

function evidenceText([passage, start, end, other], { items }) {
  const { id, text } = items[passage];
  return { from: id, text: other ?? text.slice(start, end) };
}

function remarks(statement, verdict) {
  const notes = [...new Set(statement.flags)].map(flagWords);
  if (verdict?.repeats) notes.push(`repeats ${verdict.repeats}`);
  return notes.length ? ` (${notes.join('; ')})` : '';
}
