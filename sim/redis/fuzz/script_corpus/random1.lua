local function text(x) return type(x) == 'table' and 'table' or tostring(x) end
local function draw(seed) math.randomseed(seed) return math.random(1, 100) + math.random() end
local function n(x) return type(x) ~= 'table' and tonumber(x) or 1 end
local function at(x, i) return type(x) == 'table' and x[i] or x end
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2]) local function g(x) return (select(2, redis.call('HSETNX', KEYS[2], '', ARGV[2]), (n(tonumber((text(ARGV[1]) .. text(at(ARGV[1], 2))), 16)) < n((n((select(2, tonumber((text(ARGV[1]) .. text(false)), 2), at(ARGV[1], 'err')))) < n(true)))))) end local a1 = g(ARGV[1])
return redis.call('ZREM', KEYS[1], 100)