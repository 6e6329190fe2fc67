local function text(x) return type(x) == 'table' and 'table' or tostring(x) end
local function draw(seed) math.randomseed(seed) return math.random(1, 100) + math.random() end
local function n(x) return type(x) ~= 'table' and tonumber(x) or 1 end
local function at(x, i) return type(x) == 'table' and x[i] or x end
local a1 = redis.error_reply(redis.sha1hex(at(ARGV[1], 2)))
redis.pcall('DEL', KEYS[3], 'k4')
return (n(at(a1, 'ok')) <= n(true))