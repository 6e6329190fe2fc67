-- The lock of ZooKeeper's own recipes: a queue of ephemeral sequential nodes, each watching the next lower.
--
--   acquire   create(dir/guid-lock-, ephemeral sequential)
--             again: list; the lowest owns; else exists(next lower, watch); gone: again; else wait: again
--   release   delete the own node
--
-- Promises:  one owner at a time among the sessions that live, first come, first served.
-- Does not:  stop a holder whose session has expired without its knowledge.
lock = {
  name = "zookeeper-lock",
  summary = "a queue of ephemeral sequential nodes, each watches the one before it",
  service = "zookeeper",
  ownership = "znode-first",
  claims = { token = true, fair = true },
  assumptions = {
    "clock-rates-within", "no-power-losses", "no-data-loss",
    ["pauses-shorter-than"] = "session/6", ["delays-shorter-than"] = "session/6",
    ["disconnections-shorter-than"] = "session/6",
  },
  lease = "session",
  options = { session = { default = "10s", least = "1ms", help = "session timeout that is asked for" } },
}

local holders = {}  -- session of the hold, by lock and thread

local function place_of(ctx) return ctx.name .. "/" .. ctx.thread end
local function directory_of(ctx) return ctx.name:sub(1, 1) == "/" and ctx.name or "/" .. ctx.name end

-- The number behind the last "-lock-" of a node's name; nil if it has none.
local function number_of(name)
  local number = name:match("^.*%-lock%-(%-?%d+)$")
  return number and tonumber(number)
end

-- Another attempt on the same session may succeed after these.
local may_retry = { ConnectionLoss = true, OperationTimeout = true, SessionMoved = true }

-- After a question that failed: "done" (try again), "anew", "over" (the patience is) or "failed".
local function recover(zk, code)
  if code == "SessionExpired" then return "anew" end
  if not may_retry[code] then return "failed" end
  if zk:connected() then return "done" end
  return zk:alive() and "over" or "anew"
end

local function make_directory(ctx, zk)
  local path = ""
  for part in directory_of(ctx):gmatch("[^/]+") do
    path = path .. "/" .. part
    local made = zk:create(path)
    if not made.yes and made.code ~= "NodeExists" then return false end
  end
  return true
end

-- Looks for a node whose creation got no answer: "done", with the node if it is there.
local function find(ctx, zk, guid)
  while true do
    local list = zk:children(directory_of(ctx))
    local code = list.code
    if code == "NoNode" then return "done" end
    if list.yes then
      local own
      for _, name in ipairs(list.value.names) do
        if name:sub(1, #guid) == guid then own = name break end
      end
      if not own then return "done" end
      local path = directory_of(ctx) .. "/" .. own
      local there = zk:exists(path)
      if there.yes then return "done", { path = path, czxid = there.value.czxid } end
      if there.code == "NoNode" then return "anew" end
      code = there.code
    end
    local step = recover(zk, code)
    if step ~= "done" then return step end
  end
end

local function remove(zk, path)
  local in_doubt = false
  while true do
    local removed = zk:delete(path)
    if removed.yes then return yes end
    in_doubt = in_doubt or removed.unknown
    if removed.code == "NoNode" then return in_doubt and yes or no end
    if not may_retry[removed.code] then return no end  -- the session took it along
    if not zk:connected() then return no end
  end
end

local function enter(ctx, zk, patience)
  local guid = host:uuid()
  while true do
    local made = zk:create(directory_of(ctx) .. "/" .. guid .. "-lock-", "", "ephemeral-sequential")
    if made.yes then return "done", made.value end
    local again = made.code == "NoNode" and make_directory(ctx, zk)
    if not again then
      if made.unknown then patience:note_unknown() end
      local step = recover(zk, made.code == "NoNode" and "ConnectionLoss" or made.code)
      local found
      if step == "done" and made.unknown then step, found = find(ctx, zk, guid) end
      if step == "over" and made.unknown then  -- it may be there, and no client would wait for its turn
        host:spawn("zk-leave", function()
          local _, left = find(ctx, zk, guid)
          if left then remove(zk, left.path) end
        end)
      end
      if step ~= "done" or found then return step, found end
    end
  end
end

-- The node that `mine` has to wait for; "" if none, nil if `mine` is not there.
local function blocker_of(names, mine)
  local my_number
  for _, name in ipairs(names) do
    if name == mine then my_number = number_of(name) end
  end
  if not my_number then return nil end
  local nearest, nearest_number = "", nil
  for _, name in ipairs(names) do
    local number = number_of(name)
    if number and number < my_number and (not nearest_number or number > nearest_number) then
      nearest, nearest_number = name, number
    end
  end
  return nearest
end

local function wait_turn(ctx, zk, mine, patience)
  local directory = directory_of(ctx)
  while true do
    zk:drop_events()
    local list = zk:children(directory)
    local code, watched = list.code, nil
    if code == "NoNode" then return "anew" end
    if list.yes then
      local blocker = blocker_of(list.value.names, mine:sub(#directory + 2))
      if not blocker then return "anew" end  -- somebody has deleted it
      if blocker == "" then return "done" end
      watched = zk:watch(directory .. "/" .. blocker)
      code = watched.code
    end
    if watched and watched.yes then
      if not zk:event(patience:remaining()) then return "over" end
      if not zk:alive() then return "anew" end
    elseif not (watched and code == "NoNode") then
      local step = recover(zk, code)
      if step ~= "done" then return step end
    end
  end
end

function acquire(ctx, patience)
  patience:over()
  while true do
    local session = zk:session(ctx.options.session)
    local step, mine = enter(ctx, session, patience)
    if step == "done" then
      step = wait_turn(ctx, session, mine.path, patience)
      session:unwatch()
      if step ~= "done" and session:alive() then
        host:spawn("zk-leave", function() remove(session, mine.path) end)
      end
    end
    if step == "over" then return patience:exhausted() end
    if step == "failed" then return no end
    if step == "done" then
      holders[place_of(ctx)] = session
      return { value = mine.path, token = mine.czxid }
    end
  end
end

function release(ctx, hold)
  return remove(holders[place_of(ctx)], hold.value)
end
