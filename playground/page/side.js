'use strict';
// One run on the page: its picture, verdicts, settings, share and explanation.

// A worker that answers one question at a time. `stop` ends what it does, and begins anew.
class PicklockEngine {
  constructor(module) {
    this.module = module;
    this.waiting = new Map();
    this.next = 1;
    this.begin();
  }

  begin() {
    const source = [picklockWasi, picklockStart, picklockWorker].join('\n');
    const url = URL.createObjectURL(new Blob([`'use strict';\n${source}\npicklockWorker(self);`], { type: 'text/javascript' }));
    this.worker = new Worker(url);
    URL.revokeObjectURL(url);
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.postMessage({ module: this.module });
  }

  hear(data) {
    const asked = this.waiting.get(data.id);
    if (!asked) return;
    if (data.part || data.explained) return void asked.part(data.part || data.explained);
    this.waiting.delete(data.id);
    if (data.failed !== undefined) asked.reject(new Error(data.failed));
    else asked.resolve(data.answer);
  }

  ask(what, question, more = {}, part = () => {}) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, part });
      this.worker.postMessage({ id, what, question, ...more });
    });
  }

  get busy() { return this.waiting.size > 0; }

  stop() {
    const stopped = [...this.waiting.values()];
    this.waiting.clear();
    this.worker.terminate();
    this.begin();
    for (const asked of stopped) asked.reject(new Error('stopped'));
  }

  end() { this.worker.terminate(); }
}

class PicklockSide {
  // `told` hears when something has changed that a link keeps.
  constructor(module, template, told) {
    this.root = template.content.firstElementChild.cloneNode(true);
    this.told = told;
    this.front = new PicklockEngine(module);
    this.slow = new PicklockEngine(module);
    this.view = runView(this.get('.view'));
    this.settings = new Map();
    this.turn = 0;
    this.wanted = null;
    this.asked = { name: '', toml: '', variant: '', set: [], without: [], lock: '', seed: 1 };
    this.listen();
  }

  get(selector) { return this.root.querySelector(selector); }

  end() {
    this.front.end();
    this.slow.end();
    this.root.remove();
  }

  // --- the question

  question() { return { ...this.asked, set: [...this.asked.set], without: [...this.asked.without] }; }

  open(asked, view = null) {
    this.asked = { name: '', toml: '', variant: '', set: [], without: [], lock: '', seed: 1, ...asked };
    this.once = view;
    this.get('textarea').value = this.asked.toml;
    this.forget();
    return this.refresh(true);
  }

  set(path, value, structure) {
    if (path === 'lock.name') {
      this.asked.lock = value;
      this.asked.set = this.asked.set.filter((one) => !one.startsWith('lock.'));
    } else {
      this.asked.set = this.asked.set.filter((one) => !one.startsWith(`${path}=`));
      this.asked.set.push(`${path}=${value}`);
    }
    if (this.settings.has(path)) this.settings.set(path, value);
    this.forget();
    this.refresh(structure);
  }

  drop(part, out) {
    this.asked.without = this.asked.without.filter((one) => one !== part);
    if (out) this.asked.without.push(part);
    this.forget();
    this.refresh(false);
  }

  // What was counted and explained was of another scenario.
  forget() {
    if (this.slow.busy) this.slow.stop();
    this.get('.counted tbody').replaceChildren();
    this.get('.counted-words').textContent = '';
    this.get('.explanation').hidden = true;
    this.get('.explain-words').textContent = '';
  }

  // --- asking and showing

  // The last wish counts; what takes long is given up for it.
  async refresh(whole) {
    const turn = ++this.turn;
    this.whole = this.whole || whole;
    const begin = performance.now();
    if (this.running) {
      if (begin - this.since > 300) this.front.stop();
      return;
    }
    this.running = true;
    this.since = begin;
    try {
      await this.answer(this.whole, begin);
    } finally {
      this.running = false;
    }
    if (turn !== this.turn) await this.refresh(false);
  }

  async answer(whole, begin) {
    this.whole = false;
    this.root.dataset.state = 'playing';
    const question = this.question(), MOST_SECONDS = 20;
    let late = false;
    const limit = setTimeout(() => {
      late = true;
      this.front.stop();
    }, MOST_SECONDS * 1000);
    try {
      if (whole) {
        const read = await this.front.ask('read', question);
        this.showScenario(read, question);
        if (read.errors.length) {
          this.root.dataset.state = 'wrong';
          return this.told();
        }
      }
      const run = await this.front.ask('run', question);
      this.showRun(run, question);
      this.root.dataset.took = (performance.now() - begin).toFixed(1);
      this.root.dataset.state = run.errors.length ? 'wrong' : 'shown';
    } catch (error) {
      if (error.message === 'stopped' && !late) {
        this.whole = this.whole || whole;
        return undefined;
      }
      const why = late ? `the run took longer than ${MOST_SECONDS} s, and was given up` : `the simulator stopped: ${error.message}`;
      this.showErrors([{ text: why }]);
      this.root.dataset.state = 'wrong';
    } finally {
      clearTimeout(limit);
    }
    return this.told();
  }

  showErrors(errors) {
    const items = errors.map((e) => {
      const item = document.createElement('li');
      item.textContent = e.text;
      return item;
    });
    this.get('.errors').replaceChildren(...items);
  }

  showScenario(read, question) {
    const area = this.get('textarea');
    if (!question.toml) area.value = read.toml;
    const inText = Boolean(question.toml);
    this.showErrors(inText ? [] : read.errors);
    this.get('.toml-errors').replaceChildren(...(inText ? read.errors : []).map((e) => {
      const item = document.createElement('li'), button = document.createElement('button');
      button.type = 'button';
      button.textContent = e.text;
      button.addEventListener('click', () => this.goTo(e.line, e.column));
      item.append(button);
      return item;
    }));
    if (read.errors.length) return;
    this.title = question.toml ? `${question.name || 'edited'}, edited` : read.name;
    const lines = read.description.split('\n');
    this.get('.name').textContent = this.title;
    this.get('.summary').textContent = lines[0];
    this.get('.description').textContent = read.description;
    this.showVariants(read.variants, question);
    this.settings = new Map(read.settings.map((s) => [s.path, s.value]));
    this.all = read.settings;
    const holder = this.get('.controls'), changes = new Set(question.set.map((one) => one.split('=')[0]));
    const options = {
      changed: (path, value, structure) => this.set(path, value, structure),
      drop: (part, out) => this.drop(part, out),
      dropped: new Set(question.without),
      changes,
    };
    picklockControls(holder, read.settings.filter(picklockMatters), options);
    this.showRest = () => {
      const wanted = this.get('.filter').value.toLowerCase();
      const rest = read.settings.filter((s) => !picklockMatters(s) && `${s.path} ${s.help}`.toLowerCase().includes(wanted));
      picklockControls(this.get('.rest'), rest, { ...options, drop: null });
    };
    if (this.get('.more').open) this.showRest();
  }

  showVariants(variants, question) {
    const base = question.name.split('/')[0];
    const links = variants.map((v) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = v.name;
      button.title = v.summary;
      button.addEventListener('click', () => this.open(question.toml ? { ...this.asked, variant: v.name } : { name: `${base}/${v.name}`, seed: this.asked.seed }));
      return button;
    });
    this.get('.variants').replaceChildren(...(links.length ? ['Variants: ', ...links.flatMap((l) => [l, ' '])] : []));
  }

  showRun(run, question) {
    this.showErrors(run.errors);
    if (run.errors.length) return;
    this.get('.seed').value = question.seed;
    this.get('.digest').textContent = `digest ${run.digest}, ${run.events} events`;
    this.get('.words').textContent = run.error ? `error of the simulation: ${run.error}\n${run.words}` : run.words;
    this.get('.verdicts').replaceChildren(...run.verdicts.map((v) => {
      const item = document.createElement('li');
      item.className = v.verdict;
      item.textContent = `${v.property}: ${v.verdict === 'undecided' && !v.tested ? 'not tested' : v.verdict}`;
      if (v.expected) item.title = v.expected;
      return item;
    }));
    const select = this.get('.property'), chosen = select.value;
    const names = run.verdicts.map((v) => v.property);
    if (names.join() !== [...select.options].map((o) => o.value).join()) {
      select.replaceChildren(...names.map((name) => new Option(name, name)));
      const violated = run.verdicts.find((v) => v.verdict === 'violated');
      select.value = names.includes(chosen) ? chosen : violated ? violated.property : names[0];
    }
    this.view.load(run.page);
    if (this.once) this.view.see(this.once);
    this.once = null;
    this.last = run;
  }

  goTo(line, column) {
    const area = this.get('textarea'), lines = area.value.split('\n');
    const at = lines.slice(0, Math.max(line - 1, 0)).reduce((sum, l) => sum + l.length + 1, 0) + Math.max(column - 1, 0);
    area.focus();
    area.setSelectionRange(at, at + 1);
    area.scrollTop = (area.scrollHeight / lines.length) * Math.max(0, line - 5);
  }

  // --- counting, seeking, explaining

  async slowly(what, ask, button, show) {
    if (this.slow.busy) this.slow.stop();
    const stop = button.parentElement.querySelector('.stop');
    if (stop) stop.hidden = false;
    this.root.dataset[what] = 'busy';
    try {
      show(await ask(), true);
      this.root.dataset[what] = 'done';
    } catch (error) {
      this.root.dataset[what] = 'stopped';
      if (error.message !== 'stopped') this.showErrors([{ text: `The simulator stopped: ${error.message}` }]);
    }
    if (stop) stop.hidden = true;
  }

  count(button) {
    const until = Math.max(1, Math.min(1000000, Math.floor(Number(this.get('.many').value) || 1000)));
    const question = { ...this.question(), seed: 1 }, bar = this.get('.counted progress');
    bar.hidden = false;
    const show = (sums, done) => {
      if (sums.errors && sums.errors.length) return this.showErrors(sums.errors);
      bar.value = sums.runs / until;
      bar.hidden = done;
      this.get('.counted-words').textContent = `seeds 1 to ${sums.next - 1}${done ? '' : ' so far'}${sums.error ? `; error of the simulation: ${sums.error}` : ''}`;
      this.get('.counted tbody').replaceChildren(...sums.properties.filter((p) => p.decided > 0).map((p) => this.shareRow(p)));
      return undefined;
    };
    return this.slowly('count', () => this.slow.ask('count', question, { until }, (sums) => show(sums, false)), button, show)
      .finally(() => { bar.hidden = true; });
  }

  shareRow(p) {
    const row = document.createElement('tr'), name = document.createElement('td'), share = document.createElement('td'), picture = document.createElement('td');
    name.textContent = p.property;
    share.textContent = p.share;
    picture.className = 'bar-of';
    const interval = document.createElement('meter');
    interval.min = 0;
    interval.max = 1;
    interval.value = p.decided ? p.violated / p.decided : 0;
    interval.title = `95 %: ${(p.low * 100).toFixed(2)} to ${(p.high * 100).toFixed(2)} %`;
    picture.append(interval);
    if (p.first !== null) {
      const go = document.createElement('button');
      go.type = 'button';
      go.textContent = `seed ${p.first}`;
      go.addEventListener('click', () => this.seed(p.first));
      picture.append(' ', go);
    }
    row.append(name, share, picture);
    return row;
  }

  seek(button) {
    const property = this.get('.property').value, question = { ...this.question(), seed: this.asked.seed + 1 };
    const MOST = 100000;
    const show = (sums, done) => {
      if (sums.errors && sums.errors.length) return this.showErrors(sums.errors);
      const found = sums.properties.find((p) => p.property === property && p.first !== null);
      if (done && found) {
        this.seed(found.first);
      } else {
        this.get('.status').textContent = done ? `${property}: none of the ${sums.runs} seeds from ${question.seed} on violates it` : `looked at ${sums.runs} seeds`;
      }
      return undefined;
    };
    return this.slowly('seek', () => this.slow.ask('count', question, { until: MOST, property }, (sums) => show(sums, false)), button, show);
  }

  seed(seed) {
    this.asked.seed = Math.max(0, Math.min(Number.MAX_SAFE_INTEGER, Math.floor(seed) || 0));
    this.get('.explanation').hidden = true;
    return this.refresh(false);
  }

  explain(button) {
    const words = this.get('.explain-words'), text = this.get('.explanation');
    words.textContent = 'playing …';
    const part = (runs) => { words.textContent = `${runs} runs played`; };
    return this.slowly('explain', () => this.slow.ask('explain', this.question(), {}, part), button, (answer) => {
      if (answer.errors.length) {
        words.textContent = answer.errors[0].text;
        return;
      }
      words.textContent = `${answer.runs} runs played`;
      text.textContent = answer.text;
      text.hidden = false;
    });
  }

  // --- what people do

  listen() {
    const on = (selector, event, act) => this.get(selector).addEventListener(event, act);
    on('.previous', 'click', () => this.seed(this.asked.seed - 1));
    on('.next', 'click', () => this.seed(this.asked.seed + 1));
    on('.seed', 'change', (event) => this.seed(Number(event.target.value)));
    on('.seek', 'click', (event) => this.seek(event.target));
    on('.count-them', 'click', (event) => this.count(event.target));
    on('.explain', 'click', (event) => this.explain(event.target));
    for (const stop of this.root.querySelectorAll('.stop')) stop.addEventListener('click', () => this.slow.stop());
    on('.more', 'toggle', () => { if (this.get('.more').open && this.showRest) this.showRest(); });
    on('.filter', 'input', () => this.showRest && this.showRest());
    on('.reset', 'click', () => this.open({ name: this.asked.name, toml: this.asked.toml, variant: this.asked.variant, seed: this.asked.seed }));
    let typing = 0;
    on('textarea', 'input', () => {
      clearTimeout(typing);
      typing = setTimeout(() => {
        const [, variant = ''] = this.asked.name.split('/');
        this.asked = { ...this.asked, toml: this.get('textarea').value || '\n', variant: this.asked.variant || variant, set: [], without: [], lock: '' };
        this.forget();
        this.refresh(true);
      }, 250);
    });
    for (const event of ['pointerup', 'keyup', 'wheel']) on('.view', event, () => this.told());
  }
}
