-- Redisson's RLock: a hash of owners and their acquisitions, publish/subscribe, and a watchdog.
--
--   acquire   ask by a script; if refused, subscribe to the lock's channel, then: ask, wait for a message as long as the
--             refusal named, ask again
--   release   count one acquisition less; the last one deletes the hash and tells all waiters
--   renewal   every third of the lease, for all locks of the process at once
--
-- Promises:  at most one owner of an unexpired hash per name, while the server keeps its data and its clock.
-- Does not:  tell a holder that its lock is lost.
lock = {
  name = "redisson-lock",
  summary = "Redisson's RLock today: a hash of owners, publish/subscribe, a watchdog for all locks",
  service = "redis",
  ownership = "redis-fields",
  subscribes = true,
  claims = { reentrant = true, renewing = true, renews_only_own = false },
  assumptions = {
    "clock-rates-within", "clock-steps-below", "no-data-loss", "no-failovers",
    ["pauses-shorter-than"] = "lease/3", ["delays-shorter-than"] = "lease/3", ["interruptions-shorter-than"] = "lease/2",
  },
  lease = "lease",
  options = {
    lease = { default = "30s", least = "1ms", help = "lockWatchdogTimeout" },
    timeout = { default = "3s", least = "1ms", help = "time that an answer is waited for" },
    retry_attempts = { default = 4, least = 0, most = 1000, help = "number of times a command is sent again" },
    retry_delay = { default = "1s..2s", help = "pause before a command is sent again" },
    subscription_timeout = { default = "7500ms", least = "1ms", help = "time that a waiter waits for its subscription" },
  },
}

local acquire_script = [[
if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HEXISTS', KEYS[1], ARGV[2]) == 0 then
  return redis.call('PTTL', KEYS[1])
end
redis.call('HINCRBY', KEYS[1], ARGV[2], 1)
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return nil
]]
local unlock_script = [[
local earlier = KEYS[3] and redis.call('GET', KEYS[3])
if earlier then
  return tonumber(earlier)
end
if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 0 then
  return nil
end
local free = 0
if redis.call('HINCRBY', KEYS[1], ARGV[2], -1) > 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
else
  redis.call('DEL', KEYS[1])
  redis.call('PUBLISH', KEYS[2], ARGV[1])
  free = 1
end
if KEYS[3] then
  redis.call('SET', KEYS[3], free, 'PX', ARGV[4])
end
return free
]]
local renew_script = [[
local renewed = {}
for i = 1, #KEYS do
  renewed[i] = 0
  if redis.call('HEXISTS', KEYS[i], ARGV[i + 1]) == 1 then
    redis.call('PEXPIRE', KEYS[i], ARGV[1])
    renewed[i] = 1
  end
end
return renewed
]]

-- --- the client: one for all locks of the process

local client_id, requests = nil, 0

local function owner_of(ctx)
  if not client_id then
    client_id = host:random()
  end
  return client_id .. ":" .. ctx.thread
end

local function milliseconds(ms) return math.floor(ms) end

-- Before a command is sent for the (n + 2)th time.
local function retry_delay(ctx, n)
  local delay = host:draw(ctx.options.retry_delay)
  return n == 0 and delay / 2 or delay
end

-- A request that never left is sent again; one whose answer stays away, up to `resends` times.
local function execute(ctx, ask, resends)
  local attempt = 0
  redis:wait_at_most(ctx.options.timeout)
  while true do
    local reply = ask()
    local again = reply.why == "not-connected" and attempt < ctx.options.retry_attempts or reply.unknown and attempt < resends
    if not again then return reply end
    host:sleep(retry_delay(ctx, attempt))
    attempt = attempt + 1
  end
end

-- --- the watchdog

local entries = {}  -- in the order in which they came: { name, owners = { { thread, owner, acquisitions } } }
local running = false

local function entry_of(name)
  for i, entry in ipairs(entries) do
    if entry.name == name then return entry, i end
  end
end

local function renew_no_more(name, thread)
  local entry, place = entry_of(name)
  if not entry then return end
  for i, owner in ipairs(entry.owners) do
    if owner.thread == thread then
      owner.acquisitions = owner.acquisitions - 1
      if owner.acquisitions <= 0 then table.remove(entry.owners, i) end
      break
    end
  end
  if #entry.owners == 0 then
    table.remove(entries, place)
    running = running and #entries > 0
  end
end

local function renew_all(ctx)
  local lease, all, names, arguments = ctx.options.lease, {}, {}, { milliseconds(ctx.options.lease) }
  for i, entry in ipairs(entries) do
    all[i], names[i] = { entry = entry, thread = entry.owners[1].thread }, entry.name
    arguments[i + 1] = entry.owners[1].owner
  end
  if #all == 0 then return end
  local asked = host:now()
  host:renews()
  local reply = execute(ctx, function() return redis:eval(renew_script, names, arguments) end, ctx.options.retry_attempts)
  if not reply.yes then return end  -- the next tick tries again
  for i, one in ipairs(all) do
    if entry_of(one.entry.name) == one.entry then  -- not released meanwhile
      if reply.value[i] == 1 then
        host:prolong({ value = arguments[i + 1] }, asked + lease)
      else
        renew_no_more(one.entry.name, one.thread)
      end
    end
  end
end

local function renew(ctx)
  repeat
    host:announce("renewal", host:now() + ctx.options.lease / 3)
    host:sleep(ctx.options.lease / 3)
    renew_all(ctx)
  until not running
end

local function renew_from_now_on(ctx)
  local entry = entry_of(ctx.name)
  if not entry then
    entry = { name = ctx.name, owners = {} }
    table.insert(entries, entry)
  end
  for _, owner in ipairs(entry.owners) do
    if owner.thread == ctx.thread then
      owner.acquisitions = owner.acquisitions + 1
      return
    end
  end
  table.insert(entry.owners, { thread = ctx.thread, owner = owner_of(ctx), acquisitions = 1 })
  if not running then
    running = true
    host:spawn("renewal", function() renew(ctx) end)
  end
end

-- --- channels: one subscription for each, and a latch that all threads of the process share

local channels = {}  -- by name: { users, permits, ready }
local serving = false

local connection  -- number of the one on which subscriptions were made

local function take(message)
  local channel = channels[message.channel]
  if not channel then return end
  channel.permits = channel.permits + 1
  host:signal("permit " .. message.channel)
end

local function note_reconnection()
  local now = redis:connection()
  if now and now == connection then return end
  connection = now
  for _, channel in pairs(channels) do channel.ready = false end
end

-- The first channel whose subscription is to be made or ended.
local function next_change()
  for name, channel in pairs(channels) do
    if channel.users == 0 or not channel.ready then return name, channel end
  end
end

-- Makes and ends subscriptions one after the other, hands messages on, and ends without listeners.
local function serve()
  local failures = 0
  while true do
    local message = redis:message(0)
    while message do
      take(message)
      message = redis:message(0)
    end
    note_reconnection()
    local name, channel = next_change()
    if not name then
      if not next(channels) then break end
      message = redis:message("1h")  -- or until a waiter comes or goes
      if message then take(message) end
    elseif channel.users == 0 and not channel.ready then
      channels[name] = nil
    elseif channel.users == 0 then
      redis:unsubscribe(name)
      note_reconnection()
      channel.ready = false
    else
      local subscribed = redis:subscribe(name).yes
      note_reconnection()
      if subscribed then
        failures, channel.ready = 0, true
        host:signal("ready " .. name)
      else
        failures = math.min(failures + 1, 12)
        host:sleep(2 ^ failures)
      end
    end
  end
  serving = false
end

local function join(ctx, name)
  channels[name] = channels[name] or { users = 0, permits = 0, ready = false }
  channels[name].users = channels[name].users + 1
  if not serving then
    serving = true
    host:spawn("subscriptions", serve)
  end
  redis:wake()
  return channels[name]
end

local function leave(channel)
  channel.users = channel.users - 1
  if channel.users == 0 then redis:wake() end
end

-- --- the lock

local function channel_of(ctx) return "redisson_lock__channel:{" .. ctx.name .. "}" end

-- A hold; or the time for which others hold the lock; or an answer that is neither.
local function attempt(ctx)
  local owner, asked = owner_of(ctx), host:now()
  local reply
  host:spawn("request", function()  -- it goes on when its caller has walked away
    reply = execute(ctx, function() return redis:eval(acquire_script, { ctx.name }, { milliseconds(ctx.options.lease), owner }) end, 0)
    if reply.yes and not reply.value then renew_from_now_on(ctx) end
    host:signal("answer " .. owner .. ctx.name)
  end)
  while not reply do host:wait("answer " .. owner .. ctx.name) end
  if not reply.yes then return nil, nil, reply end
  if reply.value then return nil, reply.value end
  return { value = owner, deadline = asked + ctx.options.lease }
end

local function wait_for_permit(channel, name, limit)
  local until_ = limit and host:now() + limit
  while channel.permits == 0 do
    local left = until_ and until_ - host:now()
    if left and left <= 0 then return end
    if not host:wait("permit " .. name, left) then return end
  end
  channel.permits = channel.permits - 1
end

local function wait_and_ask(ctx, patience, channel)
  local name = channel_of(ctx)
  local limit, left = ctx.options.subscription_timeout, patience:remaining()
  if left and left < limit then limit = left end
  if not channel.ready and not host:wait("ready " .. name, limit) then
    return nil, patience:remaining() and patience:exhausted() or no
  end
  while true do
    if patience:remaining() == 0 then return nil, patience:exhausted() end
    local hold, ttl, failed = attempt(ctx)
    if hold or failed then return hold, failed end
    left = patience:remaining()
    if left == 0 then return nil, patience:exhausted() end
    local free_in = ttl >= 0 and ttl or nil
    if left and (not free_in or left < free_in) then free_in = left end
    wait_for_permit(channel, name, free_in)
  end
end

function acquire(ctx, patience)
  local hold, ttl, failed = attempt(ctx)
  if hold then return hold end
  if failed then return failed end
  if patience:remaining() == 0 then return patience:exhausted() end
  local channel = join(ctx, channel_of(ctx))
  hold, failed = wait_and_ask(ctx, patience, channel)
  leave(channel)
  return hold or failed
end

function release(ctx, hold)
  requests = requests + 1
  local id = client_id .. ":" .. requests
  local latch = "redisson_unlock_latch:{" .. ctx.name .. "}:" .. id
  local latch_ms = (ctx.options.timeout + host:draw(ctx.options.retry_delay)) * ctx.options.retry_attempts
  local reply = execute(ctx, function()
    return redis:eval(unlock_script, { ctx.name, channel_of(ctx), latch },
                      { "0", hold.value, milliseconds(ctx.options.lease), milliseconds(math.max(latch_ms, 1)) })
  end, 0)
  renew_no_more(ctx.name, ctx.thread)
  if not reply.yes then return reply end
  host:spawn("delete", function()
    execute(ctx, function() return redis:call("DEL", latch) end, ctx.options.retry_attempts)
  end)
  if not reply.value then return no end  -- it was not ours any more
  return yes
end
