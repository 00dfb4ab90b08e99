// Keys. The dialog that lists them is in base.html.jinja.

function helpDialog(dialog) {
  const button = byId('help-button');
  button.hidden = false;
  button.addEventListener('click', () => dialog.showModal());
  dialog.querySelector('button').addEventListener('click', () => dialog.close());
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
