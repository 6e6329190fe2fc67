'use strict';
// Legend, buttons, keys and list of steps, around the picture of a run.

// A list of what the colours and signs of pictures mean.
function runLegend(list, ...pictures) {
  const entries = new Map(pictures.flatMap((picture) => picture.legend()).map((entry) => [entry[2], entry]));
  list.replaceChildren(...[...entries.values()].map(([colour, sign, words]) => {
    const item = document.createElement('li'), swatch = document.createElement('i');
    if (sign) swatch.textContent = sign;
    if (colour && sign) swatch.style.color = `var(--${parts.cssName(colour)})`;
    else if (colour) swatch.style.background = `var(--${parts.cssName(colour)})`;
    item.append(swatch, words);
    return item;
  }));
}

// Buttons and keys of a part of the page, or of all of it: actions by name, and the keys that stand for them.
function runKeys(actions, root = document) {
  const KEYS = { '+': 'in', '=': 'in', '-': 'out', 0: 'all', n: 'next', p: 'previous', b: 'conflict', ArrowLeft: 'earlier', ArrowRight: 'later', '/': 'find', d: 'difference', m: 'servers' };
  for (const button of root.querySelectorAll('[data-do]')) button.addEventListener('click', () => actions[button.dataset.do]());
  root.addEventListener('keydown', (event) => {
    const action = actions[KEYS[event.key]];
    if (event.ctrlKey || event.metaKey || event.altKey || !action || event.target.matches?.('input, select, textarea')) return;
    action();
    event.preventDefault();
  });
}

// A list of steps, of which a long one shows those around the chosen one. `fill(item, step)` makes the words.
function stepList(list, steps, fill, chosen) {
  const MOST = 1200;
  let first = 0, last = 0, now = -1;
  const item = (place) => (place >= first && place < last ? list.children[place - first] : null);
  function show(middle) {
    first = Math.max(0, Math.min(middle - MOST / 2, steps.length - MOST));
    last = Math.min(steps.length, first + MOST);
    const shown = document.createDocumentFragment();
    for (let place = first; place < last; ++place) {
      const element = document.createElement('li');
      fill(element, steps[place], place);
      element.addEventListener('click', () => choose(place));
      shown.append(element);
    }
    list.replaceChildren(shown);
  }
  function choose(place) {
    if (!steps.length) return;
    item(now)?.classList.remove('now');
    now = Math.max(0, Math.min(steps.length - 1, place));
    if (!item(now)) show(now);
    item(now).classList.add('now');
    bring(item(now));
    chosen(now);
  }
  const around = list.parentElement;
  // Into view within the list: the page itself stays where it is.
  function bring(element) {
    const box = around.getBoundingClientRect(), own = element.getBoundingClientRect();
    if (own.top < box.top) around.scrollTop -= box.top - own.top;
    else if (own.bottom > box.bottom) around.scrollTop += own.bottom - box.bottom;
  }
  around.addEventListener('scroll', () => { // at either end of what is shown there is more
    const atTop = around.scrollTop < 5 && first > 0, atEnd = around.scrollTop + around.clientHeight > around.scrollHeight - 5 && last < steps.length;
    if (!atTop && !atEnd) return;
    const edge = atTop ? first : last - 1;
    show(edge);
    item(now)?.classList.add('now');
    item(edge).scrollIntoView({ block: 'center' });
  });
  function load(others) {
    steps = others;
    now = -1;
    show(0);
  }
  show(0);
  return { choose, load, next: () => choose(now + 1), previous: () => choose(now < 0 ? 0 : now - 1), now: () => now };
}
