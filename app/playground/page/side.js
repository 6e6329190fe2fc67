'use strict';
// One run on the page: its picture, verdicts, settings and texts. What takes long is in long.js.

const PICKLOCK_OWN_LOCK = 'own.lua';

// Paragraphs of a scenario's description as such; drawings and lists keep their lines.
function picklockStory(text) {
  return text.split(/\n\s*\n/).map((block) => {
    const drawn = block.split('\n').some((line) => /^ {2,}|\||^- /.test(line));
    const element = document.createElement(drawn ? 'pre' : 'p');
    element.textContent = drawn ? block : block.replaceAll('\n', ' ');
    if (drawn) element.tabIndex = 0;
    return element;
  });
}

class PicklockSide {
  // `told` hears when something has changed that a link keeps; `locks` are examples of locks in Lua.
  constructor(module, template, told, locks) {
    this.root = template.content.firstElementChild.cloneNode(true);
    this.told = told;
    this.front = new PicklockEngine(module);
    this.long = new PicklockLong(this, new PicklockEngine(module));
    this.view = runView(this.get('.middle'));
    this.tabs = picklockTabs(this.get('.middle'), () => this.toml && [this.toml, this.lua].forEach((editor) => editor.redraw()));
    this.toml = this.editor('toml', (text) => this.writeToml(text));
    this.lua = this.editor('lua', (text) => this.writeLua(text));
    this.settings = new Map();
    this.turn = 0;
    this.asked = this.question({});
    this.examples = new Map();
    locks.then((all) => {
      for (const { name, text } of all) this.examples.set(name, text);
      this.get('.lua-from').append(...all.filter((l) => !l.mistaken).map(({ name }) => new Option(name.replace('.lua', ''), name)));
    });
    this.listen();
  }

  get(selector) { return this.root.querySelector(selector); }

  editor(name, changed) {
    const holder = this.get(`[data-editor="${name}"]`);
    return picklockEditor(holder, holder.dataset.label, changed);
  }

  end() {
    this.front.end();
    this.long.end();
    this.root.remove();
  }

  // --- the question

  // A question of which every member is there; a copy.
  question(asked = this.asked) {
    return {
      name: '', toml: '', variant: '', lock: '', seed: 1, ...asked,
      set: [...(asked.set || [])], without: [...(asked.without || [])], locks: { ...(asked.locks || {}) },
    };
  }

  // What a link has to keep: without a lock in the editor that nothing names.
  kept() {
    const asked = this.question(), names = (name) => asked.lock === name || asked.toml.includes(name) || asked.set.some((one) => one.endsWith(`=${name}`));
    asked.locks = Object.fromEntries(Object.entries(asked.locks).filter(([name]) => names(name)));
    return asked;
  }

  open(asked, view = null) {
    this.asked = this.question(asked);
    this.once = view;
    if (this.asked.toml) this.toml.text = this.asked.toml;
    this.lua.text = Object.values(this.asked.locks)[0] || '';
    this.get('.lua-from').value = '';
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

  seed(seed) {
    this.asked.seed = Math.max(0, Math.min(Number.MAX_SAFE_INTEGER, Math.floor(seed) || 0));
    this.get('.seed').value = this.asked.seed;
    this.long.forgetExplanation();
    return this.refresh(false);
  }

  writeToml(text) {
    const [, variant = ''] = this.asked.name.split('/');
    this.asked = { ...this.asked, toml: text || '\n', variant: this.asked.variant || variant, set: [], without: [], lock: this.asked.lock.endsWith('.lua') ? this.asked.lock : '' };
    this.forget();
    this.refresh(true);
  }

  // Plays the lock of the editor in the place of the scenario's; an empty text takes it out again.
  writeLua(text) {
    const [name = PICKLOCK_OWN_LOCK] = Object.keys(this.asked.locks);
    const named = name in this.asked.locks && this.asked.lock !== name;  // by the scenario's text
    this.asked.set = this.asked.set.filter((one) => !one.startsWith('lock.') || this.asked.lock === name);
    this.asked.locks = text.trim() ? { [name]: text } : {};
    if (!text.trim() && this.asked.lock === name) this.asked.lock = '';
    else if (text.trim() && !(named && this.asked.toml.includes(name))) this.asked.lock = name;
    this.forget();
    this.refresh(true);
  }

  // What was counted and explained was of another scenario.
  forget() { this.long.forget(); }

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

  // An error of a text also stands below its editor.
  showErrors(errors) {
    const ofLua = errors.filter((e) => e.file && e.file in this.asked.locks);
    const ofToml = this.asked.toml ? errors.filter((e) => e.line > 0 && !ofLua.includes(e)) : [];
    this.lua.show(ofLua);
    this.toml.show(ofToml);
    this.get('.errors').replaceChildren(...errors.map((e) => {
      const item = document.createElement('li');
      const editor = ofLua.includes(e) ? 'lua' : ofToml.includes(e) ? 'toml' : '';
      if (!editor) {
        item.textContent = e.text;
        return item;
      }
      const go = document.createElement('button');
      go.type = 'button';
      go.textContent = e.text;
      go.addEventListener('click', () => {
        this.tabs.show(editor);
        this[editor].goTo(e.line || 1, e.column || 1);
      });
      item.append(go);
      return item;
    }));
    this.root.classList.toggle('stale', errors.length > 0);
  }

  showScenario(read, question) {
    if (!question.toml && read.toml) this.toml.text = read.toml;
    this.get('.lua-out').hidden = !question.lock.endsWith('.lua');
    this.showErrors(read.errors);
    if (read.errors.length) return;
    this.get('.name').textContent = question.toml ? `${question.name || 'edited'}, edited` : read.name;
    const lines = read.description.split('\n');
    this.get('.summary').textContent = lines[0];
    this.get('.description').replaceChildren(...picklockStory(read.description));
    this.showVariants(read.variants, question);
    this.settings = new Map(read.settings.map((s) => [s.path, s.value]));
    const changes = new Set(question.set.map((one) => one.split('=')[0]));
    const options = {
      values: this.settings,
      changed: (path, value, structure) => this.set(path, value, structure),
      drop: (part, out) => this.drop(part, out),
      dropped: new Set(question.without),
      changes,
    };
    picklockControls(this.get('.controls'), read.settings.filter(picklockMatters), options);
    this.showRest = () => {
      const wanted = this.get('.filter').value.toLowerCase();
      const rest = read.settings.filter((s) => !picklockMatters(s) && `${s.path} ${s.help}`.toLowerCase().includes(wanted));
      picklockControls(this.get('.rest'), rest, { ...options, drop: null });
    };
    if (this.get('.more').open) this.showRest();
  }

  showVariants(variants, question) {
    const [base, now = ''] = question.name.split('/'), chosen = question.toml ? question.variant : now;
    const choice = (name, summary) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = name || 'as written';
      button.title = summary;
      button.setAttribute('aria-pressed', String(name === chosen));
      button.addEventListener('click', () => this.open(question.toml ? { ...this.asked, variant: name } : { name: name ? `${base}/${name}` : base, seed: this.asked.seed }));
      return button;
    };
    const buttons = variants.length ? [choice('', 'the scenario itself'), ...variants.map((v) => choice(v.name, v.summary))] : [];
    this.get('.variants').replaceChildren(...(buttons.length ? ['Variants ', ...buttons] : []));
  }

  showRun(run, question) {
    const wrong = run.errors.length || !run.error ? run.errors : [this.errorOfRun(run.error)];
    this.showErrors(wrong);
    if (run.errors.length) return;
    this.get('.seed').value = question.seed;
    this.get('.digest').textContent = `digest ${run.digest}, ${run.events} events`;
    this.get('.words').textContent = run.error ? `error of the simulation: ${run.error}\n${run.words}` : run.words;
    const file = question.toml || Object.keys(question.locks).length ? "'LINK'" : question.name;
    this.get('.command').textContent = file === "'LINK'" ? "picklock run 'LINK'    # LINK: the address of this page, Copy link" : `picklock run ${file} --seed ${question.seed}${run.replay}`;
    const rank = (v) => (v.verdict === 'violated' ? 0 : v.verdict === 'holds' ? 1 : 2);
    this.get('.verdicts').replaceChildren(...[...run.verdicts].sort((a, b) => rank(a) - rank(b)).map((v) => {
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
  }

  // "own.lua:12: …" has its place in the editor.
  errorOfRun(text) {
    const at = /^(.*?):(\d+):/.exec(text.replace(/^.*?(?=\S+\.lua:\d+:)/, ''));
    return { text: `The run ended with an error: ${text}`, file: at ? at[1] : '', line: at ? Number(at[2]) : 0, column: 0 };
  }

  // --- what people do

  listen() {
    const on = (selector, event, act) => this.get(selector).addEventListener(event, act);
    on('.previous', 'click', () => this.seed(this.asked.seed - 1));
    on('.next', 'click', () => this.seed(this.asked.seed + 1));
    on('.seed', 'change', (event) => this.seed(Number(event.target.value)));
    on('.more', 'toggle', () => { if (this.get('.more').open && this.showRest) this.showRest(); });
    on('.filter', 'input', () => this.showRest && this.showRest());
    on('.reset', 'click', () => this.open({ name: this.asked.name, toml: this.asked.toml, variant: this.asked.variant, seed: this.asked.seed }));
    on('.lua-from', 'change', (event) => {
      const text = this.examples.get(event.target.value);
      if (!text) return;
      this.lua.text = text;
      this.asked.locks = {};
      this.writeLua(text);
    });
    on('.lua-out', 'click', () => {
      this.lua.text = '';
      this.writeLua('');
    });
    for (const event of ['pointerup', 'keyup', 'wheel']) on('.middle', event, () => this.told());
  }
}
