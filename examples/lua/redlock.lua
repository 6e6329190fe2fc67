-- Redlock, as the Redis documentation describes it: servers that share nothing, of which a majority grants.
--
--   acquire  read the clock; SET name value NX PX ttl at all servers at once, each with a short timeout; read the clock again
--            granted if a majority said yes and some of ttl is left, less an allowance for drift
--            else delete the value at all servers, and again after a pause, with a new value
--   release  delete the value at all servers
--
-- Promises:  at most one valid lease per name, while clocks run at equal rates, no server loses keys, and no client works
--            beyond its validity.
lock = {
  name = "redlock",
  summary = "Redlock: a majority of independent servers, within the validity time",
  service = "redis",
  ownership = "redis-key",
  servers = "servers",
  claims = { loss_notification = true },
  assumptions = {
    "clock-steps-below", "no-data-loss",
    ["holds-shorter-than"] = "ttl", ["pauses-shorter-than"] = "ttl", ["delays-shorter-than"] = "ttl",
    ["clock-rates-within"] = "drift_ppm/2", ["beliefs-shorter-than"] = "ttl/2",
    returns = { ["delays-shorter-than"] = "node_timeout" },
  },
  lease = "ttl",
  options = {
    servers = { default = 5, least = 1, most = 99, help = "number of independent servers" },
    ttl = { default = "10s", least = "1ms", help = "lease that every server grants" },
    node_timeout = { default = "50ms", least = "1ms", help = "time that one server's answer is waited for" },
    drift_ppm = { default = 10000, least = 0, most = 1000000, help = "share of ttl allowed for clock rates, in millionths" },
    drift_constant = { default = "2ms", help = "time allowed for the granularity of expiry" },
    retry = { default = "0ms..200ms", help = "pause between two attempts" },
  },
}

local delete_if_equals = [[
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('DEL', KEYS[1])
]]

-- Asks all servers at once, and waits for all answers: "yes", "no", "unreached" or "unknown" by server.
local function ask_all(ctx, question)
  local votes, answered, name = {}, 0, "votes " .. ctx.name .. "/" .. ctx.thread
  for i, server in ipairs(ctx.servers) do
    server:wait_at_most(ctx.options.node_timeout)
    host:spawn("redis" .. i, function()
      local answer = question(server)
      votes[i] = answer.yes and "yes" or answer.unknown and "unknown" or answer.why == "not-connected" and "unreached" or "no"
      answered = answered + 1
      host:signal(name)
    end)
  end
  while answered < #ctx.servers do host:wait(name) end
  return votes
end

local function count(votes, wanted)
  local n = 0
  for _, vote in ipairs(votes) do
    if vote == wanted then n = n + 1 end
  end
  return n
end

local function quorum(ctx) return math.floor(#ctx.servers / 2) + 1 end

local function delete_everywhere(ctx, value)
  return ask_all(ctx, function(server) return yes_if(server:eval(delete_if_equals, { ctx.name }, { value }), 1) end)
end

-- True if surely no majority is left.
local function undo(ctx, value, votes)
  local deleted = delete_everywhere(ctx, value)
  local left = 0
  for i, vote in ipairs(votes) do
    -- Where the SET had no answer, finding nothing settles nothing: it may still be on its way.
    local settled = deleted[i] == "yes" or (deleted[i] == "no" and vote == "yes")
    if (vote == "yes" or vote == "unknown") and not settled then left = left + 1 end
  end
  return left < quorum(ctx)
end

function acquire(ctx, patience)
  local ttl = ctx.options.ttl
  while not patience:over() do
    local value = host:random()
    local asked = host:now()
    local votes = ask_all(ctx, function(server)
      return server:call("SET", ctx.name, value, "NX", "PX", math.floor(ttl))
    end)
    local drift = ttl * ctx.options.drift_ppm / 1000000 + ctx.options.drift_constant
    local validity = ttl - (host:now() - asked) - drift
    if count(votes, "yes") >= quorum(ctx) and validity > 0 then
      return { value = value, deadline = host:now() + validity }
    end
    if not undo(ctx, value, votes) then patience:note_unknown() end
    patience:pause(ctx.options.retry)
  end
  return patience:exhausted()
end

function release(ctx, hold)
  local votes = delete_everywhere(ctx, hold.value)
  if count(votes, "unknown") + count(votes, "unreached") >= quorum(ctx) then return unknown end
  if count(votes, "yes") > 0 then return yes end
  return no
end
