local function text(x) return type(x) == 'table' and 'table' or tostring(x) end
local function draw(seed) math.randomseed(seed) return math.random(1, 100) + math.random() end
local function n(x) return type(x) ~= 'table' and tonumber(x) or 1 end
local function at(x, i) return type(x) == 'table' and x[i] or x end
for i = 1, 3 do local a1 = 10 if redis.pcall('HEXISTS', 'k4', ARGV[2]) then local a2 = redis.call('ZRANGEBYSCORE', KEYS[1], 0, 1000) for _, x in ipairs({x = a1, {x = 'v', string.byte(string.sub(' 5 ', 2, -2))}}) do redis.call('RPUSH', KEYS[3], x) end else redis.call('LPOP', KEYS[1]) end end;
if redis.call('COPY', KEYS[1], KEYS[3]) == ARGV[3] then local a1 = {ok = string.byte((string.gsub(string.byte((string.match(string.char(65, 66), '[') or 'none')), '[a-c]', '%0%0')))} redis.call('RPUSH', KEYS[3], 1.5) end;
local function g(x) return nil end local a1 = g((ARGV[1] or redis.pcall('LRANGE', KEYS[1], 0, -1)))
return a1