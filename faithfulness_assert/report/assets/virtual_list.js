// A list of any length, of which only the rows in sight are in the document.

const SPARE_ROWS = 6;
const PRINTED_ROWS = 500;

class VirtualList {
  /** `link(item)` makes the content of a row, a link. */
  constructor(list, link) {
    this.list = list;
    this.link = link;
    this.items = [];
    this.shown = new Map();
    let waiting = false;
    const later = () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        this.render();
      });
    };
    addEventListener('scroll', later, { passive: true });
    addEventListener('resize', () => {
      this.height = 0;
      later();
    });
    addEventListener('beforeprint', () => this.showAll());
    addEventListener('afterprint', () => this.show(this.items));
  }

  show(items) {
    this.items = items;
    this.shown.clear();
    this.list.replaceChildren();
    this.list.classList.remove('all');
    this.height = 0;
    this.render();
  }

  /** Adds the rows in sight and removes the others, but never the one that has the focus. */
  render() {
    if (!this.list.offsetParent || this.list.classList.contains('all')) return;
    this.height ||= this.measured();
    this.list.style.height = `${this.items.length * this.height}px`;
    const above = -this.list.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(above / this.height) - SPARE_ROWS);
    const end = Math.min(this.items.length, Math.ceil((above + innerHeight) / this.height) + SPARE_ROWS);
    for (const [place, row] of this.shown) {
      if ((place < first || place >= end) && !row.contains(document.activeElement)) {
        row.remove();
        this.shown.delete(place);
      }
    }
    for (let place = first; place < end; place += 1) this.ensure(place);
  }

  measured() {
    if (!this.items.length) return 1;
    const row = this.row(0);
    this.list.append(row);
    const height = row.getBoundingClientRect().height;
    row.remove();
    return height || 84;
  }

  ensure(place) {
    if (this.shown.has(place)) {
      this.shown.get(place).style.top = `${place * this.height}px`;
      return this.shown.get(place);
    }
    const row = this.row(place);
    row.style.top = `${place * this.height}px`;
    const next = [...this.shown.keys()].filter((other) => other > place);
    this.list.insertBefore(row, next.length ? this.shown.get(Math.min(...next)) : null);
    this.shown.set(place, row);
    return row;
  }

  row(place) {
    const numbers = { 'aria-setsize': this.items.length, 'aria-posinset': place + 1 };
    return element('li', numbers, this.link(this.items[place]));
  }

  /** The place of the row that has the focus; -1 if none has. */
  get focused() {
    for (const [place, row] of this.shown) if (row.contains(document.activeElement)) return place;
    return -1;
  }

  focus(place) {
    if (!this.items.length) return;
    const wanted = Math.min(Math.max(place, 0), this.items.length - 1);
    const link = this.ensure(wanted).querySelector('a');
    link.focus({ preventScroll: true });
    link.scrollIntoView({ block: 'nearest' });
    this.render();
  }

  showAll() {
    if (!this.list.offsetParent) return;
    this.list.classList.add('all');
    this.list.style.height = '';
    const rows = this.items.slice(0, PRINTED_ROWS).map((_, place) => this.row(place));
    const left = this.items.length - rows.length;
    this.list.replaceChildren(...rows);
    if (left > 0) this.list.append(element('li', {}, `and ${counted(left, 'more case')}`));
  }
}
