// npm's redlock-universal on ioredis, unmodified, as the lock of a scenario:
//
//   npm install redlock-universal ioredis@5
//   picklock run paused_holder --lock 'node redlock_universal.cjs'
const picklock = require('picklock'), Redis = require('ioredis')
const { createLock, createRedlock, IoredisAdapter } = require('redlock-universal')

picklock.serve(({ servers, options }) => {
  const adapters = servers.map(([host, port]) => new IoredisAdapter(new Redis({ host, port })))
  const rest = { ttl: options.ttl, retryAttempts: options.retries, retryDelay: options.delay }
  return {
    async acquire({ lock: key }) {
      const lock = adapters.length > 1 ? createRedlock({ adapters, key, ...rest }) : createLock({ adapter: adapters[0], key, ...rest })
      const handle = await lock.acquire()
      return { lock, handle, value: handle.value, deadline: handle.acquiredAt + options.ttl }
    },
    release: ({ lock, handle }) => lock.release(handle),
    extend: ({ lock, handle }) => lock.extend(handle, options.ttl),
  }
}, {
  summary: 'redlock-universal of npm on ioredis',
  source: 'npm redlock-universal 0.8',
  service: 'redis',
  lease: 'ttl',
  servers: 'servers',
  options: {
    ttl: { default: '10s', help: 'how long a grant lasts' },
    servers: { default: 1, help: 'number of independent servers' },
    retries: { default: 3, help: 'attempts after the first one' },
    delay: { default: '100ms', help: 'pause between two attempts' },
  },
  assumptions: {
    'holds-shorter-than': 'ttl',
    'pauses-shorter-than': 'ttl',
    'delays-shorter-than': 'ttl',
    'beliefs-shorter-than': 'ttl',
  },
  refused: ['LockAcquisitionError'],
})
