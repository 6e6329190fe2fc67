'use strict';
// The settings of a scenario as controls: sliders for durations and for laws of durations, selections, switches, texts.

const PICKLOCK_UNITS = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, min: 60e9, h: 3600e9 };

// Nanoseconds of "1.5s", "-20ms"; NaN of anything else.
function picklockNs(text) {
  const match = /^(-?\d+(?:\.\d+)?)(ns|us|ms|s|min|h)$/.exec(text.trim());
  return match ? Number(match[1]) * PICKLOCK_UNITS[match[2]] : NaN;
}

// To three digits, in the largest unit in which they are a short number.
function picklockDuration(ns) {
  if (ns === 0) return '0s';
  const digits = Math.max(1, 10 ** (Math.floor(Math.log10(Math.abs(ns))) - 2)), rounded = Math.round(ns / digits) * digits;
  const unit = ['s', 'ms', 'us'].find((u) => Math.abs(rounded) >= PICKLOCK_UNITS[u]) || 'ns';
  return `${Number((rounded / PICKLOCK_UNITS[unit]).toFixed(3))}${unit}`;
}

// The same value or law, so many times as long; nothing if it has another form.
function picklockScaled(text, factor) {
  const parts = text.split('..').map(picklockNs);
  if (parts.length > 2 || parts.some(Number.isNaN)) return null;
  return parts.map((ns) => picklockDuration(ns * factor)).join('..');
}

const PICKLOCK_DURATIONS = ['duration', 'optional-duration', 'law', 'optional-law'];

// What is shown before "All settings": what the file says, and what decides about locks in general.
function picklockMatters(setting) {
  const { path, part, field, type } = setting;
  if (['lock.name', 'lock.on-loss', 'storage.fence', 'network.latency'].includes(path) || field === 'drift-ppm') return true;
  if (part.startsWith('expect') || path === 'event-budget') return false;
  if (part === 'lock') return setting.said || (type === 'duration' && ['ttl', 'session', 'lease', 'timeout'].includes(field));
  if (part.startsWith('clock') || part.startsWith('network.link')) return setting.said && !['node', 'from', 'to'].includes(field);
  if (part.startsWith('fault')) return setting.said;
  if (part.startsWith('clients')) return field === 'hold' || (setting.said && field !== 'name');
  return setting.said;
}

// What decides most comes first.
const PICKLOCK_ORDER = ['lock', 'fault', 'clients', 'clock', 'network.link', 'network', 'storage'];

// What a part is called: its kind and whom it concerns, if it says so.
function picklockPartName(part, values) {
  const say = (field) => values.get(`${part}.${field}`);
  if (part.startsWith('fault[')) return `${say('kind')}${say('node') && say('node') !== 'none' ? ` of ${say('node')}` : ''}`;
  if (part.startsWith('clients[')) return `client ${say('name')}`;
  if (part.startsWith('clock')) return `clock of ${say('node')}`;
  if (part.startsWith('network.link[')) return `link ${say('from')} → ${say('to')}`;
  return part || 'scenario';
}

// The controls of some settings. `changed(path, value, structure)` is told of each change: `structure`: other settings may
// follow from it. `dropped` is the set of parts that are left out, `drop(part, out)` leaves one out or takes it back.
// `values` has the values of all settings by path.
function picklockControls(holder, settings, { values, changed, dropped, drop, changes }) {
  const parts = new Map();
  for (const setting of settings) {
    if (!parts.has(setting.part)) parts.set(setting.part, []);
    parts.get(setting.part).push(setting);
  }
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  let number = 0;
  const knob = (setting) => {
    const id = `knob-${Math.random().toString(36).slice(2)}-${++number}`;
    const row = make('div', { class: 'knob', title: `${setting.help}${setting.range ? ` (${setting.range})` : ''}`, 'data-path': setting.path });
    const label = make('label', { for: id }, setting.field);
    const say = (value, structure = false) => {
      row.classList.add('changed');
      changed(setting.path, value, structure);
    };
    row.append(label);
    row.classList.toggle('changed', changes.has(setting.path));
    if (setting.type === 'choice' || setting.type === 'boolean') {
      const select = make('select', { id, class: 'wide' });
      for (const name of setting.type === 'boolean' ? ['false', 'true'] : setting.names) select.append(make('option', { value: name }, name));
      select.value = setting.value;
      select.addEventListener('change', () => say(select.value, true));
      row.append(select);
      return row;
    }
    const text = make('input', { id, type: 'text', autocomplete: 'off', 'aria-label': `${setting.part || 'scenario'} ${setting.field}` });
    text.value = setting.value;
    text.addEventListener('change', () => say(text.value));
    const ppm = setting.type === 'integer' && /ppm/.test(setting.field);
    const start = PICKLOCK_DURATIONS.includes(setting.type) ? (picklockScaled(setting.value, 1) ? setting.value : '100ms') : '';
    const slides = ppm || (start && !(setting.type.includes('law') && !picklockScaled(setting.value, 1) && setting.value !== 'none'));
    if (!slides) {
      text.classList.add('wide');
      row.append(text);
      return row;
    }
    const slider = make('input', { type: 'range', 'aria-label': `${setting.part || 'scenario'} ${setting.field}` });
    const zero = start && start.split('..').every((part) => picklockNs(part) === 0);
    const base = zero ? '1ms' : start;
    if (ppm) {
      const most = Math.max(100000, Math.abs(Number(setting.value)) * 3);
      Object.assign(slider, { min: -most, max: most, step: most / 200, value: setting.value });
    } else {
      Object.assign(slider, { min: -150, max: 150, step: 1, value: zero ? -150 : 0 });
    }
    slider.addEventListener('input', () => {
      text.value = ppm ? String(Math.round(slider.value)) : picklockScaled(base, 10 ** (slider.value / 100));
      say(text.value);
    });
    row.append(slider, text);
    return row;
  };
  holder.replaceChildren();
  const rank = (part) => PICKLOCK_ORDER.findIndex((one) => part === one || part.startsWith(`${one}[`) || part.startsWith(`${one}.`)) + 1 || PICKLOCK_ORDER.length + 1;
  for (const [part, all] of [...parts].sort(([a], [b]) => rank(a) - rank(b))) {
    const set = make('fieldset', { class: 'part' }), legend = make('legend');
    const entry = /^(fault|clock|clients|network\.link)\[\d+\]$/.test(part);
    const name = picklockPartName(part, values), small = name !== part && part ? [make('small', {}, part)] : [];
    if (drop && entry) {
      const box = make('input', { type: 'checkbox', 'aria-label': `play with ${part}, ${name}` });
      box.checked = !dropped.has(part);
      set.classList.toggle('off', dropped.has(part));
      box.addEventListener('change', () => {
        set.classList.toggle('off', !box.checked);
        drop(part, !box.checked);
      });
      legend.append(make('label', {}, box, ` ${name}`), ...small);
    } else {
      legend.append(name, ...small);
    }
    set.append(legend, ...all.map(knob));
    holder.append(set);
  }
}

if (typeof exports === 'object') Object.assign(exports, { picklockNs, picklockDuration, picklockScaled });
