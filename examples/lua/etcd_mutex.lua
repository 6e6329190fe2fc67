-- etcd's concurrency.Mutex: a queue of keys bound to leases; each waits until the one before it is deleted.
--
--   acquire   put own key with the own lease, unless it is there; the key that was created first owns the lock;
--             else watch the last key that was created before, until none is left; look whether the own key is there still
--   release   delete the own key
--
-- Promises:  one owner at a time among the leases that live, in the order of arrival.
-- Does not:  stop a holder whose lease has ended without its knowledge.
lock = {
  name = "etcd-mutex",
  summary = "etcd's concurrency.Mutex: a queue of keys bound to sessions, each waits for the one before it",
  service = "etcd",
  ownership = "etcd-first",
  claims = { token = true, fair = true, renewing = true, loss_notification = true, releases_only_own = false },
  assumptions = {
    "clock-rates-within", "no-data-loss",
    ["pauses-shorter-than"] = "ttl/6", ["delays-shorter-than"] = "ttl/6",
  },
  lease = "ttl",
  options = {
    ttl = { default = "10s", least = "1s", help = "time to live of the session's lease, in whole seconds" },
    retry = { default = "100ms", least = "1ms", help = "time between two attempts after an error" },
  },
}

local sessions = {}  -- by lock and thread

local function place_of(ctx) return ctx.name .. "/" .. ctx.thread end

-- A lease that is renewed until the client takes it for lost.
local function session_of(ctx)
  local session = sessions[place_of(ctx)]
  if session and not session.over then return session end
  local granted = etcd:grant(ctx.options.ttl)
  if not granted.yes then return nil end  -- a lease that no client knows ends by itself
  session = { lease = granted.value.lease }
  etcd:keep_alive(session.lease)
  host:spawn("session", function()
    while true do
      local due = etcd:renewal(session.lease)
      if not due then break end
      if session.hold then host:prolong(session.hold, due) end
    end
    session.over = true
    if session.hold then host:lost() end
  end)
  sessions[place_of(ctx)] = session
  return session
end

local function unlock(key)
  local deleted = etcd:delete(key)
  if deleted.yes then return yes end  -- whether there was anything to delete, Unlock does not ask
  return deleted
end

-- Until all keys are gone that were created before ours: yes, or why not.
local function wait_in_line(ctx, session, prefix, mine, patience)
  local last = { prefix = true, sort = "create", descending = true, limit = 1, max_create = mine - 1 }
  while true do
    local before = etcd:get(prefix, last)
    if not before.yes then return before end
    if #before.value.kvs == 0 then return yes end
    local watch = etcd:watch(before.value.kvs[1].key, before.value.revision)
    local gone = false
    while not gone do
      local seen = etcd:next(watch, patience:remaining())
      if not seen or not seen.yes then
        etcd:cancel(watch)
        return seen or no
      end
      for _, event in ipairs(seen.value.events) do gone = gone or event.deleted end
    end
    etcd:cancel(watch)
  end
end

-- Leaves the line; if that cannot be known, the key may yet get the lock.
local function step_out(key, why)
  local left = unlock(key)
  if left.unknown then return left end
  if why.unknown then return no end
  return why
end

-- One attempt: a hold, or why there is none.
local function attempt(ctx, session, patience)
  local prefix = ctx.name .. "/"
  local key = prefix .. session.lease
  local owner = { "get", prefix, { prefix = true, sort = "create", limit = 1 } }
  local reply = etcd:txn({ { "create", key, "=", 0 } }, { { "put", key, "", session.lease }, owner }, { { "get", key }, owner })
  if not reply.yes then
    if reply.why == "error" then sessions[place_of(ctx)] = nil end  -- its lease is gone
    return nil, reply
  end
  local mine = reply.value.revision
  if not reply.value.succeeded then mine = reply.value.results[1].kvs[1].create end
  local first = reply.value.results[2].kvs[1]
  if first and first.create ~= mine then
    local waited = wait_in_line(ctx, session, prefix, mine, patience)
    if not waited.yes then return nil, step_out(key, waited) end
    local own = etcd:get(key)
    if not own.yes then return nil, step_out(key, own) end
    if #own.value.kvs == 0 then  -- nothing is left to step out of
      sessions[place_of(ctx)] = nil
      return nil, no
    end
  end
  return { value = key, token = mine, deadline = etcd:deadline(session.lease) }
end

function acquire(ctx, patience)
  while not patience:over() do
    local session = session_of(ctx)
    if session then
      local hold, why = attempt(ctx, session, patience)
      if hold then
        session.hold = hold
        if session.over then host:lost() end
        return hold
      end
      if why.unknown then patience:note_unknown() end
    end
    patience:pause(ctx.options.retry)
  end
  return patience:exhausted()
end

function release(ctx, hold)
  local session = sessions[place_of(ctx)]
  if session then session.hold = nil end
  return unlock(hold.value)
end
