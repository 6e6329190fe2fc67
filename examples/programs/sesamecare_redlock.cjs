// npm's @sesamecare-oss/redlock on ioredis, unmodified, as the lock of a scenario:
//
//   npm install @sesamecare-oss/redlock ioredis@5
//   picklock run paused_holder --lock 'node sesamecare_redlock.cjs'
const picklock = require('picklock'), Redis = require('ioredis'), { Redlock } = require('@sesamecare-oss/redlock')

picklock.serve(({ servers, options }) => {
  const clients = servers.map(([host, port]) => new Redis({ host, port }))
  const redlock = new Redlock(clients, { retryCount: options.retries, retryDelay: options.delay, retryJitter: options.jitter })
  return {
    async acquire({ lock }) {
      const got = await redlock.acquire([lock], options.ttl)
      return { lock: got, value: got.value, deadline: got.expiration }
    },
    async release(hold) {
      await hold.lock.release()
    },
    async extend(hold) {
      hold.lock = await hold.lock.extend(options.ttl)
      return { deadline: hold.lock.expiration }
    },
  }
}, {
  summary: '@sesamecare-oss/redlock of npm on ioredis',
  source: 'npm @sesamecare-oss/redlock 1',
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
  refused: ['ExecutionError'],
})
