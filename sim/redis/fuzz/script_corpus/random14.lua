local function text(x) return type(x) == 'table' and 'table' or tostring(x) end
local function draw(seed) math.randomseed(seed) return math.random(1, 100) + math.random() end
local function n(x) return type(x) ~= 'table' and tonumber(x) or 1 end
local function at(x, i) return type(x) == 'table' and x[i] or x end
for i = 1, 3 do local a1 = ARGV local a2 = nil end
for i = 1, 2 do redis.pcall('RENAME', KEYS[2], KEYS[2]) if redis.call('SETNX', KEYS[2], 'v') == '' then local a1 = {ARGV[1], nil, false} if redis.pcall('PERSIST', 'k4') == 'v' then local a2 = redis.call('ZINCRBY', 'k4', 2.5, ARGV[2]) local p, q = pcall(redis.call, 'HSETNX', KEYS[3], 'f', 'f') redis.call('SET', KEYS[3], type(q)) end end end
redis.call('DEL', KEYS[1])
local t = {'b', 'a', (string.char(65, 66) or ARGV[1])} table.sort(t) redis.pcall('APPEND', KEYS[3], ARGV[3])
return 'v'