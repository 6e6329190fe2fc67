'use strict';
// What takes long, in a worker of its own: the share of violated runs, the next seed that violates, an explanation.
const picklockRunsPlayed = (runs) => `${runs} ${runs === 1 ? 'run' : 'runs'} played`;

class PicklockLong {
  constructor(side, engine) {
    this.side = side;
    this.engine = engine;
    const on = (selector, act) => side.get(selector).addEventListener('click', (event) => act.call(this, event.target));
    on('.seek', this.seek);
    on('.count-them', this.count);
    on('.explain', this.explain);
    for (const stop of side.root.querySelectorAll('.stop')) stop.addEventListener('click', () => this.engine.stop());
  }

  end() { this.engine.end(); }

  forget() {
    const { side } = this;
    if (this.engine.busy) this.engine.stop();
    side.get('.counted tbody').replaceChildren();
    side.get('.counted thead').hidden = true;
    side.get('.counted-words').textContent = '';
    side.get('.sought').textContent = '';
    this.forgetExplanation();
  }

  forgetExplanation() {
    this.side.get('.explanation').hidden = true;
    this.side.get('.explain-words').textContent = '';
  }

  async ask(what, ask, stop, show) {
    const { side } = this;
    if (this.engine.busy) this.engine.stop();
    stop.hidden = false;
    side.root.dataset[what] = 'busy';
    try {
      show(await ask(), true);
      side.root.dataset[what] = 'done';
    } catch (error) {
      side.root.dataset[what] = 'stopped';
      if (error.message !== 'stopped') side.showErrors([{ text: `The simulator stopped: ${error.message}` }]);
    }
    stop.hidden = true;
  }

  count(button) {
    const { side } = this;
    const until = Math.max(1, Math.min(1000000, Math.floor(Number(side.get('.many').value) || 1000)));
    const question = { ...side.question(), seed: 1 }, bar = side.get('.counted progress');
    bar.hidden = false;
    bar.value = 0;
    const show = (sums, done) => {
      if (sums.errors && sums.errors.length) return side.showErrors(sums.errors);
      bar.value = sums.runs / until;
      side.get('.counted-words').textContent = `${sums.runs} of ${until} seeds${done ? '' : ' so far'}${sums.error ? `; error of the simulation: ${sums.error}` : ''}`;
      side.get('.counted thead').hidden = false;
      side.get('.counted tbody').replaceChildren(...sums.properties.map((p) => this.shareRow(p)));
      return undefined;
    };
    return this.ask('count', () => this.engine.ask('count', question, { until }, (sums) => show(sums, false)), button.parentElement.querySelector('.stop'), show)
      .finally(() => { bar.hidden = true; });
  }

  // Name, share in words, interval as a picture, and the first seed that violates.
  shareRow(p) {
    const row = document.createElement('tr');
    const cell = (...children) => {
      const one = document.createElement('td');
      one.append(...children);
      row.append(one);
      return one;
    };
    cell(p.property);
    cell(p.decided > 0 ? p.share : 'not tested');
    const picture = document.createElement('div'), span = document.createElement('i'), point = document.createElement('b');
    picture.className = 'interval';
    if (p.decided > 0) {
      const percent = (share) => `${(share * 100).toFixed(2)}%`;
      span.style.left = percent(p.low);
      span.style.right = percent(1 - p.high);
      point.style.left = percent(p.violated / p.decided);
      picture.title = `95 %: ${(p.low * 100).toFixed(2)} to ${(p.high * 100).toFixed(2)} %`;
      picture.append(span, point);
    }
    cell(picture);
    const last = cell();
    if (p.first === null) return row;
    const go = document.createElement('button');
    go.type = 'button';
    go.textContent = `seed ${p.first}`;
    go.addEventListener('click', () => this.side.seed(p.first));
    last.append(go);
    return row;
  }

  seek() {
    const { side } = this;
    const property = side.get('.property').value, question = { ...side.question(), seed: side.asked.seed + 1 }, sought = side.get('.sought');
    const MOST = 100000;
    sought.textContent = 'looking …';
    const show = (sums, done) => {
      if (sums.errors && sums.errors.length) return side.showErrors(sums.errors);
      const found = sums.properties.find((p) => p.property === property && p.first !== null);
      if (done && found) {
        side.seed(found.first);
        sought.textContent = `seed ${found.first}, after ${sums.runs} ${sums.runs === 1 ? 'run' : 'runs'}`;
      } else {
        sought.textContent = done ? `none of the ${sums.runs} seeds from ${question.seed} on violates ${property}` : `looked at ${sums.runs} seeds`;
      }
      return undefined;
    };
    return this.ask('seek', () => this.engine.ask('count', question, { until: MOST, property }, (sums) => show(sums, false)), side.get('.seek-stop'), show);
  }

  explain(button) {
    const { side } = this, words = side.get('.explain-words'), text = side.get('.explanation');
    words.textContent = 'playing …';
    const part = (runs) => { words.textContent = picklockRunsPlayed(runs); };
    return this.ask('explain', () => this.engine.ask('explain', side.question(), {}, part), button.parentElement.querySelector('.stop'), (answer) => {
      if (answer.errors.length) {
        words.textContent = answer.errors[0].text;
        return;
      }
      words.textContent = picklockRunsPlayed(answer.runs);
      text.textContent = answer.text;
      text.hidden = false;
    });
  }
}
