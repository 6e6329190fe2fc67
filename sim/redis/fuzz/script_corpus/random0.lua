local function text(x) return type(x) == 'table' and 'table' or tostring(x) end
local function draw(seed) math.randomseed(seed) return math.random(1, 100) + math.random() end
local function n(x) return type(x) ~= 'table' and tonumber(x) or 1 end
local function at(x, i) return type(x) == 'table' and x[i] or x end
if redis.call('PTTL', KEYS[1]) == 10 then redis.pcall('ZRANGE', KEYS[1], 0, -1) local a1 = redis.pcall('RENAME', 'k4', KEYS[2]) end redis.call('DEL', KEYS[1], 'k4') local a1 = (select(-1, (_VERSION):upper(), (not {redis.pcall('HDEL', KEYS[1], 'f'), nil, (n((select(0, 1, true))) <= n(_VERSION))}))) local a2 = nil
return (not nil)