'use strict';
// Draws a run: rows with bars and marks, messages as arrows between the rows of machines, and the story as a list.
//
// `root` holds the parts, elements with data-part: timeline (a canvas), story (an ol), status, tip, find, and buttons with
// data-do. `load` shows other data in the same place; `seen` tells what is in sight, `see` brings it there.
function runView(root) {
  const part = (name) => root.querySelector(`[data-part="${name}"]`);
  const canvas = part('timeline'), context = canvas.getContext('2d');
  const status = part('status'), tip = part('tip'), list = part('story'), find = part('find');
  let data = { end: 1, rows: [], messages: [], story: [] };
  const AXIS = 26, ROW = 30, BAR = 16, MOST_MESSAGES = 3000;
  const BARS = ['waits', 'believes that it holds', 'stopped', 'stopped, believing', 'dead', 'owns the lock', 'the fault lasts', 'both in'];
  const MARKS = ['reads', 'writes', 'read refused', 'write refused', 'the fault strikes'];
  const SIGNS = ['r', 'W', '×', '!', '!'];
  const COLOURS = ['--line', '--held-edge', '--open', '--open', '--fail', '--ok', '--chosen', '--witness'];
  let from = 0, until = 1, now = -1, LAST = 1;
  const FIRST = 0;

  const readable = (t) => (Math.abs(t) >= 1e9 ? `${(t / 1e9).toFixed(6)} s` : `${(t / 1e6).toFixed(3)} ms`);
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const left = () => Math.min(220, canvas.clientWidth * 0.3);
  const x = (t) => left() + ((t - from) / (until - from)) * (canvas.clientWidth - left() - 8);
  const time = (px) => from + ((px - left()) / (canvas.clientWidth - left() - 8)) * (until - from);
  const y = (row) => AXIS + row * ROW;

  // The first message that is not over before an instant, by bisection: they are sorted by their ends.
  let messages = [], ends = [];
  const firstAfter = (t) => {
    let low = 0, high = ends.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (ends[mid] < t) low = mid + 1; else high = mid;
    }
    return low;
  };

  function draw() {
    const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = AXIS + data.rows.length * ROW + 8;
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    canvas.dataset.from = from;
    canvas.dataset.to = until;
    const ticks = Math.max(2, Math.floor((width - left()) / 140));
    for (let i = 0; i < ticks; ++i) {
      const t = from + ((until - from) * i) / ticks;
      context.fillStyle = colour('--line');
      context.fillRect(x(t), AXIS - 6, 1, height);
      context.fillStyle = colour('--faint');
      context.textAlign = 'left';
      context.fillText(readable(t), x(t) + 3, 10);
    }
    data.rows.forEach((row, place) => {
      context.fillStyle = colour('--ink');
      context.textAlign = 'left';
      context.fillText(row.label, 4, y(place) + BAR / 2, left() - 10);
      context.save();
      context.beginPath();
      context.rect(left(), 0, width - left(), height);
      context.clip();
      for (const [begin, end, kind, text] of row.bars) {
        if (end < from || begin > until) continue;
        const a = x(Math.max(begin, from)), b = Math.max(x(Math.min(end, until)), a + 1.5);
        context.fillStyle = colour(COLOURS[kind]);
        context.fillRect(a, y(place), b - a, BAR);
        if (text && b - a > 8 * text.length) {
          context.fillStyle = colour('--on-bar');
          context.fillText(text, a + 4, y(place) + BAR / 2);
        }
      }
      context.fillStyle = colour('--ink');
      context.textAlign = 'center';
      for (const [t, kind] of row.marks) if (t >= from && t <= until) context.fillText(SIGNS[kind], x(t), y(place) + BAR / 2);
      context.restore();
    });
    drawMessages(width, height);
    if (now >= 0) {
      const t = data.story[now][0];
      context.fillStyle = colour('--witness');
      if (t >= from && t <= until) context.fillRect(x(t), AXIS - 6, 1.5, height);
    }
  }

  function drawMessages(width, height) {
    const begin = firstAfter(from), shown = [];
    for (let i = begin; i < messages.length && shown.length <= MOST_MESSAGES; ++i) {
      if (messages[i][2] <= until) shown.push(messages[i]);
    }
    const many = shown.length > MOST_MESSAGES;
    canvas.dataset.messages = many ? -1 : shown.length;
    if (many) return;
    context.save();
    context.beginPath();
    context.rect(left(), 0, width - left(), height);
    context.clip();
    for (const [sender, receiver, sent, arrived, lost] of shown) {
      const a = [x(sent), y(sender) + (receiver > sender ? BAR : 0)], b = [x(arrived), y(receiver) + (receiver > sender ? 0 : BAR)];
      context.strokeStyle = colour(lost ? '--witness' : '--faint');
      context.setLineDash(lost ? [3, 3] : []);
      context.lineWidth = 0.8;
      context.beginPath();
      context.moveTo(a[0], a[1]);
      context.lineTo(b[0], b[1]);
      context.stroke();
      const angle = Math.atan2(b[1] - a[1], b[0] - a[0]);
      context.setLineDash([]);
      context.beginPath();
      context.moveTo(b[0] - 5 * Math.cos(angle - 0.4), b[1] - 5 * Math.sin(angle - 0.4));
      context.lineTo(b[0], b[1]);
      context.lineTo(b[0] - 5 * Math.cos(angle + 0.4), b[1] - 5 * Math.sin(angle + 0.4));
      context.stroke();
    }
    context.restore();
  }

  let items = [];
  const itemOf = ([t, text], place) => {
    const item = document.createElement('li'), at = document.createElement('span'), words = document.createElement('span');
    at.className = 'at';
    at.textContent = readable(t);
    words.textContent = text;
    if (text.startsWith('fault: ')) item.className = 'fault';
    item.append(at, words);
    item.addEventListener('click', () => choose(place));
    return item;
  };

  function choose(place) {
    if (!items.length) return;
    if (now >= 0) items[now].classList.remove('now');
    now = Math.max(0, Math.min(items.length - 1, place));
    items[now].classList.add('now');
    items[now].scrollIntoView({ block: 'nearest' });
    const [t, text] = data.story[now];
    const width = until - from;
    if (t < from || t > until) show(t - width / 2, t + width / 2);
    status.textContent = `${readable(t)}: ${text}`;
    draw();
  }
  function show(a, b) {
    const width = Math.min(Math.max(b - a, 1000), LAST - FIRST);
    from = Math.max(FIRST, Math.min(a, LAST - width));
    until = from + width;
    draw();
  }
  const zoom = (factor, at = (from + until) / 2) => show(at - (at - from) * factor, at + (until - at) * factor);
  const move = (share) => show(from + (until - from) * share, until + (until - from) * share);
  const search = (step) => {
    const wanted = find.value.toLowerCase();
    for (let i = 1; i <= items.length; ++i) {
      const place = (now + step * i + items.length * 2) % items.length;
      if (data.story[place][1].toLowerCase().includes(wanted)) return choose(place);
    }
    status.textContent = `nothing in the story has "${find.value}"`;
  };
  const actions = {
    in: () => zoom(0.5), out: () => zoom(2), all: () => show(FIRST, LAST),
    next: () => choose(now + 1), previous: () => choose(now < 0 ? 0 : now - 1),
    conflict: () => {
      const row = data.rows.find((r) => r.kind === 4);
      if (row) show(row.bars[0][0] - (LAST - FIRST) / 50, row.bars[row.bars.length - 1][1] + (LAST - FIRST) / 50);
    },
  };
  // The window stays where it is if the run keeps its length.
  function load(fresh) {
    const whole = from === FIRST && until === LAST;
    data = fresh;
    LAST = Math.max(data.end, 1);
    messages = data.messages;
    ends = messages.map((m) => m[3]);
    items = data.story.map(itemOf);
    list.replaceChildren(...items);
    now = -1;
    status.textContent = '';
    tip.hidden = true;
    if (whole || until > LAST) [from, until] = [FIRST, LAST];
    draw();
    canvas.dataset.ready = 'yes';
  }
  const KEYS = { '+': 'in', '-': 'out', 0: 'all', n: 'next', p: 'previous', b: 'conflict' };
  for (const button of root.querySelectorAll('[data-do]')) button.addEventListener('click', () => actions[button.dataset.do]());
  find.addEventListener('keydown', (event) => { if (event.key === 'Enter') search(event.shiftKey ? -1 : 1); event.stopPropagation(); });
  root.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches && event.target.matches('input, select, textarea')) return;
    if (KEYS[event.key]) actions[KEYS[event.key]]();
    else if (event.key === 'ArrowLeft') move(-0.1);
    else if (event.key === 'ArrowRight') move(0.1);
    else if (event.key === '/') find.focus();
    else return;
    event.preventDefault();
  });
  canvas.addEventListener('wheel', (event) => { event.preventDefault(); zoom(event.deltaY > 0 ? 1.25 : 0.8, time(event.offsetX)); }, { passive: false });
  let dragged = null;
  canvas.addEventListener('pointerdown', (event) => { dragged = event.offsetX; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener('pointerup', () => { dragged = null; });
  canvas.addEventListener('pointermove', (event) => {
    if (dragged !== null) {
      const by = time(dragged) - time(event.offsetX);
      dragged = event.offsetX;
      return show(from + by, until + by);
    }
    const row = data.rows[Math.floor((event.offsetY - AXIS) / ROW)], t = time(event.offsetX);
    const near = (until - from) / 150, words = [];
    if (row && event.offsetX > left()) {
      for (const [a, b, kind, text] of row.bars) if (t >= a - near && t <= b + near) words.push(`${row.label}: ${text ? text + ' ' : ''}${BARS[kind]}, ${readable(a)} to ${readable(b)}`);
      for (const [at, kind] of row.marks) if (Math.abs(at - t) < near) words.push(`${row.label}: ${MARKS[kind]} at ${readable(at)}`);
    }
    tip.hidden = !words.length;
    tip.textContent = words.slice(0, 6).join('\n');
    tip.style.left = `${Math.min(event.clientX + 12, window.innerWidth - 260)}px`;
    tip.style.top = `${event.clientY + 12}px`;
  });
  canvas.addEventListener('pointerleave', () => { tip.hidden = true; });
  window.addEventListener('resize', draw);
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  // The window and the step of the story that are seen, and how to see them again.
  const seen = () => ({ from: Math.round(from), until: Math.round(until), step: now });
  const see = ({ from: a, until: b, step }) => {
    if (b > a) show(a, b);
    if (step >= 0) choose(step);
  };
  return { load, redraw: draw, seen, see };
}

// The page of one run brings its data; another page loads what it likes.
if (document.getElementById('data')) runView(document).load(JSON.parse(document.getElementById('data').textContent));
