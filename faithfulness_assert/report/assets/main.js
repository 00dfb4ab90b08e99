// Reads the data, and shows the list or a case as the address says.

const LONGEST_NAME = 500;
const report = { cases: [], names: null, compare: false, places: new Map(), order: [], details: null };
const view = { list: null, filters: null, query: {}, shown: null, scroll: 0, came: '#' };

addEventListener('error', (event) => failed(event.error ?? event.message));
addEventListener('unhandledrejection', (event) => failed(event.reason));

function failed(error) {
  const problem = error instanceof Error ? error.message : String(error);
  showProblem(`This report is damaged, or this browser is too old for it: ${problem}. The numbers of the overview are right.`);
}

function notStarted(error) {
  byId('count').textContent = 'The cases cannot be shown.';
  failed(error);
}

async function start() {
  if (typeof DecompressionStream === 'undefined') {
    showProblem('This browser cannot show the cases, because it lacks DecompressionStream. Use a newer one: Chrome or Edge 93, Safari 16.4, Firefox 113, or later.');
    return;
  }
  const meta = await readBlock('meta');
  report.names = meta;
  report.compare = meta.mode === 'compare';
  report.details = detailReader(meta);
  if (!meta.cases) return;
  await readRows(meta);
  prepareList();
  helpDialog(byId('help'));
  listenToKeys(actionOf);
  addEventListener('hashchange', route);
  await route();
  document.documentElement.dataset.ready = 'true';
  prepareSearch(0);
}

/** Makes the words of all cases in idle moments, so that the first search is as fast as all others. */
function prepareSearch(from) {
  const end = Math.min(from + 500, report.cases.length);
  for (let place = from; place < end; place += 1) void report.cases[place].words;
  if (end < report.cases.length) setTimeout(() => prepareSearch(end), 20);
}

async function readRows(meta) {
  const Kind = report.compare ? ChangedCase : Case;
  for (let number = 0; number < meta.rows.length; number += 1) {
    for (const row of await readBlock(`rows-${number}`)) {
      const item = new Kind(row, report.cases.length);
      report.cases.push(item);
      if (!report.places.has(item.id)) report.places.set(item.id, item.place);
    }
  }
}

// ---------------------------------------------------------------- the list

function prepareList() {
  view.list = new VirtualList(byId('list'), (item) => (report.compare ? changeLink : caseLink)(item, linkTo(item)));
  view.filters = filterForm(byId('filters'), report, listed, () => report.order.length && (location.hash = linkTo(report.order[0])));
}

function listed(query) {
  view.query = query;
  report.order = selected(report.cases, query, report.names);
  view.list.show(report.order);
  const all = report.cases.length;
  const found = report.order.length;
  const words = found === all ? counted(all, report.compare ? 'changed case' : 'case') : `${found.toLocaleString('en')} of ${counted(all, 'case')}`;
  byId('count').textContent = found ? words : 'No case matches.';
  if (!view.shown) history.replaceState(null, '', listHash());
}

function listHash() {
  const hash = writeHash(view.query);
  return hash === '#' ? location.pathname + location.search : hash;
}

const linkTo = (item, statement) => {
  const known = item.id.length <= LONGEST_NAME && report.places.get(item.id) === item.place;
  return writeHash({ ...(known ? { case: item.id } : { n: item.place }), s: statement === undefined ? '' : statement + 1 });
};

// ---------------------------------------------------------------- what the address says

async function route() {
  const wanted = readHash(location.hash);
  const place = wanted.case === undefined ? Number(wanted.n ?? NaN) : (report.places.get(wanted.case) ?? -1);
  showProblem('');
  if (report.cases[place]) return showCase(report.cases[place], Number(wanted.s) - 1);
  showList(wanted);
  if (wanted.case !== undefined || wanted.n !== undefined) showProblem(`This report has no case ${wanted.case ?? wanted.n}.`);
  else if (Object.keys(wanted).length) byId('cases').scrollIntoView({ block: 'start', behavior: 'instant' });
  return undefined;
}

function showList(query) {
  const from = view.shown;
  view.shown = null;
  byId('case').hidden = true;
  byId('case').replaceChildren();
  byId('overview').hidden = false;
  document.title = view.title ?? document.title;
  view.filters.write(query);
  if (!from) return;
  scrollTo({ top: view.scroll, behavior: 'instant' });
  view.list.render();
  const row = report.order.indexOf(from.item);
  if (row >= 0 && view.list.shown.has(row)) view.list.shown.get(row).querySelector('a').focus({ preventScroll: true });
}

async function showCase(item, statement) {
  if (view.shown?.item === item) {
    if (statement >= 0 && active().current !== statement) active().choose(statement, { scroll: 'statement', quiet: true });
    return;
  }
  if (!view.shown) {
    view.scroll = scrollY;
    view.title ??= document.title;
    if (!report.order.length) report.order = selected(report.cases, {}, report.names);
  }
  const detail = await report.details(item.place);
  const made = (report.compare ? comparePage : casePage)(item, detail, linksOf(item));
  view.shown = { item, ...made };
  replaceContent(byId('case'), made.page);
  byId('overview').hidden = true;
  byId('case').hidden = false;
  byId('case').dataset.place = item.place;
  document.title = visible(`Case ${item.id.slice(0, 200)} – ${view.title}`);
  scrollTo({ top: 0, behavior: 'instant' });
  byId('case').querySelector('h1').focus({ preventScroll: true });
  chooseFirst(statement);
}

/** The statement that the address names, or else the worst one. */
function chooseFirst(statement) {
  for (const side of view.shown.sides ?? [view.shown.side]) {
    if (side) side.choose(side === active() && statement >= 0 && side.statements[statement] ? statement : side.item.worst, { quiet: true });
  }
  view.shown.pair?.();
}

const active = () => (view.shown.active ? view.shown.active() : view.shown.side);

function linksOf(item) {
  const place = report.order.indexOf(item);
  const other = (by) => (place >= 0 && report.order[place + by] ? linkTo(report.order[place + by]) : null);
  return {
    back: backHash(),
    previous: other(-1),
    next: other(1),
    place: place < 0 ? '' : `${(place + 1).toLocaleString('en')} of ${report.order.length.toLocaleString('en')}`,
    link: linkTo(item),
    copy: copyLink,
    chose: (statement) => history.replaceState(null, '', linkTo(item, statement)),
  };
}

function backHash() {
  const hash = listHash();
  return hash.startsWith('#') ? hash : '#';
}

async function copyLink(event) {
  event.preventDefault();
  const link = event.target;
  const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
  link.textContent = copied ? 'Link copied' : 'Copy the address of this page';
  announce(link.textContent);
  setTimeout(() => (link.textContent = 'Copy link'), 2500);
}

// ---------------------------------------------------------------- keys

function actionOf(key) {
  if (key === '?') return () => byId('help').showModal();
  if (key === '/') return toSearch;
  return view.shown ? caseAction(key) : listAction(key);
}

function toSearch() {
  if (view.shown) location.hash = backHash();
  setTimeout(() => {
    view.filters.search.focus();
    view.filters.search.select();
  });
}

function listAction(key) {
  const focused = view.list.focused;
  const arrows = focused >= 0 ? { ArrowDown: 1, ArrowUp: -1 } : {};
  const by = { j: 1, k: -1, ...arrows }[key];
  return by === undefined ? null : () => view.list.focus(focused < 0 ? 0 : focused + by);
}

function caseAction(key) {
  const links = linksOf(view.shown.item);
  const go = (hash) => (hash ? () => (location.hash = hash) : null);
  const actions = {
    j: () => active().move(1),
    k: () => active().move(-1),
    w: () => active().choose(active().item.worst, { scroll: 'statement', focus: true }),
    ArrowRight: go(links.next),
    ArrowLeft: go(links.previous),
    Escape: () => (location.hash = links.back),
  };
  return actions[key] ?? null;
}

// The data follows this script in the file.
addEventListener('DOMContentLoaded', () => start().catch(notStarted));
