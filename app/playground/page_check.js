'use strict';
// Checks the page's scripts under node, with the WebAssembly module: exercises and links.
//
//   node app/playground/page_check.js MODULE                  judges right and wrong answers to every exercise, reads hostile links
//   node app/playground/page_check.js MODULE read FRAGMENT    prints what the page reads from a link
//   node app/playground/page_check.js MODULE write STATE      prints the link of a state, as JSON
const fs = require('fs'), path = require('path'), assert = require('assert');
const page = (name) => require(path.join(__dirname, 'page', name));
const { picklockStart } = page('engine.js'), { PICKLOCK_EXERCISES, picklockJudge } = page('exercises.js');
const { picklockEncode, picklockDecode } = page('link.js'), { picklockScaled, picklockDuration } = page('controls.js');

// Right and wrong answers by chapter; for `reach` questions about what is on the screen.
const ANSWERS = {
  1: [['950ms'], ['500ms', '1s', 'long', '']],
  2: [['7s', '6.5s'], ['1s', '9s']],
  3: [['yes'], ['no', '']],
  4: [['10s'], ['2s', '30s']],
  5: [['6s'], ['1s', '12s']],
  6: [['100ms'], ['5ms', '20ms', '']],
  7: [[{ name: 'paused_holder/fenced_writes' }], [{ name: 'paused_holder/fenced', set: ['storage.fence=writes'] }, { name: 'paused_holder' }]],
  8: [[{ name: 'deadlock_opposite_order', set: ['clients.b.locks=x, y'] }], [{ name: 'deadlock_opposite_order' }, { name: 'paused_holder' }, { name: 'deadlock_opposite_order', without: ['clients.b'] }]],
  9: [['no'], ['yes', '']],
  10: locksOfChapter10(),
};

// Locks for chapter 10: the skeletons of `picklock new lock`, and others that differ from the sound one in a function.
function locksOfChapter10() {
  const example = (folder) => fs.readFileSync(path.join(__dirname, '../../examples', folder, 'own_lock.lua'), 'utf8');
  const sound = example('own_lock_lua'), mistaken = example('mistaken_lock_lua');
  const played = (text) => ({ lock: 'own.lua', locks: text ? { 'own.lua': text } : {} });
  const release = (body) => sound.slice(0, sound.indexOf('function release')) + `function release(ctx, hold)\n${body}\nend\n`;
  const acquire = (body) => `${sound.slice(0, sound.indexOf('function acquire'))}function acquire(ctx, patience)\n${body}\nend\n${sound.slice(sound.indexOf('function release'))}`;
  const looks = 'local found = redis:call("GET", ctx.name)\nif not found.yes or found.value ~= hold.value then return found.unknown and unknown or no end\n';
  const watches = `redis:call("WATCH", ctx.name)\n${looks.replace('then', 'then redis:call("UNWATCH")')}redis:call("MULTI")\nredis:call("DEL", ctx.name)\nlocal done = redis:call("EXEC")\nif done.unknown then return unknown end\nreturn done.yes and done.value and yes or no`;
  return [[sound, release(watches)].map(played), [
    mistaken, '', 'lock = 5',
    release('return redis:call("DEL", ctx.name)'),
    release(`${`do ${looks}end\n`.repeat(3)}return redis:call("DEL", ctx.name)`),
    release('if hold.deadline and host:now() >= hold.deadline then return no end\nreturn redis:call("DEL", ctx.name)'),
    release(`${looks}if hold.deadline and host:now() >= hold.deadline then return no end\nreturn redis:call("DEL", ctx.name)`),
    release('return no'), release('return yes'), release('return hold.nothing.at_all'),
    acquire('return no'), acquire('while not patience:over() do patience:pause(ctx.options.retry) end\nreturn patience:exhausted()'),
    acquire('return { value = "everybody" }'),
    sound.replace(', "PX", math.floor(ctx.options.ttl)', ''), mistaken.replace('"PX", math.floor(ctx.options.ttl)', '"PX", 30000'),
  ].map(played)];
}

async function checkExercises(engine) {
  const play = async (question, seeds) => {
    const begun = engine.beginRange(question);
    return begun.errors.length ? begun : engine.moreOfRange(seeds);
  };
  const run = async (question) => engine.run(question);
  for (const exercise of PICKLOCK_EXERCISES) {
    const [right, wrong] = ANSWERS[exercise.chapter];
    for (const [answers, wanted] of [[right, true], [wrong, false]]) {
      for (const answer of answers) {
        const question = { name: exercise.name, set: [], without: [], lock: '', ...(typeof answer === 'object' ? answer : {}) };
        const settings = new Map((engine.read(question).settings || []).map((s) => [s.path, s.value]));
        const judged = await picklockJudge(exercise, answer, { play, run, shown: { question, settings } }).catch((error) => ({ right: false, words: error.message }));
        const words = `chapter ${exercise.chapter}, answer ${JSON.stringify(answer).slice(-100)}: ${judged.right} ${judged.words}`;
        console.log(words);
        assert.strictEqual(judged.right, wanted, words);
        if (judged.show) assert.deepStrictEqual(engine.run(judged.show).errors, []);
      }
    }
  }
}

async function checkLinks() {
  const state = { v: 1, runs: [{ name: 'paused_holder', toml: '# é\n', variant: '', set: ['lock.ttl=1s'], without: ['fault[0]'], lock: 'own.lua', locks: { 'own.lua': '-- é\n' }, seed: 7 }], view: { from: 1, until: 2, step: 3 } };
  const link = await picklockEncode(state);
  assert.deepStrictEqual(await picklockDecode(link), state);
  const bomb = await picklockEncode({ v: 1, runs: [{ toml: 'x'.repeat(1 << 22) }] });
  const types = await picklockEncode({ v: 1, runs: [{ name: 5, set: 'x', without: [1, 'fault[0]'], locks: { 'a.lua': 1 }, seed: -3 }, null, 7], view: 'x' });
  for (const [bad, why] of [[bomb, /more than/], [link.slice(0, -9), /cut off/], ['#run=', /characters/], ['#run=<b>', /characters/], ['#x', /begin/], [`#run=${'A'.repeat(1 << 19)}`, /more than/],
    [await picklockEncode({ v: 2, runs: [] }), /version/], [await picklockEncode(null), /version/]]) {
    await assert.rejects(picklockDecode(bad), why);
  }
  assert.deepStrictEqual((await picklockDecode(types)).runs[0], { name: '', toml: '', variant: '', set: [], without: ['fault[0]'], lock: '', locks: {}, seed: 1 });
  assert.strictEqual(picklockScaled('50us..150us', 10), '500us..1.5ms');
  assert.strictEqual(picklockScaled('exp(10ms, cap 1s)', 2), null);
  assert.deepStrictEqual([1, 1500, 2.5e6, 1e9, 0, 123456789, 99.99e9].map(picklockDuration), ['1ns', '1.5us', '2.5ms', '1s', '0s', '123ms', '100s']);
}

function checkHostile(engine) {
  for (const question of [null, 7, [], { name: 5 }, { name: '../../etc/passwd' }, { name: '/etc/passwd' }, { toml: '\u0000' }, { toml: 'lock = "evil.lua"\nclients = [{name="a"}]' }, { name: 'paused_holder', locks: { passwd: 'x' } }, { name: 'paused_holder', lock: 'b.lua', locks: { 'a.lua': '' } },
    { toml: '['.repeat(100000) }, { toml: 'a'.repeat(2000000) }, { name: 'paused_holder', set: ['lock.name=x.lua'] }, { name: 'paused_holder', without: ['fault[99]'] }]) {
    const answer = engine.run(question);
    assert.ok(answer.errors.length > 0, JSON.stringify(question).slice(0, 80));
  }
  const lock = (text) => ({ name: 'paused_holder', lock: 'own.lua', locks: { 'own.lua': text }, seed: 1 });
  const [{ text: good }] = engine.locks().filter((l) => l.name === 'set_nx_px.lua');
  assert.ok(!engine.run(lock(good)).errors.length);
  for (const [text, why] of [['while true do end', /stopped after/], ['local t = {} while true do t[#t + 1] = ("x"):rep(1000) end', /memory|stopped/], ['local function f() return f() + 1 end f()', /overflow|memory/],
    ['x = ("a"):rep(3e8)', /memory/], ['lock = {} setmetatable({}, { __gc = print })', /./], ['\x1bLua', /bytecode/], ['os.exit()', /os/], ['return io.open("x")', /io/], ['lock = 5', /head/], ['\u0000', /./],
    ['goto x ::x::', /./]]) {
    const [error] = engine.read(lock(text)).errors;
    assert.ok(error && error.file === 'own.lua' && why.test(error.text), `${text}: ${JSON.stringify(error)}`);
  }
  const late = good.replace('function acquire(ctx, patience)', 'function acquire(ctx, patience)\n  while true do end');
  assert.match(engine.run(lock(late)).error, /own\.lua:\d+.*stopped after/s);
  assert.ok(!engine.run(lock(good)).error, 'an error of Lua leaves nothing behind');
  const wrong = engine.read({ toml: 'lock = "setnx"\nclients = [ { name = "a", hodl = "1ms" } ]\n' });
  assert.deepStrictEqual(wrong.errors.map((e) => [e.line, e.column]), [[2, 27]]);
  assert.ok(!engine.run({ name: 'paused_holder', seed: 1 }).errors.length);
}

(async () => {
  const [file, what, text] = process.argv.slice(2);
  if (what === 'read') return console.log(JSON.stringify(await picklockDecode(text)));
  if (what === 'write') return console.log(await picklockEncode(JSON.parse(text)));
  const engine = picklockStart(await WebAssembly.compile(fs.readFileSync(file)));
  checkHostile(engine);
  await checkLinks();
  await checkExercises(engine);
  return console.log('exercises and links: ok');
})().catch((error) => {
  console.error(error.message || error);
  process.exit(1);
});
