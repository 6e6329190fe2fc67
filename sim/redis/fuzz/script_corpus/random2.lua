local function text(x) return type(x) == 'table' and 'table' or tostring(x) end
local function draw(seed) math.randomseed(seed) return math.random(1, 100) + math.random() end
local function n(x) return type(x) ~= 'table' and tonumber(x) or 1 end
local function at(x, i) return type(x) == 'table' and x[i] or x end
error('f' .. '') if redis.pcall('EVAL', 'return 1', 0) == '' then redis.call('HLEN', 'k4') if false then if '7' then local function g(x) return redis.call('STRLEN', KEYS[3]) end local a1 = g(select('#', at(ARGV[1], 'err'), ARGV[1])) local a2 = redis.pcall('TYPE', KEYS[1]) else redis.call = nil end else local p, q = pcall(redis.call, 'DECR', KEYS[1]) redis.call('SET', KEYS[3], type(q)) local t = {3, 1, 2} table.insert(t, #ARGV) table.remove(t, 1) end end redis.pcall('DECR', KEYS[1])
return redis.pcall('EXISTS', 'k4')