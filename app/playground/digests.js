'use strict';
// Compares the digests of the WebAssembly module with those of a native build, under node.
//
//   node app/playground/digests.js MODULE PICKLOCK [--seeds N] [--every K] [--lua | NAME…]
//
// Every scenario and variant of the library (or every K-th, or those that are named) on seeds 1..N (20), and the
// locks in Lua of examples/lua and of the guide's exercise (alone with --lua, not if some are named). Prints a line for each that
// differs or ends the module, and one of all; exit status 1 if one does.
const fs = require('fs'), path = require('path'), { execFileSync } = require('child_process');
const { picklockStart } = require(path.join(__dirname, 'page/engine.js'));

const words = process.argv.slice(2), option = (name, usual) => {
  const at = words.indexOf(name);
  return at < 0 ? usual : Number(words.splice(at, 2)[1]);
};
const onlyLua = words.includes('--lua');
if (onlyLua) words.splice(words.indexOf('--lua'), 1);
const seeds = option('--seeds', 20), every = option('--every', 1), [moduleFile, picklock, ...named] = words;

// Scenarios for the locks in Lua.
const PLAYED_IN_LUA = ['paused_holder', 'cost_of_waiting', 'redlock_paused_holder', 'etcd_paused_holder', 'zookeeper_paused_holder'];

function native(name, edits = []) {
  let text;
  try {
    text = execFileSync(picklock, ['run', name, ...edits, '--seeds', `1..${seeds}`, '--jobs', '1', '--format', 'json'], { maxBuffer: 1 << 26 });
  } catch (error) {
    if (!error.stdout || !error.stdout.length) throw error;
    text = error.stdout;  // exit status 1 and 3 are verdicts
  }
  return JSON.parse(text).digest;
}

const firstLine = (error) => `${error.message || error}`.split('\n')[0];

(async () => {
  const module = await WebAssembly.compile(fs.readFileSync(moduleFile));
  let engine = picklockStart(module);
  const names = onlyLua ? [] : named.length ? named : engine.list().scenarios.map((s) => s.name).filter((_, i) => i % every === 0);
  let different = 0, inLua = 0;
  const compare = (words, question, edits) => {
    let digest, wanted, ended = '';
    try {
      const begun = engine.beginRange({ seed: 1, ...question });
      digest = begun.errors.length ? begun.errors[0].text : engine.moreOfRange(seeds).digest;
    } catch (error) {
      ended = `the module ends with an exception: ${firstLine(error)}`;
      engine = picklockStart(module);  // the instance is of no use any more
    }
    try {
      wanted = native(question.name, edits);
    } catch (error) {
      ended = ended || `the native build gives no digest: ${firstLine(error)}`;
    }
    if (process.env.PICKLOCK_DIGEST_TABLE) console.log(`${words}\t${digest}\t${wanted}`);
    if (!ended && digest === wanted) return;
    ++different;
    console.log(`${words}: ${ended || `the module gives ${digest}, the native build ${wanted}`}`);
  };
  for (const name of names) compare(name, { name }, []);
  for (const { name, text, mistaken } of named.length ? [] : engine.locks()) {
    const lock = `examples/${mistaken ? 'mistaken_lock_lua' : 'lua'}/${name}`;
    for (const scenario of PLAYED_IN_LUA) {
      ++inLua;
      compare(`${scenario} --lock ${lock}`, { name: scenario, lock, locks: { [lock]: text } }, ['--lock', lock]);
    }
  }
  console.log(`${names.length} scenarios and variants${inLua ? `, ${inLua} with locks in Lua` : ''}, seeds 1..${seeds}: ${different ? `${different} differ` : 'every digest is that of the native build'}`);
  process.exit(different || !(names.length + inLua) ? 1 : 0);
})().catch((error) => {
  console.error(firstLine(error));
  process.exit(1);
});
