'use strict';
// The exercises of the guide (docs/guide/), and how an answer is judged: by playing.
//
//   longest, shortest  a duration: nothing is violated up to it, or from it on everything is; `step` is how exact it has to be
//   yes                whether the property holds, asked as yes or no
//   fewest             the setting of which a run sends the fewest messages
//   reach              the run that is shown has to violate the property, or to hold it, under conditions
//   lock               the lock in the editor has to hold what it promises in every run of `plays`, and to serve

// What a mended release has to stand: the holder is stopped, or what it sends is held back, before the release and at instants
// of it that no two requests can hide from. The latency is at least 50 us a way, so that one of these instants lies between
// a question and its answer.
function picklockReleases() {
  const name = 'delete_of_anothers_lock', holds = ['wrong-release', 'double-grant'];
  const plays = [{ words: 'with a pause before the release', name, set: [], holds }];
  for (let us = 0; us <= 1050; us += us ? 100 : 50) {
    const when = ['fault[0].on=a releases', `fault[0].offset=${us}us`], words = `${us} us after the release has begun`;
    plays.push({ words: `with a pause ${words}`, name, set: when, holds });
    plays.push({ words: `with requests of a held back ${words}`, name, set: ['fault[0].kind=hold', 'fault[0].from=a', ...when], holds });
  }
  return plays;
}

const PICKLOCK_EXERCISES = [
  {
    chapter: 1, title: 'A lease is not a lock', name: 'paused_holder', set: ['lock.ttl=1s'], kind: 'longest', path: 'fault[0].lasts', step: 50, property: 'lost-update',
    text: 'Find the pause that a lease of 1 s just survives: the longest, to 50 ms, after which no update is lost.',
    why: 'The lease of 1 s, less the 50 ms that a has worked before it is paused.',
  },
  {
    chapter: 2, title: 'Clocks', name: 'redlock_clock_jump', set: [], kind: 'shortest', path: 'fault[2].by', step: 1000, property: 'mutual-exclusion',
    text: "How far must the wall clock of one of Redlock's five servers jump, to a second, so that two clients are inside?",
    why: 'The lease of 10 s must be over at that server before b asks, and a must still be working.',
  },
  {
    chapter: 3, title: 'Failover', name: 'failover_loses_the_lock', set: ['fault[1].kind=kill'], kind: 'yes', property: 'mutual-exclusion',
    text: 'The machine of the master loses power, and the lock is lost. Does the lock survive if only its process dies?',
    why: 'The kernel of a dead process still sends what it was given, so that the replica hears of the lock.',
  },
  {
    chapter: 4, title: 'The Redlock debate', name: 'redlock_check_before_write', set: [], kind: 'longest', path: 'fault[0].lasts', step: 1000, property: 'lost-update',
    text: 'The holder asks before it writes whether its lock is still valid. Which pause does no harm, to a second?',
    why: 'The answer was true when it was given. Only a pause shorter than what is left of the lease does no harm.',
  },
  {
    chapter: 5, title: 'Sessions', name: 'zookeeper_paused_holder', set: [], kind: 'longest', path: 'fault[0].lasts', step: 1000, property: 'mutual-exclusion',
    text: 'How long may the pause be for a session of 6 s, to a second?',
    why: 'A ping is sent every third of the session, so that about two thirds are always left, and often more.',
  },
  {
    chapter: 6, title: 'Queues and herds', name: 'cost_of_waiting', lock: 'set-nx-px', set: [], kind: 'fewest', path: 'lock.retry', choices: ['5ms', '20ms', '100ms'],
    text: 'Polling trades requests for time. With which pause between two attempts are the fewest messages sent?',
    why: 'With long pauses requests are few, and the client that has just released the lock gets it again before any other asks.',
  },
  {
    chapter: 7, title: 'Tokens', name: 'paused_holder/fenced', set: ['storage.fence=writes'], kind: 'reach', property: 'lost-update', verdict: 'violated', has: { 'storage.fence': 'writes' },
    text: 'The storage compares tokens on writes only, and no update is lost here. Open a scenario that loses one with storage.fence = writes.',
    why: 'If the pause comes before a has read, a writes what it read too late with a token that is still the newest.',
  },
  {
    chapter: 8, title: 'Deadlock and fairness', name: 'deadlock_opposite_order', set: [], kind: 'reach', property: 'deadlock', verdict: 'holds', file: 'deadlock_opposite_order', same: ['clients[0].locks'],
    text: 'Let client b take its locks in the order of a, so that no clients wait for one another in a circle.',
    why: 'With one order for all there is no circle.',
  },
  {
    chapter: 9, title: 'Reading a history', name: 'paused_holder/fenced', set: [], kind: 'yes', property: 'mutual-exclusion',
    text: "The resource refuses a's write, and no update is lost. Is the history valid as one of a mutex: does mutual exclusion hold?",
    why: 'The model is about holds, and the two overlap. Tokens protect the resource, not the lock.',
  },
  {
    chapter: 10, title: 'Testing your own lock', kind: 'lock', name: 'delete_of_anothers_lock', set: ['fault[0].on=a releases', 'fault[0].offset=50us'],
    plays: [
      ...picklockReleases(),
      { words: 'without any fault', name: 'healthy_control', set: [], holds: ['mutual-exclusion', 'never-free-again', 'starvation', 'lost-wake-up'] },
      { words: 'after the death of a holder', name: 'crash_without_expiry', set: [], holds: ['never-free-again', 'starvation'] },
    ],
    text: 'The lock in the editor below the picture looks whose the key is before it deletes it, and ends the hold of another all the same. Mend its release. The lock has to go on serving its clients.',
    why: 'The server has to compare and delete in one step: between two requests any time may pass.',
  },
];

const PICKLOCK_EXERCISE_SEEDS = 20;

// Milliseconds of "1.5s"; NaN of anything else.
function picklockMilliseconds(text) {
  const match = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|min|us)\s*$/.exec(text);
  return match ? Number(match[1]) * { us: 0.001, ms: 1, s: 1000, min: 60000 }[match[2]] : NaN;
}

// Silence is not safety: what is not put to the test in every run is not right.
async function picklockJudgeLock(exercise, locks, play) {
  const [lock] = Object.keys(locks);
  if (!lock) return { right: false, words: 'There is no lock in the editor. Choose the exercise again.' };
  let runs = 0;
  for (const { words, name, set, holds } of exercise.plays) {
    const question = { name, set, without: [], lock, locks, seed: 1 }, sums = await play(question, PICKLOCK_EXERCISE_SEEDS);
    if (sums.errors.length) throw new Error(sums.errors[0].text);
    if (sums.error) return { right: false, words: `Not yet: ${words}, the lock fails: ${sums.error}`, show: { ...question, seed: Number(/^seed (\d+)/.exec(sums.error)[1]) } };
    for (const property of holds) {
      const { violated = 0, decided = 0, first = null } = sums.properties.find((p) => p.property === property) || {};
      if (violated > 0) return { right: false, words: `Not yet: ${words}, ${violated} of ${decided} runs violate ${property}.`, show: { ...question, seed: first } };
      if (decided < sums.runs) return { right: false, words: `Not yet: ${words}, ${sums.runs - decided} of ${sums.runs} runs do not put ${property} to the test; the lock hardly serves.`, show: question };
    }
    runs += sums.runs;
  }
  return { right: true, words: `Right: in ${runs} runs no hold ends another, and all clients are served. ${exercise.why}` };
}

// Tells whether an answer is right: {right, words}, and perhaps the question of a run that shows it. `play` gives the sums of
// some seeds, `run` one run, `shown` is the run on the screen and its settings by path.
async function picklockJudge(exercise, answer, { play, run, shown }) {
  if (exercise.kind === 'lock') return picklockJudgeLock(exercise, shown.question.locks || {}, play);
  const question = (more) => ({ name: exercise.name, lock: exercise.lock || '', set: [...exercise.set, ...more], without: [], seed: 1 });
  const violated = async (asked) => {
    const sums = await play(asked, PICKLOCK_EXERCISE_SEEDS);
    if (sums.errors.length) throw new Error(sums.errors[0].text);
    const found = sums.properties.find((p) => p.property === exercise.property);
    if (!found || !found.decided) return { violated: 0, decided: 0 };
    return found;
  };
  const told = (right, words) => ({ right, words: right ? `${words} ${exercise.why}` : words });
  if (exercise.kind === 'longest' || exercise.kind === 'shortest') {
    const value = picklockMilliseconds(answer);
    if (!(value > 0)) return { right: false, words: 'Give a duration, such as 300ms or 2s.' };
    const at = async (ms) => violated(question([`${exercise.path}=${Math.round(ms * 1000)}us`]));
    const here = await at(value), beside = await at(exercise.kind === 'longest' ? value + exercise.step : Math.max(value - exercise.step, 0));
    const count = (p) => `${p.violated} of ${p.decided} runs violate ${exercise.property}`;
    if (exercise.kind === 'longest') {
      if (here.violated > 0) return told(false, `Not yet: with ${answer} ${count(here)}.`);
      return beside.violated > 0 ? told(true, `Right: with ${answer} ${count(here)}, with ${exercise.step} ms more ${count(beside)}.`)
        : told(false, `Not yet: even with ${exercise.step} ms more ${count(beside)}.`);
    }
    if (here.violated === 0) return told(false, `Not yet: with ${answer} ${count(here)}.`);
    return beside.violated === 0 ? told(true, `Right: with ${answer} ${count(here)}, with ${exercise.step} ms less ${count(beside)}.`)
      : told(false, `Not yet: even with ${exercise.step} ms less ${count(beside)}.`);
  }
  if (exercise.kind === 'yes') {
    if (answer !== 'yes' && answer !== 'no') return { right: false, words: 'Choose yes or no.' };
    const seen = await violated(question([]));
    return told((seen.violated === 0 && seen.decided > 0) === (answer === 'yes'), `${seen.violated} of ${seen.decided} runs violate ${exercise.property}.`);
  }
  if (exercise.kind === 'fewest') {
    if (!exercise.choices.includes(answer)) return { right: false, words: 'Choose one of them.' };
    const counts = [];
    for (const choice of exercise.choices) counts.push((await run(question([`${exercise.path}=${choice}`]))).page.messages.length);
    const words = exercise.choices.map((choice, i) => `${choice}: ${counts[i]} messages`).join(', ');
    return told(exercise.choices[counts.indexOf(Math.min(...counts))] === answer, `${words}.`);
  }
  if (exercise.kind === 'reach') {
    const file = (shown.question.name || '').split('/')[0];
    if (exercise.file && (file !== exercise.file || shown.question.toml)) return told(false, `Open ${exercise.file} first.`);
    for (const [path, value] of Object.entries(exercise.has || {})) {
      if (shown.settings.get(path) !== value) return told(false, `The scenario on the screen has ${path} = ${shown.settings.get(path) || 'nothing'}.`);
    }
    for (const path of exercise.same || []) {
      if (shown.question.without.length || shown.question.lock || shown.question.set.some((one) => !/^clients(\.b|\[1\])\.locks=/.test(one))) return told(false, 'Change nothing but the locks of client b.');
      if (!shown.settings.get(path)) return told(false, `The scenario on the screen has no ${path}.`);
    }
    const seen = await violated({ ...shown.question, seed: 1 });
    const reached = exercise.verdict === 'violated' ? seen.violated > 0 : seen.decided > 0 && seen.violated === 0;
    return told(reached, `${seen.violated} of ${seen.decided} runs on the screen violate ${exercise.property}.`);
  }
  throw new Error(`an exercise of no known kind: ${exercise.kind}`);
}

if (typeof exports === 'object') Object.assign(exports, { PICKLOCK_EXERCISES, picklockJudge });
