local function text(x) return type(x) == 'table' and 'table' or tostring(x) end
local function draw(seed) math.randomseed(seed) return math.random(1, 100) + math.random() end
local function n(x) return type(x) ~= 'table' and tonumber(x) or 1 end
local function at(x, i) return type(x) == 'table' and x[i] or x end
local function g(x) return 'f' end local a1 = g(table.concat({text(math.fmod(n(ARGV[1]), 3)), false}, ','))
return redis.call('GETSET', KEYS[3], ARGV[1])