local function text(x) return type(x) == 'table' and 'table' or tostring(x) end
local function draw(seed) math.randomseed(seed) return math.random(1, 100) + math.random() end
local function n(x) return type(x) ~= 'table' and tonumber(x) or 1 end
local function at(x, i) return type(x) == 'table' and x[i] or x end
if at(ARGV[1], 'err') then redis.pcall('ZADD', KEYS[2], 2, 'f') else for _, x in ipairs({}) do redis.call('RPUSH', KEYS[2], x) end end
local a1 = ARGV[1]
local p, q = pcall(redis.call, 'ZRANGEBYSCORE', 'k4', 0, 1000) redis.call('SET', 'k4', type(q))
local n = 0 while n < 3 do n = n + 1 local p, q = pcall(function() local a2 = {err = redis.sha1hex(nil)} local a3 = redis.pcall('TYPE', KEYS[1]) return {a1, (select(1, {ok = string.format('%d:%s', n(a1), text(select('#', false, 1)))}, nil))} end) if not p then redis.call('SET', KEYS[1], text(q)) end end
for _, x in ipairs({(n((select(0, string.format('%.3f|%5.1f|%x|%q|%i', #KEYS, 2.25, 255, _VERSION, 7), a1))) <= n('7')), nil, (select(0, redis.call('ZRANGE', KEYS[1], 0, -1), (select(2, nil, (select(-1, {(not a1), nil, a1}, (select(-1, (1 == nil), (n(1) < n(true))))))))))}) do redis.call('RPUSH', KEYS[1], x) end
return #KEYS