-- A mutex in the manner of Curator: protected creates, calls that are tried again, deletes that are made good later.
--
--   acquire   create(dir/_c_uuid-lock-, ephemeral sequential); a create without an answer is looked for by its uuid
--             again: list; the first owns; else read the one before with a watch, and wait
--   release   delete the own node; one that fails is deleted in the background
--
-- Promises:  one owner at a time among the sessions that live, first come, first served.  A thread that holds may acquire again.
-- Does not:  stop a holder whose session has expired without its knowledge.
lock = {
  name = "curator-mutex",
  summary = "a mutex like Curator's: ephemeral sequential nodes, each watches the one before it",
  service = "zookeeper",
  ownership = "znode-first",
  claims = { token = true, reentrant = true, fair = true, renewing = true },
  assumptions = {
    "clock-rates-within", "no-power-losses", "no-data-loss",
    ["pauses-shorter-than"] = "session/6", ["delays-shorter-than"] = "session/6",
    ["disconnections-shorter-than"] = "session/6",
  },
  lease = "session",
  options = {
    session = { default = "60s", least = "1ms", help = "session timeout that is asked for" },
    retry_base = { default = "1s", least = "1ms", help = "pause before a call is tried again; longer ones grow from it" },
    retries = { default = 3, least = 0, most = 29, help = "number of times a call is tried again" },
  },
}

local held = {}  -- by lock and thread: { path, czxid, count, session }

local function place_of(ctx) return ctx.name .. "/" .. ctx.thread end
local function directory_of(ctx) return ctx.name:sub(1, 1) == "/" and ctx.name or "/" .. ctx.name end

local retried = { ConnectionLoss = true, OperationTimeout = true, SessionMoved = true, SessionExpired = true }

-- Sleeps before the (n + 2)th try; false if there is none.
local function may_retry(ctx, n)
  if n >= ctx.options.retries then return false end
  local factor = math.floor(host:draw("0ns.." .. 2 ^ (n + 1) - 1 .. "ns") * 1000000 + 0.5)
  host:sleep(ctx.options.retry_base * math.max(factor, 1))
  return true
end

local function session_of(ctx)
  local session = zk:session(ctx.options.session)
  session:connected()
  return session
end

-- Asks until there is an answer, or the tries are over.
local function ask(ctx, question)
  local n = 0
  while true do
    local answer = question(session_of(ctx))
    if answer.yes or not retried[answer.code] or not may_retry(ctx, n) then return answer end
    n = n + 1
  end
end

local function delete_in_background(ctx, path)
  host:spawn("curator-background", function()
    while true do
      local removed = ask(ctx, function(session) return session:delete(path) end)
      if removed.yes or not retried[removed.code] then return end
      host:sleep(ctx.options.retry_base)
    end
  end)
end

local function delete_for_sure(ctx, path)
  local removed = ask(ctx, function(session) return session:delete(path) end)
  if removed.code == "NoNode" then return yes end
  if not removed.yes and retried[removed.code] then delete_in_background(ctx, path) end
  return removed
end

local function make_parents(session, path)
  local ancestor = ""
  for part in path:gmatch("[^/]+") do
    ancestor = ancestor .. "/" .. part
    local there = session:exists(ancestor)
    if there.code == "NoNode" then
      there = session:create(ancestor, "", "container")
      if there.code == "NodeExists" then there = yes end
    end
    if not there.yes then return there end
  end
  return yes
end

-- The node of an earlier try, by its uuid.
local function find(session, directory, prefix)
  local list = session:children(directory)
  if not list.yes then return list.code ~= "NoNode" and list or nil end
  for _, name in ipairs(list.value.names) do
    if name:sub(1, #prefix) == prefix then return { yes = true, value = { path = directory .. "/" .. name } } end
  end
end

local function create(ctx)
  local directory, prefix = directory_of(ctx), "_c_" .. host:uuid() .. "-"
  local tried = false
  return ask(ctx, function(session)
    local found = tried and find(session, directory, prefix)
    tried = true
    if found then return found end
    local path = directory .. "/" .. prefix .. "lock-"
    local made = session:create(path, "", "ephemeral-sequential")
    if made.code ~= "NoNode" then return made end
    local parents = make_parents(session, directory)
    if not parents.yes then return parents end
    return session:create(path, "", "ephemeral-sequential")
  end)
end

local function sort_key(name) return name:match("^.*lock%-(.*)$") or name end

-- "held", "gone" (the own node), "late" (the patience is over) or the answer that failed.
local function look_and_wait(ctx, mine, patience)
  local directory = directory_of(ctx)
  local my_name = mine:sub(#directory + 2)
  while true do
    local list = ask(ctx, function(session) return session:children(directory) end)
    if list.code == "NoNode" then return "gone" end
    if not list.yes then return list end
    local names, place = list.value.names, nil
    table.sort(names, function(a, b) return sort_key(a) < sort_key(b) end)
    for i, name in ipairs(names) do
      if name == my_name then place = i end
    end
    if not place then return "gone" end
    if place == 1 then return "held" end
    zk:drop_events()
    local read = ask(ctx, function(session) return session:get(directory .. "/" .. names[place - 1], true) end)
    if read.yes then
      local left = patience:remaining()
      if left == 0 then return "late" end
      zk:event(left)
    elseif read.code ~= "NoNode" then
      return read
    end
  end
end

function acquire(ctx, patience)
  local mine = held[place_of(ctx)]
  if mine and mine.count > 0 then
    mine.count = mine.count + 1
    return { value = mine.path, token = mine.czxid }
  end
  for n = 0, ctx.options.retries do
    local made = create(ctx)
    if not made.yes then return made.unknown and unknown or no end
    local found = look_and_wait(ctx, made.value.path, patience)
    if found == "held" then
      held[place_of(ctx)] = { path = made.value.path, czxid = made.value.czxid, count = 1 }
      return { value = made.value.path, token = made.value.czxid }
    end
    local left = delete_for_sure(ctx, made.value.path)
    if not left.yes then return unknown end
    if found ~= "gone" then return no end
    may_retry(ctx, n)
  end
  return no
end

function release(ctx, hold)
  local mine = held[place_of(ctx)]
  mine.count = mine.count - 1
  if mine.count > 0 then return yes end
  session_of(ctx):unwatch()
  return delete_for_sure(ctx, mine.path)
end
