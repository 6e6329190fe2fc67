// npm's redlock 4 on ioredis, unmodified, as the lock of a scenario:
//
//   npm install redlock@4 ioredis@5
//   picklock run paused_holder --lock 'node redlock.cjs'
const picklock = require('picklock'), Redis = require('ioredis'), Redlock = require('redlock')

picklock.serve(({ servers, options }) => {
  const clients = servers.map(([host, port]) => new Redis({ host, port }))
  const redlock = new Redlock(clients, { retryCount: options.retries, retryDelay: options.delay, retryJitter: options.jitter })
  return {
    async acquire({ lock }) {
      const got = await redlock.lock(lock, options.ttl)
      return { lock: got, value: got.value, deadline: got.expiration }
    },
    async release(hold) {
      await hold.lock.unlock()
    },
    async extend(hold) {
      hold.lock = await hold.lock.extend(options.ttl)
      return { deadline: hold.lock.expiration }
    },
  }
}, {
  summary: 'redlock of npm on ioredis',
  source: 'npm redlock 4',
  service: 'redis',
  lease: 'ttl',
  servers: 'servers',
  options: {
    ttl: { default: '10s', help: 'how long a grant lasts' },
    servers: { default: 1, help: 'number of independent servers' },
    retries: { default: 10, help: 'attempts after the first one' },
    delay: { default: '200ms', help: 'pause between two attempts' },
    jitter: { default: '100ms', help: 'random part of that pause' },
  },
  assumptions: {
    'holds-shorter-than': 'ttl',
    'pauses-shorter-than': 'ttl',
    'delays-shorter-than': 'ttl',
    'beliefs-shorter-than': 'ttl',
  },
  refused: ['LockError'],
})
