// Brings things into view.

const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Scrolls a panel that scrolls by itself, or else the page. */
function intoView(node) {
  if (!node) return;
  const panel = node.closest('.context');
  if (panel && panel.scrollHeight > panel.clientHeight + 1) {
    within(panel, node);
    if (!inSight(panel)) panel.scrollIntoView({ block: 'nearest', behavior: calm() ? 'auto' : 'smooth' });
  } else {
    centre(node);
  }
}

/** Far places are jumped to. The heights on the way there are only estimated, so it may need a few jumps. */
function centre(node, tries = 4) {
  if (inSight(node) || !tries) return;
  const far = Math.abs(node.getBoundingClientRect().top) > 3 * innerHeight;
  node.scrollIntoView({ block: 'center', behavior: far || calm() || tries < 4 ? 'instant' : 'smooth' });
  if (far) requestAnimationFrame(() => requestAnimationFrame(() => centre(node, tries - 1)));
}

function within(panel, node) {
  const [outer, inner] = [panel.getBoundingClientRect(), node.getBoundingClientRect()];
  if (inner.top >= outer.top && inner.bottom <= outer.bottom) return;
  panel.scrollTop += inner.top - outer.top - outer.height / 3;
}

function inSight(node) {
  const { top, bottom } = node.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}
