-- Looks, then subscribes, then waits for a message without a bound: one in between is missed
-- A hash of owner and count, waiters are woken by a message; polls every second ttl besides. Reentrant by thread.
lock = {
  name = "reentrant",
  service = "redis", ownership = "redis-fields", subscribes = true,
  claims = { reentrant = true },
  assumptions = { "clock-rates-within", "clock-steps-below", "no-data-loss", "no-failovers",
    ["holds-shorter-than"] = "ttl", ["pauses-shorter-than"] = "ttl", ["delays-shorter-than"] = "ttl", ["beliefs-shorter-than"] = "ttl" },
  lease = "ttl",
  options = { ttl = { default = "2s", least = "1ms" }, retry = { default = "20ms" } },
}
local take_script = [[
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
  redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return false
end
return redis.call('PTTL', KEYS[1])
]]
local release_script = [[
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) > 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
else
  redis.call('DEL', KEYS[1])
  redis.call('PUBLISH', KEYS[2], 'free')
end
return 1
]]
local process = nil
local held = {}  -- acquisitions, by lock and thread
local function place(ctx) return ctx.name .. "/" .. ctx.thread end
local function owner(ctx)
  process = process or host:uuid()
  return process .. ":" .. ctx.thread
end
local function ms(ctx) return math.floor(ctx.options.ttl) end
local function channel(ctx) return "free:" .. ctx.name end

local function try(ctx)
  local asked = host:now()
  local reply = redis:eval(take_script, { ctx.name }, { owner(ctx), ms(ctx) })
  if reply.yes and not reply.value then
    held[place(ctx)] = (held[place(ctx)] or 0) + 1
    return { value = owner(ctx), deadline = asked + ctx.options.ttl }
  end
  return nil, reply
end

function acquire(ctx, patience)
  patience:over()
  local hold, why = try(ctx)
  if hold then return hold end
  if why.unknown then return unknown end
  while not redis:subscribe(channel(ctx)).yes do
    if patience:over() then return patience:exhausted() end
    patience:pause(ctx.options.retry)
  end
  local result, woken
  while not result do
    hold, why = nil, no
    if woken then hold, why = try(ctx) end
    if hold then result = hold
    elseif why.unknown then result = unknown
    elseif patience:over() then result = patience:exhausted()
    else
      local wait = why.yes and why.value > 0 and why.value or ctx.options.retry
      local left = patience:remaining()
      if left and left < wait then wait = left end
      woken = redis:message(patience:remaining() or "1h") ~= nil
    end
  end
  redis:unsubscribe(channel(ctx))
  return result
end

function release(ctx, hold)
  held[place(ctx)] = math.max((held[place(ctx)] or 0) - 1, 0)
  return yes_if(redis:eval(release_script, { ctx.name, channel(ctx) }, { hold.value, ms(ctx) }), 1)
end
