// npm's ioredis-lock, unmodified, as the lock of a scenario:
//
//   npm install ioredis-lock ioredis@5
//   picklock run paused_holder --lock 'node ioredis_lock.cjs'
const picklock = require('picklock'), Redis = require('ioredis'), { createLock } = require('ioredis-lock')

picklock.serve(({ servers: [[host, port]], options }) => {
  const redis = new Redis({ host, port })
  return {
    async acquire({ lock: key }) {
      const lock = createLock(redis, { timeout: options.ttl, retries: options.retries, delay: options.delay })
      await lock.acquire(key)
      return { lock, value: lock._id }
    },
    async release(hold) {
      await hold.lock.release()
    },
    async extend(hold) {
      await hold.lock.extend(options.ttl)
    },
  }
}, {
  summary: 'ioredis-lock of npm',
  source: 'npm ioredis-lock 4',
  service: 'redis',
  lease: 'ttl',
  options: {
    ttl: { default: '10s', help: 'how long a grant lasts' },
    retries: { default: 100, help: 'attempts after the first one' },
    delay: { default: '50ms', help: 'pause between two attempts' },
  },
  assumptions: {
    'holds-shorter-than': 'ttl',
    'pauses-shorter-than': 'ttl',
    'delays-shorter-than': 'ttl',
    'beliefs-shorter-than': 'ttl',
  },
  refused: ['LockAcquisitionError', 'LockReleaseError', 'LockExtendError'],
})
