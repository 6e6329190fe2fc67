'use strict';
// Measures the page in headless Chromium: from opening it to the first picture, and from a slider's move to the new picture.
//
//   node app/playground/times.js [FOLDER]    of the page (default build/playground)
//
// Prints a row for each scenario: median and slowest of 11 moves, each by another seed's run, and the longest time in which the
// page answered nothing while it counted 200 seeds.
const { spawn } = require('child_process'), fs = require('fs'), os = require('os'), path = require('path');
const SCENARIOS = ['paused_holder', 'redlock_paused_holder', 'zookeeper_paused_holder', 'etcd_paused_holder'], MOVES = 11;
const page = `file://${path.resolve(process.argv[2] || path.join(__dirname, '../../build/playground'))}/index.html`;

class Browser {
  constructor() {
    this.profile = fs.mkdtempSync(path.join(os.tmpdir(), 'picklock-times-'));
    this.process = spawn('chromium', ['--headless=new', '--remote-debugging-pipe', '--no-sandbox', '--disable-gpu', '--no-first-run',
      '--disable-background-networking', '--disable-dev-shm-usage', `--user-data-dir=${this.profile}`], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    this.waiting = new Map();
    this.last = 0;
    let text = '';
    this.process.stdio[4].on('data', (part) => {
      text += part;
      for (let end; (end = text.indexOf('\0')) >= 0; text = text.slice(end + 1)) this.hear(JSON.parse(text.slice(0, end)));
    });
  }
  hear(message) {
    const answer = this.waiting.get(message.id);
    if (!answer) return;
    this.waiting.delete(message.id);
    answer(message.result || {});
  }
  call(method, params = {}) {
    return new Promise((resolve) => {
      this.waiting.set(++this.last, resolve);
      this.process.stdio[3].write(`${JSON.stringify({ id: this.last, method, params, sessionId: this.session })}\0`);
    });
  }
  async open(url) {
    const { targetId } = await this.call('Target.createTarget', { url: 'about:blank' });
    this.session = (await this.call('Target.attachToTarget', { targetId, flatten: true })).sessionId;
    await this.call('Page.navigate', { url });
    await this.until("document.documentElement?.dataset.listed > 100 && document.querySelector('.side')?.dataset.state === 'shown'");
  }
  async ask(expression) { return (await this.call('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })).result?.value; }
  async until(expression) {
    for (let i = 0; i < 1200; ++i) {
      if (await this.ask(expression) === true) return;
      await new Promise((resolve) => { setTimeout(resolve, 50); });
    }
    throw new Error(`never true: ${expression}`);
  }
  async end() {
    const ended = new Promise((resolve) => { this.process.on('exit', resolve); });
    this.process.kill('SIGKILL');
    await ended;
    fs.rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

// In the page: moves the slider of a client's hold, which changes every run, and waits for the picture, up to its next frame.
const MOVE = (factor) => `(async () => {
  const side = document.querySelector('.side'), slider = side.querySelector('[data-path^="clients"][data-path$=".hold"] input[type=range]');
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  await frame();
  const before = side.querySelector('.digest').textContent, begin = performance.now();
  slider.value = ${factor};
  slider.dispatchEvent(new Event('input'));
  while (performance.now() - begin < 10000 && (side.querySelector('.digest').textContent === before || side.dataset.state !== 'shown')) await new Promise((done) => { const c = new MessageChannel(); c.port1.onmessage = done; c.port2.postMessage(0); });
  await frame();
  return performance.now() - begin;
})()`;
const COUNT = `(async () => {
  const side = document.querySelector('.side');
  side.querySelector('.many').value = 200;
  side.querySelector('.count-them').click();
  let longest = 0, last = performance.now();
  while (side.dataset.count !== 'done') {
    await new Promise((done) => setTimeout(done));
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }
  return longest;
})()`;

(async () => {
  const firsts = [];
  console.log('| scenario | picture after, median | slowest | page was deaf while counting |\n|---|---|---|---|');
  for (const name of SCENARIOS) {
    const browser = new Browser();
    await browser.open(page);
    firsts.push(Number(await browser.ask('document.documentElement.dataset.first')));
    await browser.ask(`[...document.querySelectorAll('#scenarios button')].find((b) => b.dataset.name === '${name}').click()`);
    await browser.until(`document.querySelector('.side').dataset.state === 'shown' && document.querySelector('.name').textContent === '${name}'`);
    await browser.ask(MOVE(7));
    const times = [];
    for (let i = 0; i < MOVES; ++i) times.push(await browser.ask(MOVE(-20 + 3 * i)));
    times.sort((a, b) => a - b);
    const deaf = await browser.ask(COUNT);
    console.log(`| \`${name}\` | ${times[MOVES >> 1].toFixed(0)} ms | ${times[MOVES - 1].toFixed(0)} ms | ${deaf.toFixed(0)} ms |`);
    await browser.end();
  }
  console.log(`first picture, in a new browser each time: ${firsts.map((ms) => `${ms} ms`).join(', ')}`);
})().catch((error) => {
  console.error(error.message || error);
  process.exit(1);
});
