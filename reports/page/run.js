'use strict';
// The picture of a run: rows with bars and marks, and messages as arrows between the rows of machines.
//
//   const picture = runPicture(canvas, data, { tip });      // data: as reports/run_page.cpp writes it
//   picture.show(from, until); picture.mark(time, row); picture.at(time)   // what each party believes then
//   picture.signs()          // kinds of bars that occur, with their colours
//   picture.load(data)        // another run in the same place; what is in sight stays, if the run is as long
function runPicture(canvas, data, { tip, moved = () => {} }) {
  const context = canvas.getContext('2d');
  const AXIS = 26, ROW = 30, BAR = 16, MOST_ARROWS = 3000;
  const CLIENT = 0, SERVER = 1, LEADER = 2, CLOCK = 3, LOCK = 4, CONFLICTS = 7; // kinds of rows
  const BARS = ['waits', 'believes that it holds', 'still has a lease, but is not named any more', 'owns the lock',
    'is still named, though its lease has run out', 'named as the owner', 'leads', 'clock', 'stopped', 'stopped, believing', 'dead', 'the fault lasts', 'both in'];
  const MARKS = ['reads', 'writes', 'read refused', 'write refused', 'the fault strikes'];
  const SIGNS = ['r', 'W', '×', '!', '!'];
  const COLOURS = ['line', 'heldEdge', 'promised', 'ok', 'overdue', 'names', 'leads', 'clock', 'open', 'open', 'fail', 'chosen', 'witness'];
  const LIGHT = new Set([2, 4, 7]); // bars whose text is dark
  const FIRST = 0;
  let LAST = 1, from = FIRST, until = LAST, wires = new Map(), width = 0, height = 0, queued = false, colours = {}, marked = null;

  const left = () => Math.min(220, width * 0.3);
  const right = () => width - 8;
  const x = (t) => left() + ((t - from) / (until - from)) * (right() - left());
  const time = (px) => from + ((px - left()) / (right() - left())) * (until - from);
  const y = (row) => AXIS + row * ROW;
  const view = () => ({ from, to: until, x, time, left: left(), right: right() });

  // The latest end up to a bar or message ascends, unlike the ends.
  const BAR_REACH = 4, SENT = 2, ARRIVED = 3, LOST = 4, REACH = 6;
  const addReach = (things, end, place) => {
    let reach = -Infinity;
    for (const thing of things) thing[place] = reach = Math.max(reach, thing[end]);
  };
  function prepare(fresh) {
    const whole = from === FIRST && until === LAST;
    data = fresh;
    LAST = Math.max(data.end, 1);
    if (whole || until > LAST) [from, until] = [FIRST, LAST];
    marked = null;
    for (const row of data.rows) addReach(row.bars, 1, BAR_REACH);
    // Messages of one sender to one receiver, in the order of their sending.
    wires = new Map();
    for (const message of data.messages) {
      const key = message[0] * 1000 + message[1];
      if (!wires.has(key)) wires.set(key, { sender: message[0], receiver: message[1], messages: [], longest: 0 });
      wires.get(key).messages.push(message);
    }
    for (const wire of wires.values()) {
      wire.messages.sort((a, b) => a[SENT] - b[SENT]);
      addReach(wire.messages, ARRIVED, REACH);
      for (const m of wire.messages) wire.longest = Math.max(wire.longest, m[ARRIVED] - m[SENT]);
    }
  }

  // --- what each party believes at an instant
  function at(t) {
    const words = [];
    for (const row of data.rows) {
      const bars = [];
      for (let i = parts.bisect(row.bars.length, (place) => row.bars[place][BAR_REACH] <= t); i < row.bars.length && row.bars[i][0] <= t; ++i) {
        if (row.bars[i][1] > t) bars.push(row.bars[i]);
      }
      if (row.kind === CLIENT) words.push(`${row.label}: ${bars.length ? bars.map((b) => BARS[b[2]]).join(', ') : 'neither waits nor believes'}`);
      else if (row.kind === SERVER) {
        const dead = bars.find((b) => b[2] === 10), stopped = bars.find((b) => b[2] === 8), named = bars.find((b) => b[2] === 5);
        if (dead) words.push(`${row.label}: dead`);
        else if (row.bars.length) words.push(`${row.label}: names ${named ? named[3] : 'nobody'}${stopped ? ', stopped' : ''}`);
      } else if (row.kind === LEADER) words.push(`${row.label}: ${bars.length ? bars.map((b) => b[3]).join(', ') : 'none'}`);
      else if (row.kind === CLOCK && bars.length) words.push(`${row.label}: ${bars[0][3]}`);
      else if (row.kind === LOCK) for (const b of bars) words.push(`${row.label}: ${b[3]} ${BARS[b[2]]}`);
      else if (row.kind === CONFLICTS && bars.length) words.push('conflicting holds meet');
    }
    return words;
  }

  // --- drawing
  function draw() { if (!queued) { queued = true; requestAnimationFrame(paint); } }
  function paint() {
    queued = false;
    context.clearRect(0, 0, width, height);
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    const step = parts.niceStep((until - from) / Math.max(2, Math.floor((width - left()) / 110)));
    for (let t = Math.ceil(from / step) * step; t <= until; t += step) {
      context.fillStyle = colours.line;
      context.fillRect(x(t), AXIS - 6, 1, height);
      context.fillStyle = colours.faint;
      context.textAlign = 'left';
      const label = parts.onAxis(t, step);
      if (x(t) + 3 + context.measureText(label).width < width) context.fillText(label, x(t) + 3, 10);
    }
    if (marked) {
      context.fillStyle = colours.line;
      const a = Math.max(x(marked.from), left()), b = Math.min(Math.max(x(marked.until), a + 2), right());
      context.fillRect(a, marked.row < 0 ? AXIS - 6 : y(marked.row) - 5, b - a, marked.row < 0 ? height : BAR + 10);
    }
    let drawn = 0;
    data.rows.forEach((row, place) => { drawn += drawRow(row, place); });
    drawMessages();
    if (marked) {
      context.fillStyle = colours.witness;
      if (marked.from >= from && marked.from <= until) context.fillRect(x(marked.from), AXIS - 6, 1.5, height);
    }
    canvas.dataset.drawn = drawn;
    canvas.dataset.from = from;
    canvas.dataset.to = until;
    canvas.dataset.ready = 'yes';
  }
  function drawRow(row, place) {
    context.fillStyle = colours.ink;
    context.textAlign = 'left';
    context.fillText(row.label, 4, y(place) + BAR / 2, left() - 10);
    clip();
    let drawn = parts.eachVisible(view(), row.bars, (b) => b[0], (b) => b[1], (b) => b[BAR_REACH], (bar, a, wide) => {
      const [, , kind, text] = bar;
      context.fillStyle = colours[COLOURS[kind]];
      context.fillRect(a, y(place), wide, BAR);
      if (text && wide > 7 * text.length + 6) {
        context.fillStyle = LIGHT.has(kind) ? colours.ink : colours.onBar;
        context.fillText(text, a + 4, y(place) + BAR / 2);
      }
    }, 1.5);
    context.fillStyle = colours.ink;
    context.textAlign = 'center';
    drawn += parts.eachVisible(view(), row.marks, (m) => m[0], (m) => m[0], (m) => m[0], ([t, kind]) => context.fillText(SIGNS[kind], x(t), y(place) + BAR / 2));
    context.restore();
    return drawn;
  }
  function clip() {
    context.save();
    context.beginPath();
    context.rect(left() - 6, 0, right() - left() + 12, height); // a sign at an edge is whole
    context.clip();
  }
  const endsOf = (m) => (m[1] > m[0] ? [y(m[0]) + BAR, y(m[1])] : [y(m[0]), y(m[1]) + BAR]);
  function drawMessages() {
    let shown = 0;
    for (const { messages } of wires.values()) {
      shown += parts.bisect(messages.length, (i) => messages[i][SENT] <= until) - parts.bisect(messages.length, (i) => messages[i][REACH] < from);
    }
    const heads = shown <= MOST_ARROWS; // else one a pixel and wire, without heads
    let drawn = 0;
    clip();
    context.lineWidth = 0.8;
    for (const lost of [false, true]) {
      context.strokeStyle = context.fillStyle = lost ? colours.witness : colours.faint;
      context.beginPath();
      for (const { messages } of wires.values()) {
        drawn += parts.eachVisible(view(), messages, (m) => m[SENT], (m) => m[ARRIVED], (m) => m[REACH], (m) => {
          if (Boolean(m[LOST]) !== lost) return;
          const [a, b] = endsOf(m), ax = x(m[SENT]), bx = x(m[ARRIVED]);
          if (lost) { // it stops on its way
            const by = a + (b - a) * 0.4;
            context.moveTo(ax, a); context.lineTo(ax, by);
            context.moveTo(ax - 3, by - 3); context.lineTo(ax + 3, by + 3);
            context.moveTo(ax - 3, by + 3); context.lineTo(ax + 3, by - 3);
            return;
          }
          if (!heads && bx - ax < 2) return context.fillRect(ax, Math.min(a, b), 0.8, Math.abs(b - a)); // faster than a line
          context.moveTo(ax, a);
          context.lineTo(bx, b);
          if (!heads) return;
          const angle = Math.atan2(b - a, bx - ax);
          for (const turn of [-0.4, 0.4]) {
            context.moveTo(bx, b);
            context.lineTo(bx - 5 * Math.cos(angle + turn), b - 5 * Math.sin(angle + turn));
          }
        });
      }
      context.stroke();
    }
    context.restore();
    canvas.dataset.messages = shown;
    canvas.dataset.arrows = drawn;
  }

  // --- what is under the mouse
  function messageAt(px, py) {
    let best = null, nearest = 5;
    for (const { sender, receiver, messages, longest } of wires.values()) {
      const [a, b] = endsOf([sender, receiver]);
      if (py < Math.min(a, b) - 2 || py > Math.max(a, b) + 2) continue;
      const share = (py - a) / (b - a), slack = time(px + 5) - time(px);
      const first = parts.bisect(messages.length, (i) => messages[i][SENT] < time(px) - longest - slack);
      for (let i = first; i < messages.length && i < first + 5000 && messages[i][SENT] <= time(px) + slack; ++i) {
        const m = messages[i], there = m[LOST] ? x(m[SENT]) : x(m[SENT] + share * (m[ARRIVED] - m[SENT]));
        if (m[LOST] && share > 0.5) continue;
        if (Math.abs(there - px) < nearest) { nearest = Math.abs(there - px); best = m; }
      }
    }
    return best;
  }
  function describe(px, py) {
    if (px <= left()) return '';
    const message = messageAt(px, py);
    if (message) {
      const [sender, receiver, sent, arrived, lost, text] = message;
      const there = lost ? 'is lost' : `arrives at ${parts.inMs(arrived)}`;
      return [`${data.rows[sender].label} → ${data.rows[receiver].label}, sent at ${parts.inMs(sent)}, ${there}`, data.texts[text],
        lost ? 'When it was sent:' : 'When it arrives:', ...at(lost ? sent : arrived)].filter(Boolean).join('\n');
    }
    const row = data.rows[Math.floor((py - AXIS) / ROW)], t = time(px), near = (until - from) / 150, words = [];
    if (!row) return '';
    for (let i = parts.bisect(row.bars.length, (place) => row.bars[place][BAR_REACH] < t - near); i < row.bars.length && words.length < 6; ++i) {
      const [a, b, kind, text] = row.bars[i];
      if (a > t + near) break;
      if (b >= t - near) words.push(`${row.label}: ${text ? text + ' ' : ''}${BARS[kind]}, ${parts.inMs(a)} to ${parts.inMs(b)}`);
    }
    for (let i = parts.bisect(row.marks.length, (place) => row.marks[place][0] < t - near); i < row.marks.length && words.length < 6; ++i) {
      const [when, kind] = row.marks[i];
      if (when > t + near) break;
      words.push(`${row.label}: ${MARKS[kind]} at ${parts.inMs(when)}`);
    }
    return words.length ? [...words, `At ${parts.inMs(Math.round(t))}:`, ...at(t)].join('\n') : '';
  }

  // --- moving
  function show(a, b) {
    const length = Math.min(Math.max(b - a, 1000), LAST - FIRST);
    from = Math.max(FIRST, Math.min(a, LAST - length));
    until = from + length;
    moved(from, until);
    draw();
  }
  const zoom = (factor, t = (from + until) / 2) => show(t - (t - from) * factor, t + (until - t) * factor);
  const move = (share) => show(from + (until - from) * share, until + (until - from) * share);
  // Marks an instant or a stretch, of one row or of all (-1), and brings it into view.
  function mark(a, b = a, row = -1) {
    marked = { from: a, until: b, row };
    const length = until - from;
    if (b > a) show(a - (b - a) * 0.1, b + (b - a) * 0.1);
    else if (a < from || a > until) show(a - length / 2, a + length / 2);
    draw();
  }
  function conflict() {
    const row = data.rows.find((r) => r.kind === CONFLICTS);
    if (row) show(row.bars[0][0] - (LAST - FIRST) / 50, row.bars[row.bars.length - 1][1] + (LAST - FIRST) / 50);
  }
  function resize() {
    width = canvas.clientWidth;
    height = AXIS + data.rows.length * ROW + 8;
    parts.fit(canvas, height);
    draw();
  }
  function recolour() {
    colours = parts.colours(['ink', 'faint', 'line', 'heldEdge', 'promised', 'ok', 'overdue', 'names', 'leads', 'clock', 'open', 'fail', 'chosen', 'witness', 'onBar']);
    draw();
  }
  const hideTip = () => { tip.hidden = true; };
  parts.gestures(canvas, {
    begin: () => ({ from, until }),
    move: (start, dx) => { const by = (dx / (right() - left())) * (start.until - start.from); show(start.from - by, start.until - by); },
    click: () => {},
    hover: (event) => { const box = canvas.getBoundingClientRect(); parts.showTip(tip, event, describe(event.clientX - box.left, event.clientY - box.top)); },
    leave: hideTip,
    wheel: (event, px) => (Math.abs(event.deltaX) > Math.abs(event.deltaY) ? move(event.deltaX / width) : zoom(parts.zoomOf(event), time(Math.max(px, left())))),
  });
  window.addEventListener('resize', resize);
  window.addEventListener('beforeprint', resize);
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolour);
  function load(fresh) {
    prepare(fresh);
    hideTip();
    resize();
  }
  prepare(data);
  recolour();
  resize();
  paint();
  // The kinds of bars that occur, for a legend: [name of the colour in the style sheet, words].
  const TITLED = new Set([6, 7, 11]); // what they are stands on the bar, or beside the row
  function signs() {
    const kinds = new Set(data.rows.flatMap((row) => row.bars.map((bar) => bar[2])).filter((kind) => !TITLED.has(kind)));
    const seen = new Map();
    for (const kind of [...kinds].sort((a, b) => a - b)) if (!seen.has(COLOURS[kind])) seen.set(COLOURS[kind], BARS[kind]);
    return [...seen].map(([colour, words]) => [colour.replace(/[A-Z]/g, (c) => '-' + c.toLowerCase()), words]);
  }
  const seen = () => ({ from: Math.round(from), until: Math.round(until) });
  return { show, zoom, move, mark, conflict, at, all: () => show(FIRST, LAST), draw, resize, load, seen, signs };
}

// Buttons and keys of a part of the page, or of all of it: actions by name, and the keys that stand for them.
function runKeys(actions, root = document) {
  const KEYS = { '+': 'in', '=': 'in', '-': 'out', 0: 'all', n: 'next', p: 'previous', b: 'conflict', ArrowLeft: 'earlier', ArrowRight: 'later', '/': 'find', d: 'difference' };
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
    item(now).scrollIntoView({ block: 'nearest' });
    chosen(now);
  }
  const around = list.parentElement;
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
