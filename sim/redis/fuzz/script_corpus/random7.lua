local function text(x) return type(x) == 'table' and 'table' or tostring(x) end
local function draw(seed) math.randomseed(seed) return math.random(1, 100) + math.random() end
local function n(x) return type(x) ~= 'table' and tonumber(x) or 1 end
local function at(x, i) return type(x) == 'table' and x[i] or x end
redis.call('HINCRBY', 'k4', ARGV[1], -1)
local a1 = 10
local a2 = {} for k, x in pairs({double = math.max(n(redis.pcall('LPUSH', KEYS[2], 'v')), n(a1))}) do a2[#a2 + 1] = text(k) end
return redis.call('HDEL', 'k4', 10)