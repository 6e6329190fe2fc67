'use strict';
// The page of one run: the picture, the story beside it, and sentences that link to their places.
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const status = document.getElementById('status'), find = document.getElementById('find');
  const picture = runPicture(document.getElementById('timeline'), data, {
    tip: document.getElementById('tip'), picked: (words) => { if (words) status.textContent = words; },
  });
  runLegend(document.getElementById('legend'), picture);
  const fill = (item, [t, text]) => {
    const at = document.createElement('span'), words = document.createElement('span');
    at.className = 'at';
    at.textContent = parts.inMs(t);
    words.textContent = text;
    if (text.startsWith('fault: ')) item.className = 'fault';
    item.append(at, words);
  };
  const story = stepList(document.querySelector('#story ol'), data.story, fill, (place) => {
    const [t, text] = data.story[place];
    picture.mark(t);
    status.textContent = [`${parts.inMs(t)}: ${text}`, ...picture.at(t)].join('\n');
  });
  const lower = data.story.map(([, text]) => text.toLowerCase());
  const search = (step) => {
    const wanted = find.value.toLowerCase();
    for (let i = 1; i <= lower.length; ++i) {
      const place = (Math.max(story.now(), 0) + step * i + lower.length * 2) % lower.length;
      if (lower[place].includes(wanted)) return story.choose(place);
    }
    // The last that was found may have been a message.
    status.textContent = picture.search(wanted, picture.marked()) || `neither the story nor a message has "${find.value}"`;
  };
  find.addEventListener('keydown', (event) => { if (event.key === 'Enter') search(event.shiftKey ? -1 : 1); });
  for (const link of document.querySelectorAll('[data-from]')) {
    link.addEventListener('click', (event) => {
      event.preventDefault();
      const { from, until, row } = link.dataset;
      picture.mark(Number(from), Number(until), Number(row));
      status.textContent = link.textContent;
      document.getElementById('timeline').scrollIntoView({ block: 'nearest' });
    });
  }
  const among = document.querySelector('[data-do=servers]'), canvas = document.getElementById('timeline');
  const tellServers = () => among.setAttribute('aria-pressed', String(canvas.dataset.servers === 'shown'));
  among.hidden = canvas.dataset.among === '0';
  tellServers();
  function servers() {
    picture.servers();
    tellServers();
  }
  runKeys({
    in: () => picture.zoom(0.5), out: () => picture.zoom(2), all: picture.all, conflict: picture.conflict,
    next: story.next, previous: story.previous, earlier: () => picture.move(-0.1), later: () => picture.move(0.1), find: () => find.focus(), servers,
  });
})();
