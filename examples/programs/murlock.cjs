// npm's murlock, unmodified, as the lock of a scenario. NestJS would make its service and its storage:
//
//   npm install murlock @nestjs/common @nestjs/core reflect-metadata rxjs
//   picklock run paused_holder --lock 'node murlock.cjs'
require('reflect-metadata')
const { randomUUID } = require('crypto')
const picklock = require('picklock'), { MurLockService } = require('murlock')

picklock.serve(async ({ servers: [[host, port]], options }) => {
  const service = new MurLockService({
    redisOptions: { socket: { host, port } }, wait: options.wait, maxAttempts: options.attempts, logLevel: 'error',
  }, null)
  await service.onModuleInit()
  return {
    async acquire({ lock }) {
      const value = randomUUID()
      await service.lock(lock, options.ttl, value)
      return { value }
    },
    async release(hold, { lock }) {
      await service.unlock(lock, hold.value)
    },
  }
}, {
  summary: 'murlock of npm',
  source: 'npm murlock 4',
  service: 'redis',
  lease: 'ttl',
  options: {
    ttl: { default: '10s', help: 'how long a grant lasts' },
    attempts: { default: 20, help: 'attempts of one acquire' },
    wait: { default: '50ms', help: 'pause after the first attempt; it grows by as much with each' },
  },
  assumptions: {
    'holds-shorter-than': 'ttl',
    'pauses-shorter-than': 'ttl',
    'delays-shorter-than': 'ttl',
    'beliefs-shorter-than': 'ttl',
  },
})
