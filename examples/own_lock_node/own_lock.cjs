// A lock of your own in Node: one key of Redis, by ioredis. Put your library in the place of these lines.
//
//   npm install ioredis
//   picklock run paused_holder --lock 'node own_lock.cjs'
//   picklock hunt --lock 'node own_lock.cjs'
const { randomUUID } = require('crypto'), { setTimeout: sleep } = require('timers/promises')
const picklock = require('picklock'), Redis = require('ioredis')

const RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"

picklock.serve(({ servers: [[host, port]], options: { ttl } }) => {
  const redis = new Redis({ host, port })
  return {
    async acquire({ lock, patience }) {
      const value = randomUUID(), end = patience == null ? Infinity : Date.now() + patience
      while (!(await redis.set(lock, value, 'PX', ttl, 'NX'))) {
        if (Date.now() >= end) return null  // refused
        await sleep(10)
      }
      return { value }
    },
    async release(hold, { lock }) {
      return (await redis.eval(RELEASE, 1, lock, hold.value)) === 1
    },
  }
}, {
  summary: 'one key of Redis, with a time to live',
  service: 'redis',
  lease: 'ttl',
  options: { ttl: { default: '10s', help: 'time to live of the key' } },
  // Conditions under which it claims to exclude others; picklock tells which of them a run has broken.
  assumptions: {
    'holds-shorter-than': 'ttl',
    'pauses-shorter-than': 'ttl',
    'delays-shorter-than': 'ttl',
    'beliefs-shorter-than': 'ttl',
  },
})
