local function text(x) return type(x) == 'table' and 'table' or tostring(x) end
local function draw(seed) math.randomseed(seed) return math.random(1, 100) + math.random() end
local function n(x) return type(x) ~= 'table' and tonumber(x) or 1 end
local function at(x, i) return type(x) == 'table' and x[i] or x end
local a1 = {} for k, x in pairs({ARGV[1], at(ARGV[1], 'err')}) do a1[#a1 + 1] = text(k) end
return at(a1, 1)