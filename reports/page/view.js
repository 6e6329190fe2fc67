'use strict';
// One run in its place on a page: the picture, its legend and story, a line of status, search, buttons and keys. Its elements have data-part:
// timeline (a canvas), legend (a ul), story (an ol), status, tip, find; buttons have data-do. `load` shows another run; `seen` tells
// what is in sight, `see` brings it there; `place` marks a stretch of a row, and says what it is.
function runView(root, data = { end: 1, rows: [], messages: [], texts: [], story: [] }) {
  const part = (name) => root.querySelector(`[data-part="${name}"]`);
  const canvas = part('timeline'), status = part('status'), find = part('find'), hint = status.textContent;
  let lower = [];
  const picture = runPicture(canvas, data, { tip: part('tip'), picked: (words) => { if (words) status.textContent = words; } });
  const fill = (item, [t, text]) => {
    const at = document.createElement('span'), words = document.createElement('span');
    at.className = 'at';
    at.textContent = parts.inMs(t);
    words.textContent = text;
    if (text.startsWith('fault: ')) item.className = 'fault';
    item.append(at, words);
  };
  const story = stepList(part('story'), data.story, fill, (place) => {
    const [t, text] = data.story[place];
    picture.mark(t);
    status.textContent = [`${parts.inMs(t)}: ${text}`, ...picture.at(t)].join('\n');
  });
  const search = (step) => {
    const wanted = find.value.toLowerCase();
    for (let i = 1; i <= lower.length; ++i) {
      const place = (Math.max(story.now(), 0) + step * i + lower.length * 2) % lower.length;
      if (lower[place].includes(wanted)) return story.choose(place);
    }
    // The last that was found may have been a message.
    status.textContent = picture.search(wanted, picture.marked()) || `neither the story nor a message has "${find.value}"`;
    tellServers();
  };
  find.addEventListener('keydown', (event) => { if (event.key === 'Enter') search(event.shiftKey ? -1 : 1); event.stopPropagation(); });
  const among = root.querySelector('[data-do=servers]');
  const tellServers = () => {
    among.hidden = canvas.dataset.among === '0';
    among.setAttribute('aria-pressed', String(canvas.dataset.servers === 'shown'));
  };
  const servers = () => {
    picture.servers();
    tellServers();
  };
  runKeys({
    servers,
    in: () => picture.zoom(0.5), out: () => picture.zoom(2), all: picture.all, conflict: picture.conflict,
    next: story.next, previous: story.previous, earlier: () => picture.move(-0.1), later: () => picture.move(0.1), find: () => find.focus(),
  }, root);

  function tell() {
    lower = data.story.map(([, text]) => text.toLowerCase());
    status.textContent = hint;
    runLegend(part('legend'), picture);
    tellServers();
  }
  function load(fresh) {
    data = fresh;
    picture.load(data);
    story.load(data.story);
    tell();
  }
  const seen = () => ({ ...picture.seen(), step: story.now() });
  const see = ({ from, until, step }) => {
    if (until > from) picture.show(from, until);
    if (step >= 0) story.choose(step);
  };
  function place(from, until, row, words) {
    picture.mark(from, until, row);
    status.textContent = words;
    canvas.scrollIntoView({ block: 'nearest' });
  }
  tell();
  return { load, redraw: picture.resize, seen, see, place };
}
