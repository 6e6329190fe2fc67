'use strict';
// Parts that all pages share: bisection, what is visible, colours, the canvas, the tip, gestures.
const parts = (() => {
  // The first place of which `before` is not true.
  function bisect(length, before) {
    let low = 0, high = length;
    while (low < high) { const middle = (low + high) >> 1; if (before(middle)) low = middle + 1; else high = middle; }
    return low;
  }

  // Visits what is visible of things in the order of their starts, and of those that share a pixel one. `view` has from
  // and to, x(time), time(pixel), left and right; `reachOf` ascends, and is no less than the end. Gives how many it visited.
  function eachVisible(view, things, startOf, endOf, reachOf, visit, narrowest = 2) {
    let drawn = 0;
    let place = bisect(things.length, (i) => reachOf(things[i]) < view.from);
    while (place < things.length && startOf(things[place]) <= view.to) {
      const thing = things[place];
      if (endOf(thing) < view.from) { ++place; continue; }
      const left = Math.max(view.x(startOf(thing)), view.left), right = Math.min(view.x(endOf(thing)), view.right);
      visit(thing, left, Math.max(right - left, narrowest));
      ++drawn;
      ++place;
      if (right - left < 1) {  // those that end on this pixel too would hide behind it
        const next = view.time(Math.floor(left) + 1), rest = place;
        place += bisect(things.length - rest, (i) => reachOf(things[rest + i]) < next);
      }
    }
    return drawn;
  }

  const readable = (ns) => (Math.abs(ns) >= 1e9 ? `${(ns / 1e9).toFixed(6)} s` : Math.abs(ns) >= 1e6 ? `${(ns / 1e6).toFixed(3)} ms` : `${ns} ns`);

  const inMs = (ns) => `${(ns / 1e6).toFixed(3)} ms`;

  // The smallest of 1, 2, 5, 10, … nanoseconds that is no less.
  function niceStep(least) {
    const digit = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
    return [1, 2, 5, 10].map((factor) => factor * digit).find((step) => step >= least) || 10 * digit;
  }
  // In the unit of the step, with no more digits than it needs.
  function onAxis(ns, step) {
    const [size, unit] = step >= 1e9 ? [1e9, 's'] : step >= 1e5 ? [1e6, 'ms'] : [1e3, 'us'];
    return `${(ns / size).toFixed(Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9)))} ${unit}`;
  }

  const cssName = (name) => name.replace(/[A-Z]/g, (c) => '-' + c.toLowerCase());

  // Of the style sheet, by name: { onBar: '#fff' } of --on-bar.
  function colours(names) {
    const style = getComputedStyle(document.documentElement), all = {};
    for (const name of names) all[name] = style.getPropertyValue(`--${cssName(name)}`).trim();
    return all;
  }

  // Makes the canvas as high as this, sharp on every screen.
  function fit(canvas, height) {
    const ratio = window.devicePixelRatio || 1;
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(canvas.clientWidth * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.getContext('2d').setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  function showTip(tip, event, text) {
    tip.hidden = !text;
    if (!text) return;
    tip.textContent = text;
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${Math.max(4, Math.min(event.clientY + 16, window.innerHeight - tip.offsetHeight - 8))}px`;
  }

  // Mouse and touch: `drag.begin()` gives what drag.move(state, dx, dy) gets; click(event), hover(event), wheel(event, x).
  function gestures(canvas, { begin, move, click, hover, leave, wheel }) {
    let held = null;
    canvas.addEventListener('pointerdown', (event) => {
      held = { x: event.clientX, y: event.clientY, state: begin(), moved: false };
      canvas.setPointerCapture(event.pointerId);
      canvas.classList.add('dragged');
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!held) return hover(event);
      const dx = event.clientX - held.x, dy = event.clientY - held.y;
      if (Math.abs(dx) + Math.abs(dy) > 3) held.moved = true;
      if (!held.moved) return;
      leave();
      move(held.state, dx, dy);
    });
    const release = (event) => {
      if (held && !held.moved && event.type === 'pointerup') click(event);
      held = null;
      canvas.classList.remove('dragged');
    };
    canvas.addEventListener('pointerup', release);
    canvas.addEventListener('pointercancel', release);
    canvas.addEventListener('pointerleave', leave);
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      wheel(event, event.clientX - canvas.getBoundingClientRect().left);
    }, { passive: false });
  }
  const zoomOf = (event) => Math.exp(Math.min(Math.max(event.deltaY, -100), 100) * 0.004);

  return { bisect, eachVisible, readable, inMs, niceStep, onAxis, cssName, colours, fit, showTip, gestures, zoomOf };
})();
