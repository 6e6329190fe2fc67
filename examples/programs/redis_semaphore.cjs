// The mutex of npm's redis-semaphore on ioredis, unmodified, as the lock of a scenario. It renews itself:
//
//   npm install redis-semaphore ioredis@5
//   picklock run paused_holder --lock 'node redis_semaphore.cjs'
const picklock = require('picklock'), Redis = require('ioredis'), { Mutex } = require('redis-semaphore')

picklock.serve(({ servers: [[host, port]], options, lost }) => {
  const redis = new Redis({ host, port })
  return {
    async acquire({ lock, hold, patience }) {
      const mutex = new Mutex(redis, lock, {
        lockTimeout: options.ttl, acquireTimeout: patience ?? options.patience, onLockLost: () => lost(hold),
      })
      return await mutex.tryAcquire() ? { mutex, value: mutex.identifier } : null
    },
    async release(hold) {
      await hold.mutex.release()
    },
  }
}, {
  summary: 'the mutex of redis-semaphore of npm on ioredis',
  source: 'npm redis-semaphore 5',
  service: 'redis',
  lease: 'ttl',
  key: 'mutex:{name}',
  options: {
    ttl: { default: '10s', help: 'lockTimeout' },
    patience: { default: '10s', help: 'acquireTimeout of a caller without one' },
  },
  claims: { renewing: true, loss_notification: true },
  assumptions: { 'pauses-shorter-than': 'ttl/5', 'delays-shorter-than': 'ttl/5', 'beliefs-shorter-than': 'ttl' },
})
