local function text(x) return type(x) == 'table' and 'table' or tostring(x) end
local function draw(seed) math.randomseed(seed) return math.random(1, 100) + math.random() end
local function n(x) return type(x) ~= 'table' and tonumber(x) or 1 end
local function at(x, i) return type(x) == 'table' and x[i] or x end
redis.call('TTL', KEYS[1]);
local a1 = redis.call('SET', KEYS[1], 10, 'XX', 'KEEPTTL');
local function g(x) return a1 end local a2 = g(10);
for _, x in ipairs({a1, redis.pcall('SETRANGE', KEYS[2], 2, 10), (string.char(97, 66) ~= type(ARGV[2]))}) do redis.call('RPUSH', KEYS[1], x) end
return ARGV[2]