'use strict';
// A link: what is shown, as JSON, deflated, in the fragment of the page's address. app/playground/link.hpp says the same of it,
// and `picklock run LINK` plays it.

const PICKLOCK_LINK = {
  PREFIX: '#run=',
  MOST_CHARACTERS: 1 << 18,  // of a fragment that is read at all
  MOST_BYTES: 1 << 21,       // of what it becomes
  MOST_LOCKS: 4,             // in Lua, of a run
  LONG: 8192,                // characters, from which on the page warns
};

async function picklockPour(bytes, stream, most) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(), parts = [];
  for (let size = 0;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.length;
    if (size > most) {
      await reader.cancel();
      throw new Error(`the link unpacks to more than ${most} bytes`);
    }
    parts.push(value);
  }
}

async function picklockEncode(state) {
  const short = (key, value) => (key === 'locks' && !Object.keys(value).length ? undefined : value);
  const packed = await picklockPour(new TextEncoder().encode(JSON.stringify(state, short)), new CompressionStream('deflate-raw'), Infinity);
  let text = '';
  for (const byte of packed) text += String.fromCharCode(byte);
  return PICKLOCK_LINK.PREFIX + btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

// Gives a state of which every member has its type, or throws an error that says what is wrong.
async function picklockDecode(fragment) {
  if (!fragment.startsWith(PICKLOCK_LINK.PREFIX)) throw new Error(`the link does not begin with ${PICKLOCK_LINK.PREFIX}`);
  if (fragment.length > PICKLOCK_LINK.MOST_CHARACTERS) throw new Error(`the link has more than ${PICKLOCK_LINK.MOST_CHARACTERS} characters`);
  const text = fragment.slice(PICKLOCK_LINK.PREFIX.length);
  if (!/^[\w-]+$/.test(text)) throw new Error('the link has characters that no link has');
  let bytes, state;
  try {
    bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
  } catch (error) {
    throw new Error('the link is cut off, or was changed on its way');
  }
  try {
    const json = await picklockPour(bytes, new DecompressionStream('deflate-raw'), PICKLOCK_LINK.MOST_BYTES);
    state = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json));
  } catch (error) {
    throw new Error(/more than/.test(error.message) ? error.message : 'the link is cut off, or was changed on its way');
  }
  const word = (value) => (typeof value === 'string' ? value : '');
  const words = (value) => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []);
  const number = (value, usual) => (Number.isSafeInteger(value) && value >= 0 ? value : usual);
  if (typeof state !== 'object' || state === null || state.v !== 1 || !Array.isArray(state.runs) || !state.runs.length) {
    throw new Error('the link is of another version of the playground');
  }
  const texts = (value) => (typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).filter(([, text]) => typeof text === 'string').slice(0, PICKLOCK_LINK.MOST_LOCKS)) : {});
  const runs = state.runs.slice(0, 2).map((r) => {
    const run = typeof r === 'object' && r !== null ? r : {};
    return { name: word(run.name), toml: word(run.toml), variant: word(run.variant), set: words(run.set), without: words(run.without), lock: word(run.lock), locks: texts(run.locks), seed: number(run.seed, 1) };
  });
  const view = typeof state.view === 'object' && state.view !== null ? state.view : {};
  return { v: 1, runs, view: { from: number(view.from, 0), until: number(view.until, 0), step: number(view.step, -1) } };
}

if (typeof exports === 'object') Object.assign(exports, { picklockEncode, picklockDecode, PICKLOCK_LINK });
