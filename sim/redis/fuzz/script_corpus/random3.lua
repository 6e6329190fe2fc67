local function text(x) return type(x) == 'table' and 'table' or tostring(x) end
local function draw(seed) math.randomseed(seed) return math.random(1, 100) + math.random() end
local function n(x) return type(x) ~= 'table' and tonumber(x) or 1 end
local function at(x, i) return type(x) == 'table' and x[i] or x end
local a1 = redis.pcall('ECHO', 100) local t = {3, 1, 2} table.insert(t, math.max(n(-2), n((not (at(a1, 2) ~= at(a1, 2)))))) table.remove(t, 1) local t = {'b', 'a', text(a1)} table.sort(t) redis.call('PTTL', 'k4') if redis.pcall('SET', KEYS[1], -2, 'XX', 'KEEPTTL') == -2 then local function g(x) return KEYS end local a2 = g((n(#type((n('') < n('f')))) <= n(at(a1, 2)))) end io.write('x')
return nil