-- SET name value NX PX ttl on one Redis server; a release that deletes the key only if it still has our value.
--
-- Promises:  at most one unexpired lease per name, while the server keeps its data and its clock.
-- Does not:  stop a holder that wakes after its lease has expired.
lock = {
  name = "set-nx-px",
  summary = "SET NX PX with a random value; compare-and-delete; renewal on request",
  service = "redis",
  ownership = "redis-key",
  claims = { renewing = "renewal", loss_notification = true },
  assumptions = {
    "clock-rates-within", "clock-steps-below", "no-data-loss", "no-failovers",
    ["holds-shorter-than"] = "ttl", ["pauses-shorter-than"] = "ttl",
    ["delays-shorter-than"] = "ttl", ["beliefs-shorter-than"] = "ttl",
    ["interruptions-shorter-than"] = "ttl/2", returns = { ["delays-shorter-than"] = "request_timeout" },
  },
  lease = "ttl",
  options = {
    ttl = { default = "30s", least = "1ms", help = "lease that the server grants" },
    retry = { default = "5ms..10ms", help = "pause between two attempts" },
    on_unknown = { default = "undo", one_of = { "undo", "assume-held", "ignore" }, help = "reaction to an attempt that gets no answer" },
    renewal = { default = false, help = "whether a task of its own prolongs the lease" },
  },
}

local delete_if_equals = [[
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('DEL', KEYS[1])
]]
local expire_if_equals = [[
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
]]

local tenures = {}  -- by lock and thread: counts grants and releases; a renewal serves one grant

local function tenure_of(ctx) return ctx.name .. "/" .. ctx.thread end

local function end_tenure(ctx)
  tenures[tenure_of(ctx)] = (tenures[tenure_of(ctx)] or 0) + 1
  host:signal("end of hold " .. tenure_of(ctx))
end

local function renew(ctx, hold)
  local mine = tenures[tenure_of(ctx)]
  local interval = ctx.options.ttl / 3
  while tenures[tenure_of(ctx)] == mine do
    host:announce("renewal", host:now() + interval)
    if host:wait("end of hold " .. tenure_of(ctx), interval) then return end
    host:renews()
    local due = extend(ctx, hold)
    if tenures[tenure_of(ctx)] ~= mine then return end
    if type(due) == "number" then
      host:prolong(hold, due)
    elseif due.why == "refused" then
      return host:lost()
    end
  end
end

function acquire(ctx, patience)
  while not patience:over() do
    local value = host:random()
    local asked = host:now()
    local set = redis:call("SET", ctx.name, value, "NX", "PX", math.floor(ctx.options.ttl))
    local hold = { value = value, deadline = asked + ctx.options.ttl }  -- counted from the question, not from the answer
    local reaction = set.unknown and ctx.options.on_unknown
    if set.yes or reaction == "assume-held" then
      if ctx.options.renewal then
        end_tenure(ctx)
        host:spawn("renewal", function() renew(ctx, hold) end)
      end
      return hold
    end
    local undone = reaction == "undo" and release(ctx, hold).yes
    if set.unknown and not undone then patience:note_unknown() end
    patience:pause(ctx.options.retry)
  end
  return patience:exhausted()
end

function release(ctx, hold)
  end_tenure(ctx)
  return yes_if(redis:eval(delete_if_equals, { ctx.name }, { hold.value }), 1)
end

function extend(ctx, hold)
  local asked = host:now()
  local extended = yes_if(redis:eval(expire_if_equals, { ctx.name }, { hold.value, math.floor(ctx.options.ttl) }), 1)
  if extended.yes then return asked + ctx.options.ttl end
  return extended
end
