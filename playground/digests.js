'use strict';
// Compares the digests of the WebAssembly module with those of a native build, under node.
//
//   node playground/digests.js MODULE PICKLOCK [--seeds N] [--every K] [NAME…]
//
// Every scenario and variant of the library (or every K-th, or those that are named) on seeds 1..N (20). Prints a line for each
// that differs, and one of all; exit status 1 if one differs.
const fs = require('fs'), path = require('path'), { execFileSync } = require('child_process');
const { picklockStart } = require(path.join(__dirname, 'page/engine.js'));

const words = process.argv.slice(2), option = (name, usual) => {
  const at = words.indexOf(name);
  return at < 0 ? usual : Number(words.splice(at, 2)[1]);
};
const seeds = option('--seeds', 20), every = option('--every', 1), [moduleFile, picklock, ...named] = words;

function native(name) {
  let text;
  try {
    text = execFileSync(picklock, ['run', name, '--seeds', `1..${seeds}`, '--jobs', '1', '--format', 'json'], { maxBuffer: 1 << 26 });
  } catch (error) {
    text = error.stdout;  // exit status 1 and 3 are verdicts
  }
  return JSON.parse(text).digest;
}

(async () => {
  const engine = picklockStart(await WebAssembly.compile(fs.readFileSync(moduleFile)));
  const names = named.length ? named : engine.list().scenarios.map((s) => s.name).filter((_, i) => i % every === 0);
  let different = 0;
  for (const name of names) {
    let digest = 'errors';
    const begun = engine.beginRange({ name, seed: 1 });
    if (begun.errors.length) digest = begun.errors[0].text;
    else digest = engine.moreOfRange(seeds).digest;
    const wanted = native(name);
    if (process.env.PICKLOCK_DIGEST_TABLE) console.log(`${name}\t${digest}\t${wanted}`);
    if (digest === wanted) continue;
    ++different;
    console.log(`${name}: the module gives ${digest}, the native build ${wanted}`);
  }
  console.log(`${names.length} scenarios and variants, seeds 1..${seeds}: ${different ? `${different} differ` : 'every digest is that of the native build'}`);
  process.exit(different || !names.length ? 1 : 0);
})();
