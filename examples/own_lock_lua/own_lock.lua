-- own-lock, on one Redis server.
--
-- Promises:  at most one unexpired lease per name, while the server keeps its data and its clock.
-- Does not:  stop a holder that wakes after its lease has expired.
--
--   picklock run paused_holder --lock own_lock.lua      one run
--   picklock hunt --lock own_lock.lua --within-assumptions --out kept
lock = {
  name = "own-lock",
  summary = "SET NX PX with a random value; compare-and-delete",
  service = "redis",
  ownership = "redis-key",
  claims = { mutual_exclusion = true, frees_after_crash = true, releases_only_own = true },
  -- Under these conditions the lock claims to be safe: picklock list assumptions
  assumptions = {
    "clock-rates-within", "clock-steps-below", "no-data-loss", "no-failovers",
    ["pauses-shorter-than"] = "ttl", ["delays-shorter-than"] = "ttl", ["beliefs-shorter-than"] = "ttl",
    -- A SET that is given up, and arrives after the release of a later attempt, leaves the key behind.
    returns = { ["delays-shorter-than"] = "request_timeout" },
  },
  lease = "ttl",
  -- An option is a key of scenario files, and of --set: lock.ttl=200ms
  options = {
    ttl = { default = "300ms", least = "1ms", help = "lease that the server grants" },
    retry = { default = "5ms..10ms", help = "pause between two attempts" },
  },
}

local delete_if_equals = [[
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('DEL', KEYS[1])
]]

-- Every answer of a server has one of the fields yes, no and unknown.
function acquire(ctx, patience)
  while not patience:over() do
    local value = host:random()                     -- proves whose the key is
    local deadline = host:now() + ctx.options.ttl   -- counted from the question, not from the answer
    local set = redis:call("SET", ctx.name, value, "NX", "PX", math.floor(ctx.options.ttl))
    if set.yes then return { value = value, deadline = deadline } end
    if set.unknown then                             -- it may have been granted, or may yet
      local undone = release(ctx, { value = value })
      if not undone.yes then patience:note_unknown() end
    end
    patience:pause(ctx.options.retry)
  end
  return patience:exhausted()
end

function release(ctx, hold)
  local reply = redis:eval(delete_if_equals, { ctx.name }, { hold.value })
  return yes_if(reply, 1)
end
