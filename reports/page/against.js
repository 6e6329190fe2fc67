'use strict';
// The page of two runs: one picture above the other at the same times, and their steps in two columns.
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const status = document.getElementById('status'), tip = document.getElementById('tip');
  const begin = Math.min(...data.runs.map((run) => run.begin)), end = Math.max(...data.runs.map((run) => run.end)), pictures = [];
  let leads = true; // the one that is moved moves the other
  data.runs.forEach((run, place) => {
    run.begin = begin;
    run.end = end;
    const follow = (from, until) => {
      if (!leads) return;
      leads = false;
      for (const other of pictures) if (other !== pictures[place]) other.show(from, until);
      leads = true;
    };
    pictures.push(runPicture(document.getElementById(place === 0 ? 'timeline' : 'timeline2'), run, { tip, moved: follow }));
  });
  runLegend(document.getElementById('legend'), ...pictures);
  const fill = (item, [a, b, tokens], place) => {
    [a, b].forEach((step, side) => {
      const at = document.createElement('span'), words = document.createElement('span');
      at.className = 'at';
      if (step !== null) {
        const [t, text] = data.runs[side].story[step];
        at.textContent = parts.inMs(t);
        words.textContent = text;
      }
      item.append(at, words);
    });
    if (a === null || b === null) item.classList.add('other');
    else if (tokens) item.classList.add('tokens');
    if (place === data.first) item.classList.add('first');
  };
  const steps = stepList(document.querySelector('#story ol'), data.aligned, fill, (place) => {
    const words = [];
    data.aligned[place].slice(0, 2).forEach((step, side) => {
      if (step === null) return words.push(`${data.names[side]}: nothing`);
      const [t, text] = data.runs[side].story[step];
      pictures[side].mark(t);
      words.push(`${data.names[side]}: ${parts.inMs(t)}: ${text}`);
    });
    status.textContent = words.join('\n');
  });
  const [first] = pictures;
  runKeys({
    in: () => first.zoom(0.5), out: () => first.zoom(2), all: first.all, conflict: () => pictures.forEach((p) => p.conflict()),
    next: steps.next, previous: steps.previous, earlier: () => first.move(-0.1), later: () => first.move(0.1), servers: () => pictures.forEach((p) => p.servers()),
    difference: () => { if (data.first !== null) steps.choose(data.first); },
  });
  if (data.first !== null) steps.choose(data.first);
  document.getElementById('timeline').dataset.ready = 'yes';
})();
