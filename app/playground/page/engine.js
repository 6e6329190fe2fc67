'use strict';
// The WebAssembly module and the functions that it offers, for a page, a worker, or node.

// The part of WASI that the module needs: it writes what it has to say before it ends, and ends.
function picklockWasi(memory, said) {
  const NO_SUCH_DESCRIPTOR = 8, DONE = 0;
  const view = () => new DataView(memory().buffer);
  return {
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return DONE;
    },
    environ_get: () => DONE,
    fd_write(descriptor, vectors, count, written) {
      let bytes = 0, text = '';
      for (let i = 0; i < count; ++i) {
        const at = view().getUint32(vectors + 8 * i, true), size = view().getUint32(vectors + 8 * i + 4, true);
        text += new TextDecoder().decode(new Uint8Array(memory().buffer, at, size));
        bytes += size;
      }
      said(text);
      view().setUint32(written, bytes, true);
      return DONE;
    },
    fd_close: () => NO_SUCH_DESCRIPTOR,
    fd_seek: () => NO_SUCH_DESCRIPTOR,
    fd_read: () => NO_SUCH_DESCRIPTOR,
    fd_fdstat_get: () => NO_SUCH_DESCRIPTOR,
    fd_prestat_get: () => NO_SUCH_DESCRIPTOR,
    fd_prestat_dir_name: () => NO_SUCH_DESCRIPTOR,
    proc_exit(status) { throw new Error(`the simulator ended with status ${status}`); },
  };
}

// Starts a compiled module. Each function takes a question and gives its answer (app/playground/engine.hpp). After an exception
// the instance is of no use any more.
function picklockStart(module, progress = () => {}) {
  let exports, said = '';
  // An error of Lua comes back to where it is caught (app/playground/wasi/lua/errors.h) as an exception that passes through the module.
  const errorOfLua = {};
  const imports = {
    wasi_snapshot_preview1: picklockWasi(() => exports.memory, (text) => { said += text; }),
    picklock: {
      progress,
      jump() { throw errorOfLua; },
      attempt(call, lua, argument) {
        const stack = exports.__stack_pointer.value;
        try {
          exports.__indirect_function_table.get(call)(lua, argument);
        } catch (error) {
          if (error !== errorOfLua) throw error;
          exports.__stack_pointer.value = stack;
        }
      },
    },
  };
  exports = new WebAssembly.Instance(module, imports).exports;
  exports._initialize();
  const answer = (pointer) => {
    const bytes = new Uint8Array(exports.memory.buffer), end = bytes.indexOf(0, pointer >>> 0);
    return JSON.parse(new TextDecoder().decode(bytes.subarray(pointer >>> 0, end)));
  };
  const call = (name, ...values) => {
    said = '';
    try {
      return answer(exports[name](...values));
    } catch (error) {
      throw new Error(said.trim() || `${error.message || error}`);
    }
  };
  const ask = (name) => (question) => {
    const bytes = new TextEncoder().encode(JSON.stringify(question)), at = exports.picklock_memory(bytes.length) >>> 0;
    new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
    return call(name, bytes.length);
  };
  return {
    list: () => call('picklock_list'),
    locks: () => call('picklock_locks'),
    read: ask('picklock_read'),
    run: ask('picklock_run'),
    beginRange: ask('picklock_begin_range'),
    moreOfRange: (seeds) => call('picklock_more_of_range', seeds),
    explain: ask('picklock_explain'),
  };
}

// What a worker does: it gets the module first, then questions {id, what, question}, and answers {id, answer} or {id, failed}.
// A question "count" or "find" is answered in parts.
function picklockWorker(scope) {
  let engine = null, module = null, explained = 0, last = 0;
  const progress = (runs) => {
    if (runs < explained + 20) return;
    explained = runs;
    scope.postMessage({ id: last, explained });
  };
  // Seeds a part, so that a part takes about so many milliseconds.
  const PART_MS = 60;
  const count = ({ id, question, until, property }) => {
    let seeds = 1;
    const begun = engine.beginRange(question);
    if (begun.errors.length) return scope.postMessage({ id, answer: begun });
    for (let runs = 0; runs < until;) {
      const begin = performance.now();
      const part = Math.max(1, Math.min(seeds, until - runs));
      const sums = engine.moreOfRange(part);
      runs = sums.runs;
      const found = property && sums.properties.find((p) => p.property === property && p.first !== null);
      const done = runs >= until || Boolean(found) || Boolean(sums.error);
      scope.postMessage(done ? { id, answer: { ...sums, until } } : { id, part: { ...sums, until } });
      if (done) return undefined;
      const took = performance.now() - begin;
      if (took < PART_MS) seeds = Math.min(4096, seeds * 2);
      else if (seeds > 1) seeds = Math.max(1, Math.floor((seeds * PART_MS) / took));
    }
    return undefined;
  };
  scope.onmessage = ({ data }) => {
    if (data.module) {
      module = data.module;
      engine = picklockStart(module, progress);
      return;
    }
    last = data.id;
    explained = 0;
    try {
      if (data.what === 'count') count(data);
      else {
        const begin = performance.now(), answer = engine[data.what](data.question);
        scope.postMessage({ id: data.id, answer, took: performance.now() - begin });
      }
    } catch (error) {
      engine = picklockStart(module, progress);
      scope.postMessage({ id: data.id, failed: error.message });
    }
  };
}

if (typeof exports === 'object') Object.assign(exports, { picklockStart });
