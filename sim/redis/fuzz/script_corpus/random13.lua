local function text(x) return type(x) == 'table' and 'table' or tostring(x) end
local function draw(seed) math.randomseed(seed) return math.random(1, 100) + math.random() end
local function n(x) return type(x) ~= 'table' and tonumber(x) or 1 end
local function at(x, i) return type(x) == 'table' and x[i] or x end
redis.pcall('GETSET', KEYS[3], -2)
redis.pcall('LINDEX', 'k4', ARGV[1])
local p, q = pcall(function() local a1 = redis.pcall('GETSET', KEYS[3], 10) for _, x in ipairs({ok = type(true)}) do redis.call('RPUSH', KEYS[3], x) end return (not 100) end) if not p then redis.call('SET', 'k4', text(q)) end
return 'v'