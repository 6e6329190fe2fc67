'use strict';
// Draws the history of #data on #timeline. Only what is visible is drawn: in each lane the first
// visible operation is found by bisection, and of those that share a pixel one is drawn.
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const ops = data.ops;
  const count = ops.lane.length;
  const canvas = document.getElementById('timeline');
  const context = canvas.getContext('2d');
  const status = document.getElementById('status');
  const tip = document.getElementById('tip');
  const AXIS = 26, NARROWEST = 2;
  let LANE = 26, BAR = 14;  // taller where there is room
  const OUTCOMES = ['no answer', 'ok', 'failed', 'unknown outcome'];
  const OK = 1, FAIL = 2;

  // --- the lanes, each with its operations and holds in the order of time
  const lanes = data.lanes.map((name) => ({ name, ops: [], holds: [] }));
  for (let i = 0; i < count; ++i) lanes[ops.lane[i]].ops.push(i);
  const FOREVER = data.end * 1.05 + 1;
  const until = new Float64Array(count);  // where the bar ends: of an open one at the next, or at the end of all
  for (const lane of lanes) {
    lane.ops.forEach((op, place) => {
      const next = place + 1 < lane.ops.length ? ops.from[lane.ops[place + 1]] : FOREVER;
      until[op] = ops.to[op] < 0 ? Math.max(next, ops.from[op]) : ops.to[op];
    });
  }
  const holdEnd = (hold) => (hold[2] < 0 ? FOREVER : hold[2]);
  for (const hold of data.holds) lanes[hold[0]].holds.push(hold);
  const REACH = 4;  // the latest end of this hold and of those before it: ascending, unlike the ends
  for (const lane of lanes) {
    let reach = -Infinity;
    for (const hold of lane.holds) hold[REACH] = reach = Math.max(reach, holdEnd(hold));
  }
  const byIndex = new Map();
  for (let i = 0; i < count; ++i) {
    byIndex.set(ops.invoked[i], i);
    if (ops.ended[i] >= 0) byIndex.set(ops.ended[i], i);
  }
  const witness = data.witness.map((index) => byIndex.get(index)).filter((op) => op !== undefined);
  const witnessSet = new Set(witness);
  const witnessHolds = data.holds.filter((hold) => witnessSet.has(byIndex.get(hold[3])));

  // --- words
  const text = (id) => (id < 0 ? '' : data.texts[id]);
  const readable = (t) => {
    if (data.unit === 'index') return `index ${t + data.base}`;
    return parts.readable(t + data.base);
  };
  const title = (op) => [data.functions[ops.f[op]], text(ops.value[op])].filter(Boolean).join(' ');
  const describe = (op) => {
    const lines = [`${lanes[ops.lane[op]].name}: ${title(op)}, ${OUTCOMES[ops.end[op]]}`];
    lines.push(`invoked at index ${ops.invoked[op]}` + (data.unit === 'ns' ? ` (${readable(ops.from[op])})` : ''));
    if (ops.ended[op] >= 0) lines.push(`ended at index ${ops.ended[op]}` + (data.unit === 'ns' && ops.to[op] >= 0 ? ` (${readable(ops.to[op])})` : ''));
    if (ops.object[op] >= 0) lines.push(`object: ${text(ops.object[op])}`);
    if (ops.answer[op] >= 0) lines.push(`answer: ${text(ops.answer[op])}`);
    if (ops.token[op] >= 0) lines.push(`token: ${text(ops.token[op])}`);
    if (ops.hold[op] > 0) lines.push(`hold: ${ops.hold[op]}`);
    if (witnessSet.has(op)) lines.push('part of the witness');
    return lines.join('\n');
  };

  // --- what is seen: view.from … view.to in time, lanes from view.top pixels on
  const whole = { from: 0, to: Math.max(data.end, 1) };
  const margin = (whole.to - whole.from) * 0.02;
  const view = { from: whole.from - margin, to: whole.to + margin, top: 0 };
  let chosen = -1, step = data.placed.length, width = 0, height = 0, gutter = 90, queued = false, colours = {};
  const placedAt = new Map();  // operation: its place in the linearization
  data.placed.forEach((p, place) => { const op = byIndex.get(p.index); if (op !== undefined) placedAt.set(op, place); });
  const stuck = data.stuck >= 0 ? byIndex.get(data.stuck) : undefined;

  const x = (t) => gutter + ((t - view.from) / (view.to - view.from)) * (width - gutter);
  const time = (px) => view.from + ((px - gutter) / (width - gutter)) * (view.to - view.from);
  const lanesHeight = () => lanes.length * LANE;
  const scrolls = () => Math.max(0, lanesHeight() - (height - AXIS));

  function look(from, to) {
    const least = data.unit === 'index' ? 2 : 20, most = (whole.to - whole.from + 2 * margin) * 1.5;
    const length = Math.min(Math.max(to - from, least), Math.max(most, least));
    let middle = (from + to) / 2;
    middle = Math.min(Math.max(middle, whole.from), whole.to);
    view.from = middle - length / 2;
    view.to = middle + length / 2;
    draw();
  }
  function zoom(factor, at = (view.from + view.to) / 2) { look(at - (at - view.from) * factor, at + (view.to - at) * factor); }
  function pan(share) { const d = (view.to - view.from) * share; look(view.from + d, view.to + d); }
  function scroll(pixels) { view.top = Math.min(Math.max(view.top + pixels, 0), scrolls()); draw(); }
  function showLane(lane) {
    const y = lane * LANE, room = height - AXIS;
    if (y < view.top) view.top = y;
    if (y + LANE > view.top + room) view.top = y + LANE - room;
    view.top = Math.min(Math.max(view.top, 0), scrolls());
  }
  function lookAtWitness() {
    const before = data.placed.slice(-5).map((p) => byIndex.get(p.index)).filter((op) => op !== undefined);
    const all = stuck === undefined ? witness : [stuck, ...before];
    if (all.length === 0) return look(whole.from - margin, whole.to + margin);
    let from = Infinity, to = -Infinity;
    for (const op of all) {
      from = Math.min(from, ops.from[op]);
      to = Math.max(to, ops.to[op] < 0 ? ops.from[op] : ops.to[op]);
    }
    for (const hold of witnessHolds) if (hold[2] >= 0 && hold[2] - to < (to - from) * 3) to = Math.max(to, hold[2]);
    const room = Math.max((to - from) * 0.3, data.unit === 'index' ? 2 : 100);
    showLane(Math.min(...all.map((op) => ops.lane[op])));
    look(from - room, to + room);
  }
  function choose(op, move) {
    chosen = op;
    status.textContent = op < 0 ? '' : describe(op);
    if (op >= 0) {
      if (move && (x(ops.from[op]) < gutter || x(ops.from[op]) > width - 20)) {
        const half = (view.to - view.from) / 2;
        look(ops.from[op] - half, ops.from[op] + half);
      }
      if (move) showLane(ops.lane[op]);
    }
    canvas.dataset.chosen = op < 0 ? '' : ops.invoked[op];
    draw();
  }
  function lookAt(op) {
    const end = ops.to[op] < 0 ? ops.from[op] : ops.to[op];
    if (x(ops.from[op]) < gutter || x(end) > width || x(end) - x(ops.from[op]) < 3) {
      const half = Math.max((end - ops.from[op]) * 4, (view.to - view.from) / 8, 10);
      look(ops.from[op] - half, end + half);
    }
    choose(op, true);
  }

  // --- drawing
  const { bisect } = parts;
  const eachVisible = (...what) => parts.eachVisible({ from: view.from, to: view.to, x, time, left: gutter, right: width }, ...what, NARROWEST);
  function ticks() {
    const target = Math.max(1, (width - gutter) / 110);
    const raw = (view.to - view.from) / target, power = 10 ** Math.floor(Math.log10(raw));
    let size = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
    size = Math.max(size, 1);
    context.fillStyle = colours.faint;
    context.strokeStyle = colours.line;
    context.textAlign = 'left';
    const unit = size >= 1e8 ? ['s', 1e9] : size >= 1e5 ? ['ms', 1e6] : size >= 100 ? ['µs', 1e3] : ['ns', 1];
    const digits = Math.max(0, Math.ceil(-Math.log10(size / unit[1])));
    for (let t = Math.ceil((view.from + data.base) / size) * size; t <= view.to + data.base; t += size) {
      const px = Math.round(x(t - data.base)) + 0.5;
      if (px < gutter || t < data.base) continue;  // the axis starts at 0
      context.beginPath();
      context.moveTo(px, AXIS - 6);
      context.lineTo(px, height);
      context.stroke();
      context.fillText(data.unit === 'index' ? String(t) : `${(t / unit[1]).toFixed(digits)} ${unit[0]}`, px + 3, 12);
    }
  }
  function bar(op, left, wide, y) {
    const marked = witnessSet.has(op) || op === stuck;
    const top = y + (LANE - BAR) / 2;
    const open = ops.end[op] !== OK && ops.end[op] !== FAIL;
    context.fillStyle = marked ? colours.witness : open ? colours.open : ops.end[op] === FAIL ? colours.fail : colours.ok;
    if (open && wide > 24) {  // open to the right: it frays
      const begins = x(ops.from[op]) >= gutter;
      const label = begins ? title(op) : '', room = context.measureText(label).width + 10;
      const solid = begins ? (wide > room + 12 ? room : 12) : 0;
      context.fillRect(left, top, solid, BAR);
      for (let px = left + solid + 3; px < left + wide; px += 8) context.fillRect(px, top + BAR / 2 - 2, 4, 4);
      if (solid === room) {
        context.fillStyle = colours.onBar;
        context.fillText(label, left + 4, top + BAR / 2 + 4);
      }
    } else {
      context.fillRect(left, top, wide, BAR);
    }
    if (wide > 34 && !open) {
      const label = title(op) + (ops.end[op] === FAIL ? ' ✗' : '') + (ops.answer[op] >= 0 ? ` → ${text(ops.answer[op])}` : '');
      context.fillStyle = colours.onBar;
      context.save();
      context.beginPath();
      context.rect(left + 3, top, wide - 6, BAR);
      context.clip();
      context.fillText(label.slice(0, 200), left + 4, top + BAR / 2 + 4);
      context.restore();
    }
    const place = placedAt.get(op);
    if (place !== undefined && place < step && wide > 6) {
      context.fillStyle = colours.chosen;
      context.fillText(String(data.omitted + place + 1), left + 1, top - 1);
    }
    if (op === chosen) {
      context.strokeStyle = colours.chosen;
      context.lineWidth = 2;
      context.strokeRect(left - 1.5, top - 2.5, wide + 3, BAR + 5);
      context.lineWidth = 1;
    }
  }
  function paint() {
    queued = false;
    context.font = '12px system-ui, sans-serif';
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, width, height);
    ticks();
    context.save();
    context.beginPath();
    context.rect(0, AXIS, width, height - AXIS);
    context.clip();
    let drawn = 0;
    const first = Math.floor(view.top / LANE), last = Math.min(lanes.length - 1, Math.floor((view.top + height - AXIS) / LANE));
    for (let l = first; l <= last; ++l) {
      const lane = lanes[l], y = AXIS + l * LANE - view.top;
      context.strokeStyle = colours.line;
      context.beginPath();
      context.moveTo(0, Math.round(y + LANE) - 0.5);
      context.lineTo(width, Math.round(y + LANE) - 0.5);
      context.stroke();
      drawn += eachVisible(lane.holds, (h) => h[1], holdEnd, (h) => h[REACH], (hold, left, wide) => {
        context.fillStyle = colours.held;
        context.fillRect(left, y + 2, wide, LANE - 4);
      });
      for (const hold of witnessHolds) {
        if (hold[0] !== l || hold[1] > view.to || holdEnd(hold) < view.from) continue;
        const left = Math.max(x(hold[1]), gutter), right = Math.min(x(holdEnd(hold)), width);
        context.fillStyle = colours.witnessHeld;
        context.fillRect(left, y + 1, Math.max(right - left, NARROWEST), LANE - 2);
        context.strokeStyle = colours.witness;
        context.strokeRect(left + 0.5, y + 1.5, Math.max(right - left, NARROWEST) - 1, LANE - 4);
        const end = hold[2] < 0 ? 'never released' : '';
        const token = ops.token[byIndex.get(hold[3])];
        const words = ['holds', token >= 0 ? `token ${text(token)}` : '', end].filter(Boolean).join(', ');
        const room = context.measureText(words).width + 12, answer = Math.max(x(until[byIndex.get(hold[3])]), gutter);
        const after = lane.ops.find((op) => ops.from[op] > hold[1]);
        if (Math.min(right, after === undefined ? width : x(ops.from[after])) - answer > room) { context.fillStyle = colours.witness; context.fillText(words, answer + 6, y + LANE / 2 + 4); }
      }
      const visit = (op, left, wide) => bar(op, left, wide, y);
      drawn += eachVisible(lane.ops, (op) => ops.from[op], (op) => until[op], (op) => until[op], visit);
      const marks = [...witness, chosen, stuck].filter((op) => op >= 0 && ops.lane[op] === l && ops.from[op] <= view.to && until[op] >= view.from);
      for (const op of marks) {  // over all others, so that no neighbour hides them
        const left = Math.max(x(ops.from[op]), gutter);
        bar(op, left, Math.max(Math.min(x(until[op]), width) - left, NARROWEST + 1), y);
      }
      context.fillStyle = colours.paper;
      context.fillRect(0, y, gutter - 4, LANE - 1);
      context.fillStyle = colours.ink;
      context.fillText(lane.name, 8, y + LANE / 2 + 4, gutter - 16);
    }
    if (chosen >= 0) {
      context.strokeStyle = colours.chosen;
      context.setLineDash([3, 3]);
      for (const t of [ops.from[chosen], ops.to[chosen]]) {
        if (t < 0 || x(t) < gutter) continue;
        context.beginPath();
        context.moveTo(x(t), AXIS);
        context.lineTo(x(t), height);
        context.stroke();
      }
      context.setLineDash([]);
    }
    context.restore();
    if (scrolls() > 0) {
      const room = height - AXIS, part = room / lanesHeight();
      context.fillStyle = colours.fail;
      context.fillRect(width - 5, AXIS + view.top * part, 4, Math.max(room * part, 12));
    }
    canvas.dataset.drawn = drawn;
    canvas.dataset.from = view.from;
    canvas.dataset.to = view.to;
    canvas.dataset.ready = 'yes';
  }
  function draw() { if (!queued) { queued = true; requestAnimationFrame(paint); } }
  function resize() {
    width = canvas.clientWidth;
    const room = Math.max(180, window.innerHeight - 230);
    LANE = Math.min(Math.max(Math.floor((room - AXIS - 2) / Math.max(lanes.length, 1)), 26), 40);
    BAR = Math.round(LANE * 0.55);
    height = Math.min(AXIS + lanesHeight() + 2, room);
    parts.fit(canvas, height);
    context.font = '12px system-ui, sans-serif';
    const longest = lanes.slice(0, 2000).reduce((most, lane) => Math.max(most, context.measureText(lane.name).width), 0);
    gutter = Math.min(Math.max(longest + 20, 60), Math.max(60, width / 4));
    view.top = Math.min(view.top, scrolls());
    draw();
  }
  function readColours() {
    colours = parts.colours(['paper', 'ink', 'faint', 'line', 'ok', 'fail', 'open', 'held', 'witness', 'witnessHeld', 'chosen', 'onBar']);
    draw();
  }

  // --- mouse and touch
  function at(event) {
    const box = canvas.getBoundingClientRect();
    const px = event.clientX - box.left, py = event.clientY - box.top;
    const lane = Math.floor((py - AXIS + view.top) / LANE);
    if (py < AXIS || px < gutter || lane < 0 || lane >= lanes.length) return -1;
    const list = lanes[lane].ops, t = time(px), slack = time(px + 3) - t;
    const marked = [...witness, stuck].find((op) => op >= 0 && ops.lane[op] === lane && ops.from[op] - slack <= t && until[op] + slack >= t);
    if (marked !== undefined) return marked;
    const place = bisect(list.length, (i) => until[list[i]] < t - slack);
    return place < list.length && ops.from[list[place]] <= t + slack ? list[place] : -1;
  }
  const hideTip = () => { tip.hidden = true; };
  parts.gestures(canvas, {
    begin: () => ({ from: view.from, to: view.to, top: view.top }),
    move: (start, dx, dy) => {
      const d = (dx / (width - gutter)) * (start.to - start.from);
      view.top = Math.min(Math.max(start.top - dy, 0), scrolls());
      look(start.from - d, start.to - d);
    },
    click: (event) => choose(at(event), false),
    hover: (event) => { const op = at(event); parts.showTip(tip, event, op < 0 ? '' : describe(op)); },
    leave: hideTip,
    wheel: (event, px) => {
      if (event.shiftKey) return scroll(event.deltaY || event.deltaX);
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) return pan(event.deltaX / (width - gutter));
      zoom(parts.zoomOf(event), time(Math.max(px, gutter)));
    },
  });

  // --- keyboard
  function next(by) {
    if (count === 0) return;
    if (chosen < 0) return choose(Math.min(bisect(count, (i) => ops.from[i] < view.from), count - 1), true);
    choose(Math.min(Math.max(chosen + by, 0), count - 1), true);
  }
  const keys = {
    ArrowLeft: () => pan(-0.15), ArrowRight: () => pan(0.15), ArrowUp: () => scroll(-LANE), ArrowDown: () => scroll(LANE),
    PageUp: () => scroll(AXIS - height), PageDown: () => scroll(height - AXIS),
    '+': () => zoom(0.6), '=': () => zoom(0.6), '-': () => zoom(1 / 0.6), '0': () => look(whole.from - margin, whole.to + margin),
    Home: () => look(whole.from - margin, whole.from - margin + (view.to - view.from)), End: () => look(whole.to + margin - (view.to - view.from), whole.to + margin),
    w: lookAtWitness, n: () => next(1), p: () => next(-1), '[': () => goTo(step - 1), ']': () => goTo(step + 1),
    Escape: () => { tip.hidden = true; choose(-1, false); },
  };
  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  const actions = { in: keys['+'], out: keys['-'], all: keys['0'], witness: lookAtWitness, next: keys.n, previous: keys.p };
  for (const button of document.querySelectorAll('[data-do]')) button.addEventListener('click', () => actions[button.dataset.do]());
  for (const button of document.querySelectorAll('[data-index]')) {
    button.addEventListener('click', (event) => { event.preventDefault(); const op = byIndex.get(Number(button.dataset.index)); if (op !== undefined) lookAt(op); });
  }

  // --- the partial linearization, step by step
  const slider = document.getElementById('step');
  const items = [...document.querySelectorAll('.placed li')];
  function goTo(to, quietly) {
    if (!slider) return;
    step = Math.min(Math.max(to, 0), data.placed.length);
    slider.value = step;
    items.forEach((item, i) => { item.classList.toggle('now', i === step - 1); item.classList.toggle('later', i >= step); });
    const now = step === 0 ? null : data.placed[step - 1];
    const words = step === 0 ? `At the beginning: ${data.initial}` : `${data.omitted + step}. ${now.operation} → ${now.state}`;
    document.getElementById('state').textContent = words;
    slider.setAttribute('aria-valuetext', words);
    canvas.dataset.step = step;
    if (quietly) return draw();
    if (step > 0) items[step - 1].scrollIntoView({ block: 'nearest' });
    const op = now && byIndex.get(now.index);
    if (op !== undefined && op !== null) choose(op, true); else draw();
  }
  if (slider) {
    slider.addEventListener('input', () => goTo(Number(slider.value)));
    document.getElementById('back').addEventListener('click', () => goTo(step - 1));
    document.getElementById('forth').addEventListener('click', () => goTo(step + 1));
    goTo(data.placed.length, true);
  }

  window.addEventListener('resize', resize);
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', readColours);
  readColours();
  resize();
  lookAtWitness();
})();
