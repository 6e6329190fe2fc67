// npm's node-redis-warlock on ioredis, unmodified, as the lock of a scenario:
//
//   npm install node-redis-warlock ioredis@5
//   picklock run paused_holder --lock 'node warlock.cjs'
const { promisify } = require('util')
const picklock = require('picklock'), Redis = require('ioredis'), makeWarlock = require('node-redis-warlock')

picklock.serve(({ servers: [[host, port]], options }) => {
  const warlock = makeWarlock(new Redis({ host, port }))
  const pause = ms => new Promise(resolve => setTimeout(resolve, ms))
  return {
    async acquire({ lock }) {
      for (let attempt = 0; attempt < options.attempts; ++attempt) {
        const [unlock, value] = await new Promise((yes, no) =>
          warlock.lock(lock, options.ttl, (error, unlock, id) => error ? no(error) : yes([unlock, id])))
        if (unlock) return { value }
        await pause(options.wait)
      }
      return null
    },
    release: async (hold, { lock }) => await promisify(warlock.unlock)(lock, hold.value) === 1,
    extend: async (hold, { lock }) => await warlock.touch(lock, hold.value, options.ttl) === 1 && {},
  }
}, {
  summary: 'node-redis-warlock of npm on ioredis',
  source: 'npm node-redis-warlock 1',
  service: 'redis',
  lease: 'ttl',
  key: '{name}:lock',
  options: {
    ttl: { default: '10s', help: 'how long a grant lasts' },
    attempts: { default: 100, help: 'attempts of one acquire' },
    wait: { default: '50ms', help: 'pause between two attempts' },
  },
  assumptions: {
    'holds-shorter-than': 'ttl',
    'pauses-shorter-than': 'ttl',
    'delays-shorter-than': 'ttl',
    'beliefs-shorter-than': 'ttl',
  },
})
