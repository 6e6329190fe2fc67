local function text(x) return type(x) == 'table' and 'table' or tostring(x) end
local function draw(seed) math.randomseed(seed) return math.random(1, 100) + math.random() end
local function n(x) return type(x) ~= 'table' and tonumber(x) or 1 end
local function at(x, i) return type(x) == 'table' and x[i] or x end
assert((n(ARGV[1]) <= n(at(ARGV[1], 1))), string.format('%.3f|%5.1f|%x|%q|%i', #KEYS, 2.25, 255, ' 5 ', 7));
local a1 = {ok = (string.gsub(('0x1f'):reverse(), '%s*$', 'x'))};
local p, q = pcall(function() local a2 = redis.pcall('APPEND', KEYS[1], a1) redis.call('PEXPIRE', KEYS[1], 2.5) return redis.pcall('ZRANGE', KEYS[1], 0, -1) end) if not p then redis.call('SET', KEYS[1], text(q)) end;
local a2 = {} for k, x in pairs(ARGV) do a2[#a2 + 1] = text(k) end;
local a3 = redis.pcall('ZREM', 'k4', a2)
return table.concat({text(a2), text(a2)}, ',')