// A lock library of your own in picklock: picklock.serve(make, head).
//
//   const picklock = require('picklock'), Redis = require('ioredis'), Redlock = require('redlock')
//
//   picklock.serve(run => {                   // once for each run: run.servers, run.options, run.seed, run.lost(hold),
//                                           // run.replicas, run.sentinels, run.nodes (of a cluster)
//     const redlock = new Redlock(run.servers.map(([host, port]) => new Redis({ host, port })))
//     return {
//       async acquire(call) { … },            // call.lock, call.hold, call.thread, call.patience: ms, null: no limit
//                                             // an object (value, token, deadline: all optional), or null: refused
//       async release(hold, call) { … },      // hold: what acquire gave. false: it was no longer ours
//       async extend(hold, call) { … },       // an object, or false
//     }
//   }, { service: 'redis', lease: 'ttl', options: { ttl: '100ms' } })
//
// An error that acquire, release or extend throw means that the outcome is unknown, unless the head names its class, or a class
// that it is derived from, in `refused`.
'use strict'

const crypto = require('crypto')
const net = require('net')

const VERSION = 1

// --- randomness: OpenSSL mixes the processor's clock into it, and V8 seeds its own from there

let state = [1n, 2n]
const MASK = (1n << 64n) - 1n

function seed(number) {
  state = [(BigInt(number) * 0x9e3779b97f4a7c15n + 1n) & MASK, (BigInt(number) ^ 0xd1b54a32d192ed03n) & MASK]
  for (let i = 0; i < 8; ++i) next64()
}

function next64() {  // xoroshiro128+
  const [a, b] = state
  const rotated = (x, n) => ((x << n) | (x >> (64n - n))) & MASK
  const c = a ^ b
  state = [(rotated(a, 24n) ^ c ^ (c << 16n)) & MASK, rotated(c, 37n)]
  return (a + b) & MASK
}

function fill(view, offset = 0, size = view.byteLength - offset) {
  const bytes = new Uint8Array(view.buffer ?? view, (view.byteOffset ?? 0) + offset, size)
  for (let i = 0; i < bytes.length; ++i) bytes[i] = Number(next64() >> 40n) & 0xff
  return view
}

function later(callback, give) {
  process.nextTick(() => callback(null, give()))
}

function uuid() {
  const bytes = fill(Buffer.alloc(16))
  bytes[6] = (bytes[6] & 0x0f) | 0x40
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

function makeRandomnessRepeatable() {
  const random = () => Number(next64() >> 11n) / 2 ** 53
  const randomBytes = (size, callback) =>
    callback ? later(callback, () => fill(Buffer.alloc(size))) : fill(Buffer.alloc(size))
  const randomInt = (least, end, callback) => {
    if (end === undefined || typeof end === 'function') [least, end, callback] = [0, least, end]
    const give = () => least + Math.floor(random() * (end - least))
    return callback ? later(callback, give) : give()
  }
  const randomFill = (view, ...rest) => {
    const callback = rest.pop()
    later(callback, () => fill(view, ...rest))
  }
  Math.random = random
  Object.assign(crypto, {
    randomBytes, randomInt, randomFill, randomFillSync: fill, randomUUID: uuid, pseudoRandomBytes: randomBytes,
  })
  for (const [name, value] of [['getRandomValues', view => fill(view)], ['randomUUID', uuid]]) {
    Object.defineProperty(crypto.webcrypto, name, { value })
  }
  require('module').syncBuiltinESMExports()
}

// --- forks: the library that was loaded before this program is a module, too

function loadNative() {
  const path = process.env.LD_PRELOAD?.split(':').find(name => name.endsWith('picklock_time.so'))
  if (!path) return null
  const module_ = { exports: {} }
  process.dlopen(module_, path)
  return module_.exports
}

let native = null

// --- the contract

function told(given) {  // the parts of a hold that picklock knows; the others stay here
  const parts = {}
  for (const key of ['value', 'token', 'deadline']) if (given?.[key] != null) parts[key] = given[key]
  return parts
}

function classesOf(error) {
  const names = []
  for (let at = error; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) names.push(at.constructor?.name)
  return [error?.name, error?.code, ...names].filter(name => typeof name === 'string')
}

class Server {
  constructor(make, head) {
    this.make = make
    this.holds = new Map()
    this.control = net.connect(Number(process.env.PICKLOCK_CONTROL), '127.0.0.1')
    this.control.setNoDelay(true)
    this.say({ picklock: VERSION, head, forks: native !== null })
    let text = ''
    this.control.setEncoding('utf8').on('data', chunk => {
      const lines = (text + chunk).split('\n')
      text = lines.pop()
      for (const line of lines) this.hear(JSON.parse(line))
    })
    this.control.on('close', () => process.exit(0))
  }

  say(message) {
    this.control.write(JSON.stringify(message) + '\n')
  }

  // A fork plays one run. This process waits for its end, and is as it was.
  fork({ id }) {
    const ended = native.fork()
    this.say(ended === undefined ? { id, ok: 'forked' } : { back: ended })
  }

  async hear(request) {
    if (request.op === 'fork') return this.fork(request)
    if (request.op === 'exit') return native.exit()
    if (request.op !== 'run') return this.answer(request)
    seed(request.seed)
    const { op, id, ...run } = request
    this.lock = Promise.resolve(this.make({ ...run, lost: hold => this.say({ lost: hold }) }))
  }

  async answer({ id, op, ...call }) {
    const arguments_ = op === 'acquire' ? [call] : [this.holds.get(call.hold), call]
    try {
      const lock = await this.lock
      const given = op in lock ? await lock[op](...arguments_) : false  // a lock that cannot extend refuses to
      const isNo = given === false || (given == null && op === 'acquire')
      if (op === 'acquire' && !isNo) this.holds.set(call.hold, given)
      this.say(isNo ? { id, no: true } : { id, ok: told(given) })
    } catch (error) {  // whatever the library throws is its answer
      this.say({ id, raise: classesOf(error)[0] ?? 'Error', is: classesOf(error), text: String(error?.message ?? error) })
    }
  }
}

// Plays the part of a client's lock until picklock ends this process. `make(run)` gives an object with acquire and release.
function serve(make, head = {}) {
  if (!process.env.PICKLOCK_CONTROL) {
    console.error(`this program is a lock; try: picklock run paused_holder --lock 'node ${process.argv[1]}'`)
    process.exit(2)
  }
  new Server(make, head)
}

if (process.env.PICKLOCK_CONTROL) {
  native = loadNative()
  seed(1)
  makeRandomnessRepeatable()
}
module.exports = { serve }
globalThis.picklock = module.exports  // for modules, which look in no folder of packages
