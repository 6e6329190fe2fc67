'use strict';
// The picture of a run: rows with bars and marks, and messages as arrows between the rows of machines.
//
//   const picture = runPicture(canvas, data, { tip });      // data: as reports/run/run_page.cpp writes it
//   picture.show(from, until); picture.mark(time, row); picture.at(time)   // what each party believes then
//   picture.legend()          // kinds of bars, marks and messages that occur, with their colours: for runLegend()
//   picture.load(data)        // another run in the same place; what is in sight stays, if the run is as long
//   picture.servers(shown)    // messages among servers, which are not shown at first where there are many
//   picked(text)              // what is under the mouse or finger that has clicked
function runPicture(canvas, data, { tip, moved = () => {}, picked = () => {} }) {
  const context = canvas.getContext('2d');
  const AXIS = 26, ROW = 30, BAR = 16, MOST_ARROWS = 3000, MANY_AMONG_SERVERS = 100;
  const CLIENT = 0, SERVER = 1, LEADER = 2, CLOCK = 3, LOCK = 4, CONFLICTS = 7; // kinds of rows
  const BARS = ['waits', 'believes that it holds', 'believes, and waits for a lock', 'still has a lease, but is not named any more', 'owns the lock',
    'is still named, though its lease has run out', 'named as the owner', 'leads', 'clock', 'stopped', 'stopped, believing', 'dead', 'the fault lasts', 'both in'];
  const NAMES = 6, STOPPED = 9, DEAD = 11; // kinds of bars
  const MARKS = ['reads', 'writes', 'read refused', 'write refused', 'the fault strikes'];
  const SIGNS = ['r', 'W', '×', '!', '!'];
  const COLOURS = ['line', 'heldEdge', 'heldWaits', 'promised', 'ok', 'overdue', 'names', 'leads', 'clock', 'open', 'open', 'fail', 'chosen', 'witness'];
  const LIGHT = new Set([3, 5, 8]); // bars whose text is dark
  const FATES = ['arrives', 'is lost', 'arrives late', 'is held back, and arrives', 'never arrives'];
  const LOST = 1, NEVER = 4; // fates; 2: late, 3: held
  const LOOKS = ['faint', 'open', 'witness']; // colours of messages: as usual, late or held, lost
  const FIRST = 0;
  let LAST = 1, amongServers = null, paintsServers = false, from = FIRST, until = LAST, wires = new Map(), width = 0, height = 0, queued = false, colours = {}, marked = null;

  const left = () => Math.min(220, width * 0.3);
  const right = () => width - 8;
  const x = (t) => left() + ((t - from) / (until - from)) * (right() - left());
  const time = (px) => from + ((px - left()) / (right() - left())) * (until - from);
  const y = (row) => AXIS + row * ROW;
  const view = () => ({ from, to: until, x, time, left: left(), right: right() });
  const painted = () => [...wires.values()].filter((wire) => paintsServers || !wire.among);

  // The latest end up to a bar or message ascends, unlike the ends.
  const BAR_REACH = 4, SENT = 2, ARRIVED = 3, FATE = 4, REACH = 6;
  const stops = (m) => m[FATE] === LOST || m[FATE] === NEVER; // on its way
  const addReach = (things, end, place) => {
    let reach = -Infinity;
    for (const thing of things) thing[place] = reach = Math.max(reach, thing[end]);
  };
  function prepare(fresh) {
    const whole = from <= (data.begin ?? FIRST) && until === LAST;
    data = fresh;
    LAST = Math.max(data.end, 1);
    if (whole || until > LAST) [from, until] = [Math.min(data.begin ?? FIRST, LAST - 1), LAST];
    marked = null;
    for (const row of data.rows) addReach(row.bars, 1, BAR_REACH);
    // Messages of one sender to one receiver that look alike, in the order of their sending.
    wires = new Map();
    for (const message of data.messages) {
      const look = stops(message) ? 2 : message[FATE] === 0 ? 0 : 1, key = (message[0] * 1000 + message[1]) * LOOKS.length + look;
      const among = data.rows[message[0]].kind === SERVER && data.rows[message[1]].kind === SERVER;
      if (!wires.has(key)) wires.set(key, { sender: message[0], receiver: message[1], look, among, messages: [], longest: 0 });
      wires.get(key).messages.push(message);
    }
    let between = 0;
    for (const wire of wires.values()) between += wire.among ? wire.messages.length : 0;
    paintsServers = amongServers ?? between <= MANY_AMONG_SERVERS;
    canvas.dataset.among = between;
    canvas.dataset.servers = paintsServers ? 'shown' : 'hidden';
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
        const dead = bars.find((b) => b[2] === DEAD), stopped = bars.find((b) => b[2] === STOPPED), named = bars.find((b) => b[2] === NAMES);
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
    const step = parts.niceStep((until - from) / Math.max(3, Math.floor((width - left()) / 80)));
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
    drawTexts();
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
    label(row.label, y(place) + BAR / 2);
    clip();
    let drawn = parts.eachVisible(view(), row.bars, (b) => b[0], (b) => b[1], (b) => b[BAR_REACH], (bar, a, wide) => {
      const [, , kind, text] = bar;
      context.fillStyle = colours[COLOURS[kind]];
      context.fillRect(a, y(place), wide, BAR);
      if (text && wide > 7 * text.length + 6) texts.push([text, a + 4, y(place) + BAR / 2, LIGHT.has(kind) ? 'ink' : 'onBar', COLOURS[kind]]);
    }, 1.5);
    context.fillStyle = colours.ink;
    context.textAlign = 'center';
    drawn += parts.eachVisible(view(), row.marks, (m) => m[0], (m) => m[0], (m) => m[0], ([t, kind]) => context.fillText(SIGNS[kind], x(t), y(place) + BAR / 2));
    context.restore();
    return drawn;
  }
  // Texts of bars lie over the arrows.
  let texts = [];
  function drawTexts() {
    clip();
    context.textAlign = 'left';
    for (const [text, a, middle, ink, paper] of texts) {
      context.fillStyle = colours[paper];
      context.fillRect(a - 2, middle - BAR / 2, context.measureText(text).width + 4, BAR);
      context.fillStyle = colours[ink];
      context.fillText(text, a, middle);
    }
    context.restore();
    texts = [];
  }
  // One that is too long takes two lines, of which the second may end in dots.
  function label(text, middle) {
    const room = left() - 10, fits = (words) => context.measureText(words).width <= room;
    if (fits(text)) return context.fillText(text, 4, middle);
    context.save();
    context.font = '11px system-ui, sans-serif';
    let first = '', rest = text.split(' ');
    while (rest.length > 1 && fits(first + rest[0])) first += rest.shift() + ' ';
    let second = rest.join(' ');
    if (!first) [first, second] = [second, ''];
    const cut = (words) => {
      if (fits(words)) return words;
      while (words && !fits(words + '…')) words = words.slice(0, -1);
      return words + '…';
    };
    context.fillText(cut(first.trim()), 4, middle - (second ? 6 : 0));
    context.fillText(cut(second), 4, middle + 6);
    context.restore();
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
    for (const { messages } of painted()) {
      shown += parts.bisect(messages.length, (i) => messages[i][SENT] <= until) - parts.bisect(messages.length, (i) => messages[i][REACH] < from);
    }
    const heads = shown <= MOST_ARROWS; // else one a pixel and wire, without heads
    let drawn = 0;
    clip();
    for (const [place, colour] of LOOKS.entries()) {
      context.strokeStyle = context.fillStyle = colours[colour];
      context.lineWidth = place === 0 ? 0.8 : 1.2;
      context.beginPath();
      for (const { messages } of painted().filter((wire) => wire.look === place)) {
        drawn += parts.eachVisible(view(), messages, (m) => m[SENT], (m) => m[ARRIVED], (m) => m[REACH], (m) => {
          const [a, b] = endsOf(m), ax = x(m[SENT]), bx = x(m[ARRIVED]);
          if (stops(m)) { // on its way
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
    for (const { sender, receiver, messages, longest } of painted()) {
      const [a, b] = endsOf([sender, receiver]);
      if (py < Math.min(a, b) - 2 || py > Math.max(a, b) + 2) continue;
      const share = (py - a) / (b - a), slack = time(px + 5) - time(px);
      const first = parts.bisect(messages.length, (i) => messages[i][SENT] < time(px) - longest - slack);
      for (let i = first; i < messages.length && i < first + 5000 && messages[i][SENT] <= time(px) + slack; ++i) {
        const m = messages[i], there = stops(m) ? x(m[SENT]) : x(m[SENT] + share * (m[ARRIVED] - m[SENT]));
        if (stops(m) && share > 0.5) continue;
        if (Math.abs(there - px) < nearest) { nearest = Math.abs(there - px); best = m; }
      }
    }
    return best;
  }
  function describe(px, py) {
    if (px <= left()) return '';
    const message = messageAt(px, py);
    if (message) {
      const [sender, receiver, sent, arrived, fate, text] = message;
      const there = stops(message) ? FATES[fate] : `${FATES[fate]} at ${parts.inMs(arrived)}, ${parts.inMs(arrived - sent)} later`;
      return [`${data.rows[sender].label} → ${data.rows[receiver].label}, sent at ${parts.inMs(sent)}, ${there}`, data.texts[text],
        stops(message) ? 'When it was sent:' : 'When it arrives:', ...at(stops(message) ? sent : arrived)].filter(Boolean).join('\n');
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
    colours = parts.colours(['ink', 'faint', 'line', 'heldEdge', 'heldWaits', 'promised', 'ok', 'overdue', 'names', 'leads', 'clock', 'open', 'fail', 'chosen', 'witness', 'onBar']);
    draw();
  }
  const hideTip = () => { tip.hidden = true; };
  const described = (event) => { const box = canvas.getBoundingClientRect(); return describe(event.clientX - box.left, event.clientY - box.top); };
  parts.gestures(canvas, {
    begin: () => ({ from, until }),
    move: (start, dx) => { const by = (dx / (right() - left())) * (start.until - start.from); show(start.from - by, start.until - by); },
    click: (event) => { const words = described(event); parts.showTip(tip, event, words); picked(words); },
    hover: (event) => parts.showTip(tip, event, described(event)),
    leave: hideTip,
    wheel: (event, px) => (Math.abs(event.deltaX) > Math.abs(event.deltaY) ? move(event.deltaX / width) : zoom(parts.zoomOf(event), time(Math.max(px, left())))),
  });
  new ResizeObserver(() => { if (canvas.clientWidth !== width) resize(); }).observe(canvas);
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
  function servers(shown = !paintsServers) {
    amongServers = paintsServers = shown;
    canvas.dataset.servers = shown ? 'shown' : 'hidden';
    draw();
  }
  // Marks the next message after `t` whose words have this in them; gives what it is, or ''.
  function search(words, t) {
    const hits = data.texts.map((text) => text.toLowerCase().includes(words));
    const found = data.messages.filter((m) => hits[m[5]]).sort((a, b) => a[SENT] - b[SENT]);
    if (!found.length) return '';
    const [sender, receiver, sent, , , text] = found.find((m) => m[SENT] > t) ?? found[0];
    if (!paintsServers && data.rows[sender].kind === SERVER && data.rows[receiver].kind === SERVER) servers(true);
    mark(sent);
    return `${parts.inMs(sent)}: ${data.rows[sender].label} → ${data.rows[receiver].label}: ${data.texts[text]}`;
  }
  // Kinds of bars, marks and messages that occur, as [colour or sign, words].
  function legend() {
    const bars = new Set(), marks = new Set(), fates = new Set(data.messages.map((m) => m[FATE]));
    for (const row of data.rows) {
      for (const bar of row.bars) bars.add(bar[2]);
      for (const mark of row.marks) marks.add(mark[1]);
    }
    const all = BARS.map((words, kind) => [COLOURS[kind], '', words, bars.has(kind)]);
    for (const [kind, words] of MARKS.entries()) all.push(['', SIGNS[kind], words, marks.has(kind)]);
    all.push(['', '→', 'a message', fates.has(0)], ['open', '', 'a message late or held back', fates.has(2) || fates.has(3)], ['witness', '×', 'a message lost', fates.has(LOST) || fates.has(NEVER)]);
    return all.filter((entry) => entry[3]).map(([colour, sign, words]) => [colour, sign, words]);
  }
  const seen = () => ({ from: Math.round(from), until: Math.round(until) });
  return { show, zoom, move, mark, conflict, at, all: () => show(FIRST, LAST), draw, resize, load, seen, servers, search, legend, marked: () => marked?.from ?? from };
}
