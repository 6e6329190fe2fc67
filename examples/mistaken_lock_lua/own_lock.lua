-- own-lock, on one Redis server: with a mistake, for chapter 10 of the guide (picklock tour 10).
--
-- Promises:  at most one unexpired lease per name, while the server keeps its data and its clock.
-- Does not:  stop a holder that wakes after its lease has expired.
--
--   picklock run delete_of_anothers_lock --lock own_lock.lua      one run
--   picklock hunt --lock own_lock.lua --within-assumptions --property wrong-release --out kept
lock = {
  name = "own-lock",
  summary = "SET NX PX with a random value; a release that looks whose the key is, then deletes it",
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
  local found = redis:call("GET", ctx.name)         -- is the key still ours?
  if found.unknown then return unknown end
  if not found.yes or found.value ~= hold.value then return no end
  return redis:call("DEL", ctx.name)
end
