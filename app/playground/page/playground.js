'use strict';
// The page: loads the module, lists the scenarios, keeps one run or two, their link, and the exercises.

(async () => {
  const at = (id) => document.getElementById(id);
  const note = (text) => { at('note').textContent = text; };

  // From a server the module is fetched; a page that was opened as a file brings it as a script, since it may not read files.
  async function loadModule() {
    if (location.protocol !== 'file:') {
      const answer = await fetch('picklock.wasm');
      if (!answer.ok) throw new Error(`picklock.wasm: ${answer.status}`);
      return WebAssembly.compile(await answer.arrayBuffer());
    }
    await new Promise((resolve, reject) => {
      const script = document.createElement('script');
      script.src = 'module.js';
      script.onload = resolve;
      script.onerror = () => reject(new Error('module.js is missing'));
      document.head.append(script);
    });
    const packed = Uint8Array.from(atob(globalThis.PICKLOCK_MODULE), (c) => c.charCodeAt(0));
    delete globalThis.PICKLOCK_MODULE;
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    return WebAssembly.compile(await new Response(stream).arrayBuffer());
  }

  let module;
  try {
    module = await loadModule();
  } catch (error) {
    at('sides').replaceChildren();
    return note(`The simulator cannot be loaded: ${error.message}`);
  }

  let giveLocks;
  const locks = new Promise((resolve) => { giveLocks = resolve; });
  const sides = [];
  let chosen = 0, exercise = null, known = '';

  // --- the link

  const stateNow = () => ({ v: 1, runs: sides.map((s) => s.kept()), view: sides[0].view.seen() });
  let writing = 0;
  function keepLink() {
    clearTimeout(writing);
    writing = setTimeout(async () => {
      const link = await picklockEncode(stateNow());
      if (link.length > PICKLOCK_LINK.LONG) note(`This link has ${link.length} characters; some programs cut links off after 8192.`);
      else if (at('note').textContent.startsWith('This link has')) note('');
      known = link;
      history.replaceState(null, '', link);
      document.documentElement.dataset.link = link;
    }, 200);
  }

  function addSide() {
    const side = new PicklockSide(module, at('side'), keepLink, locks);
    side.root.addEventListener('focusin', () => choose(sides.indexOf(side)));
    side.root.addEventListener('pointerdown', () => choose(sides.indexOf(side)));
    sides.push(side);
    at('sides').append(side.root);
    showCount();
    return side;
  }
  function showCount() {
    at('sides').classList.toggle('two', sides.length === 2);
    at('two').setAttribute('aria-pressed', String(sides.length === 2));
    choose(Math.min(chosen, sides.length - 1));
    for (const side of sides) side.view.redraw();
  }
  function choose(place) {
    chosen = Math.max(0, place);
    sides.forEach((side, i) => side.root.classList.toggle('chosen', sides.length === 2 && i === chosen));
    mark();
  }

  async function openState(state) {
    while (sides.length > state.runs.length) sides.pop().end();
    while (sides.length < state.runs.length) addSide();
    showCount();
    await Promise.all(state.runs.map((run, i) => sides[i].open(run, i === 0 && state.view.until > state.view.from ? state.view : null)));
  }
  async function openLink() {
    try {
      await openState(await picklockDecode(location.hash));
      note('');
    } catch (error) {
      note(`This link cannot be opened: ${error.message}`);
      if (!sides.length) await openState({ runs: [{ name: 'paused_holder', seed: 1 }], view: {} });
    }
  }

  // --- the scenarios

  let scenarios = [];
  function mark() {
    const name = sides[chosen] ? sides[chosen].asked.name : '';
    for (const button of at('scenarios').querySelectorAll('button')) button.setAttribute('aria-current', String(button.dataset.name === name));
    const list = at('scenarios'), current = list.querySelector('[aria-current="true"]');
    if (!current) return;
    const top = current.offsetTop - list.offsetTop;
    if (top < list.scrollTop || top + current.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 3;
  }
  function showScenarios() {
    const words = at('search').value.toLowerCase().split(/\s+/).filter(Boolean), tag = at('tag').value, family = at('family').value;
    const found = scenarios.filter((s) => {
      const text = `${s.name} ${s.summary} ${s.tags.join(' ')}`.toLowerCase().replaceAll('_', ' ');
      return words.every((w) => text.includes(w.replaceAll('_', ' '))) && (!tag || s.tags.includes(tag)) && (!family || s.tags[0] === family);
    });
    at('found').textContent = `${found.length} of ${scenarios.length}`;
    at('scenarios').scrollTop = 0;
    const base = (s) => s.name.split('/')[0];
    at('scenarios').replaceChildren(...found.map((s, i) => {
      const item = document.createElement('li'), button = document.createElement('button'), summary = document.createElement('small');
      const below = s.variant && i > 0 && base(found[i - 1]) === base(s);  // its scenario, or another variant
      item.className = below ? 'variant' : '';
      button.type = 'button';
      button.dataset.name = s.name;
      button.append(below ? s.name.split('/')[1] : s.name);
      summary.textContent = s.summary;
      button.append(summary);
      button.addEventListener('click', () => {
        sides[chosen].open({ name: s.name });
        mark();
      });
      item.append(button);
      return item;
    }));
    mark();
  }
  async function listScenarios() {
    const engine = new PicklockEngine(module);
    scenarios = (await engine.ask('list')).scenarios;
    giveLocks(await engine.ask('locks'));
    engine.end();
    const fill = (select, names) => { for (const name of [...new Set(names)].sort()) select.append(new Option(name, name)); };
    fill(at('family'), scenarios.map((s) => s.tags[0]).filter(Boolean));
    fill(at('tag'), scenarios.flatMap((s) => s.tags.slice(1)));
    for (const id of ['tag', 'family']) at(id).addEventListener('change', showScenarios);
    at('search').addEventListener('input', showScenarios);
    if (window.matchMedia('(max-width: 999px)').matches) at('choose').querySelector('details').open = false;
    showScenarios();
    document.documentElement.dataset.listed = scenarios.length;
  }

  // --- the exercises

  async function openExercise(place) {
    endJudge();
    exercise = PICKLOCK_EXERCISES[place] || null;
    const box = at('exercise');
    box.hidden = !exercise;
    if (!exercise) return;
    box.querySelector('h2').textContent = `Exercise ${exercise.chapter}: ${exercise.title}`;
    box.querySelector('.asked').textContent = exercise.text;
    const told = box.querySelector('.told'), fields = box.querySelector('.fields');
    told.textContent = '';
    told.className = 'told';
    showing(null);
    fields.replaceChildren();
    if (exercise.kind === 'longest' || exercise.kind === 'shortest') {
      const input = document.createElement('input');
      Object.assign(input, { type: 'text', placeholder: '300ms', autocomplete: 'off' });
      input.setAttribute('aria-label', 'Your answer, a duration');
      fields.append(input);
    } else if (exercise.kind === 'yes' || exercise.kind === 'fewest') {
      for (const choice of exercise.choices || ['yes', 'no']) {
        const label = document.createElement('label'), radio = document.createElement('input');
        Object.assign(radio, { type: 'radio', name: 'answer', value: choice });
        label.append(radio, ` ${choice} `);
        fields.append(label);
      }
    }
    const opened = { name: exercise.name, set: [...exercise.set], lock: exercise.lock || '' };
    if (exercise.kind === 'lock') {
      const { text } = (await locks).find((l) => l.mistaken);
      Object.assign(opened, { lock: PICKLOCK_OWN_LOCK, locks: { [PICKLOCK_OWN_LOCK]: text } });
    }
    await sides[0].open(opened);
    mark();
    if (exercise.kind === 'lock') sides[0].tabs.show('lua');
  }
  // The chapter in "#exercise=3", as the guide names it; 0 in another address.
  const chapterInAddress = () => Number(/^#exercise=(\d+)$/.exec(location.hash)?.[1] ?? 0);
  function openChapter(chapter) {
    at('exercises').value = PICKLOCK_EXERCISES[chapter - 1] ? String(chapter - 1) : '';
    return openExercise(chapter - 1);
  }
  // Offers a run that shows why an answer is not right.
  function showing(question) {
    const button = at('exercise').querySelector('.show-run');
    button.hidden = !question;
    button.onclick = () => sides[0].open(question);
  }
  let judge = null;  // the worker that plays an answer
  function endJudge() {
    if (judge) judge.stop();
    judge = null;
  }
  async function judgeExercise() {
    endJudge();
    const told = at('exercise').querySelector('.told'), fields = at('exercise').querySelector('.fields');
    const picked = fields.querySelector('input:checked') || fields.querySelector('input[type="text"]');
    told.textContent = 'playing …';
    told.className = 'told';
    showing(null);
    const engine = judge = new PicklockEngine(module);
    let runs = 0;
    try {
      const judged = await picklockJudge(exercise, picked ? picked.value : '', {
        play: async (question, until) => {
          const sums = await engine.ask('count', question, { until });
          runs += sums.runs || 0;
          told.textContent = `playing … ${runs} runs`;
          return sums;
        },
        run: (question) => engine.ask('run', question),
        shown: { question: sides[0].question(), settings: sides[0].settings },
      });
      told.textContent = judged.words;
      told.className = `told ${judged.right ? 'right' : 'wrong'}`;
      showing(judged.show);
    } catch (error) {
      if (judge !== engine) return;  // another answer, or another exercise
      told.textContent = error.message;
      told.className = 'told wrong';
    }
    endJudge();
  }
  PICKLOCK_EXERCISES.forEach((e, i) => at('exercises').append(new Option(`${e.chapter}. ${e.title}`, i)));
  at('exercises').addEventListener('change', (event) => openExercise(event.target.value === '' ? -1 : Number(event.target.value)));
  at('exercise').querySelector('form').addEventListener('submit', (event) => {
    event.preventDefault();
    judgeExercise();
  });

  // --- the rest of the page

  at('two').addEventListener('click', () => {
    if (sides.length === 2) {
      sides.pop().end();
      showCount();
      keepLink();
    } else {
      const asked = sides[0].question();
      addSide().open(asked);
      choose(1);
    }
  });
  at('copy').addEventListener('click', async () => {
    const link = location.href.split('#')[0] + await picklockEncode(stateNow());
    let copied = true;
    await navigator.clipboard.writeText(link).catch(() => { copied = false; });
    note(`${copied ? 'The link is copied' : 'The link is in the address bar'}: ${link.length} characters${link.length > PICKLOCK_LINK.LONG ? '; some programs cut links off after 8192' : ''}.`);
  });
  window.addEventListener('hashchange', () => {
    const chapter = chapterInAddress();
    if (chapter) openChapter(chapter);
    else if (location.hash !== known) openLink();
  });

  at('sides').replaceChildren();
  const chapter = chapterInAddress();
  if (location.hash && !chapter) await openLink();
  else await openState({ runs: [{ name: 'paused_holder', seed: 1 }], view: {} });
  document.documentElement.dataset.first = performance.now().toFixed(0);
  await listScenarios();
  if (chapter) openChapter(chapter);
})();
