// The data of the page: blocks of JSON, compressed with gzip, in base64.

const KEPT_BLOCKS = 8;

async function readBlock(name) {
  const place = byId(name);
  if (!place) throw new Error(`its block ${name} is missing, so the file was perhaps cut off. Copy it again`);
  const stream = new Blob([bytesOf(place.textContent)]).stream();
  return new Response(stream.pipeThrough(new DecompressionStream('gzip'))).json();
}

const bytesOf = (base64) => Uint8Array.fromBase64?.(base64) ?? Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

/** Reads values of a list of blocks, at these places: each block once. The blocks that were used last are kept. */
function reader(name, starts) {
  const kept = new Map();
  const blockOf = async (number) => {
    const block = kept.get(number) ?? (await readBlock(`${name}-${number}`));
    kept.delete(number);
    kept.set(number, block);
    if (kept.size > KEPT_BLOCKS) kept.delete(kept.keys().next().value);
    return block;
  };
  return async (places) => {
    const wanted = new Map();
    places.forEach((place, nth) => addTo(wanted, starts.filter((start) => start <= place).length - 1, nth));
    const values = [];
    for (const [number, all] of wanted) {
      const block = await blockOf(number);
      for (const nth of all) values[nth] = block[places[nth] - starts[number]];
    }
    return values;
  };
}

/** The details of a case, with the texts of its passages. */
function detailReader(meta) {
  const [details, passages] = [reader('details', meta.details), reader('passages', meta.passages)];
  const filled = async (detail) => {
    if (!detail?.passages) return detail;
    const texts = await passages(detail.passages.map(([, place]) => place));
    return { ...detail, passages: detail.passages.map(([id], number) => [id, texts[number]]) };
  };
  return async (place) => {
    const [detail] = await details([place]);
    return Array.isArray(detail) ? Promise.all(detail.map(filled)) : filled(detail);
  };
}
