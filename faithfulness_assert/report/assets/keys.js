// Keys, and the dialog that lists them.

const KEYS = [
  ['j or ↓', 'next case in the list; in a case (j), the next statement'],
  ['k or ↑', 'previous case in the list; in a case (k), the previous statement'],
  ['Enter', 'open the case; in the search, the first one; in an answer, show the evidence of a statement'],
  ['→ and ←', 'in a case: the next and the previous case'],
  ['w', 'in a case: its worst statement'],
  ['Escape', 'back to the list'],
  ['/', 'search'],
  ['?', 'this help'],
];

function helpDialog(dialog) {
  const rows = KEYS.map(([key, words]) => [element('dt', {}, element('kbd', {}, key)), element('dd', {}, words)]);
  const close = element('button', { type: 'button', click: () => dialog.close() }, 'Close');
  append(dialog, [element('h2', { id: 'help-title' }, 'Keyboard'), element('dl', {}, rows), close]);
  const button = byId('help-button');
  button.hidden = false;
  button.addEventListener('click', () => dialog.showModal());
}

/** Calls the action of a key. Keys that are typed into a field, or with Ctrl or Alt, are left alone. */
function listenToKeys(actions) {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (byId('help').open) return;
    const field = event.target instanceof Element && event.target.closest('input, select, textarea');
    if (field && event.key !== 'Escape') return;
    const action = actions(event.key);
    if (!action) return;
    event.preventDefault();
    action();
  });
}
