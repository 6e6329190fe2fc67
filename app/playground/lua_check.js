'use strict';
// Holds the Lua of the module (5.2, kept to 5.1) against that of a native build (5.1), under node.
//
//   node app/playground/lua_check.js MODULE PICKLOCK
//
// Each probe is a text in Lua that ends with an error of its own words: both say them, and they have to agree, letter for letter. Prints
// a line for each probe that differs; exit status 1 if one does.
const fs = require('fs'), os = require('os'), path = require('path'), { spawnSync } = require('child_process');
const { picklockStart } = require(path.join(__dirname, 'page/engine.js'));

const order = 'for key, value in pairs(t) do tell(key, value) end';
const PROBES = {
  'order of texts, numbers and booleans': `
    local t = {}
    for i = 1, 40 do t[i * 1.5] = i; t[-i * 1000003] = i; t["k" .. i] = i; t[2 ^ 30 * i] = i end
    t[true] = 1; t[false] = 2; t[0.1] = 3; t[1e300] = 4; t[-0.5] = 5; t[1 / 3] = 6
    ${order}`,
  'order of whole numbers out of order': `local t = {} for i = 64, 1, -3 do t[i] = i end for i = -20, 0 do t[i] = i end ${order}`,
  'order of large whole numbers': `local t = {} for i = 0, 70 do t[2 ^ i] = i; t[-2 ^ i] = i; t[2 ^ 53 - i] = i end ${order}`,
  'order of fractions': `local t = {} for i = 1, 60 do t[i / 7] = i; t[i * 1e-9] = i; t[1 / (i * 1e12)] = i end ${order}`,
  'order of long texts': `local t = {} for i = 1, 60 do t[("ab"):rep(i) .. i] = i end ${order}`,
  'order after removals': `local t = {} for i = 1, 30 do t["k" .. i] = i; t[i / 2] = i end for i = 1, 30, 2 do t["k" .. i] = nil end for i = 1, 9 do t["n" .. i] = i end ${order}`,
  'order of a literal': `local t = { 1, 2, x = 3, [10] = 4, [2.5] = 5, y = 6, 7, [-1] = 8 } ${order}`,
  'fractions as places': `
    local s = "abcdefghij"
    for _, x in ipairs { 0.4, 0.5, 0.6, 1.49, 1.5, 1.99, 2.5, 3.5, -1.5, -2.5, -0.5, 9.9 } do tell(x, s:sub(x), s:sub(1, x), s:byte(x), (s:find("e", x))) end`,
  'fractions as counts': `for _, x in ipairs { 0.5, 1.5, 2.5, 2.999, -0.5 } do tell(("ab"):rep(x), select(math.max(1, x), "a", "b", "c", "d")) end`,
  'fractions in format': `for _, x in ipairs { 1.5, 2.5, -1.5, -2.5, 2 ^ 31, 2 ^ 40 } do tell(("%d %5.1f %g %x"):format(x, x, x, math.abs(x))) end`,
  'fractions in tables': `local t = { "a", "b", "c", "d" } tell(table.concat(t, "-", 1.5, 3.5)) table.insert(t, 2.5, "x") tell(unpack(t)) tell(unpack(t, 1.5, 2.5)) tell(table.remove(t, 2.7))`,
  'numbers as texts': `for _, x in ipairs { 1e15, 1e16, 2 ^ 53, 2 ^ 63, 1e100, 0.1, 1 / 3, 100, 1e-5, 123456789012345 } do tell(x, tostring(x), x .. "") end tell(1 / 0, -1 / 0)`,
  'texts as numbers': `for _, x in ipairs { "10", "0x10", " 7 ", "1e3", "1e", "", "ten", "0.5.5" } do tell(x, tonumber(x)) end tell(tonumber("ff", 16), tonumber("777", 8), tonumber("zz", 36), tonumber("8", 8))`,
  'arithmetic': `for _, x in ipairs { 7, -7, 7.5, -7.5, 2 ^ 53 } do tell(x % 3, x % -3, math.floor(x / 2), math.ceil(x / 2), math.fmod(x, 3), math.modf(x)) end`,
  'length of tables with holes': `local t = {} for i = 1, 20 do t[i] = i end tell(#t) t[20] = nil tell(#t) t[10] = nil tell(#t) t[19] = nil tell(#t) tell(#{ 1, 2, nil, 4 }) tell(#{ n = 1 })`,
  'sorting': `local t = {} for i = 1, 50 do t[i] = (i * 37) % 53 end table.sort(t, function(a, b) return a % 7 < b % 7 end) tell(unpack(t))`,
  'patterns': `tell(("k=v, a=b"):gsub("(%w+)=(%w+)", "%2=%1")) tell(("THE (quick) fox"):find("%((%a+)%)")) for w in ("a b  c"):gmatch("%S*") do tell(w) end tell(("f(a(b)c)"):match("%b()"))`,
  'random numbers': `for i = 1, 5 do tell(math.random(), math.random(10), math.random(5, 9)) end math.randomseed(7) tell(math.random(1000))`,
  'what is there': `local names = {} for name, value in pairs(_G) do names[#names + 1] = name .. ":" .. type(value) end table.sort(names) tell(unpack(names))
    for _, library in ipairs { string, table, math } do local all = {} for name in pairs(library) do all[#all + 1] = name end table.sort(all) tell(unpack(all)) end`,
};

const BEGIN = '<<', END = '>>';
const textOf = (probe) => `local told = {}
local function tell(...)
  for i = 1, select("#", ...) do told[#told + 1] = tostring((select(i, ...))) end
  told[#told + 1] = "|"
end
do ${probe} end
error("${BEGIN}" .. table.concat(told, " ") .. "${END}", 0)
`;
// The words of a probe; everything, if it failed in another way.
const wordsOf = (text) => (text.includes(BEGIN) ? text.slice(text.indexOf(BEGIN), text.lastIndexOf(END) + END.length) : `another error: ${text}`);

(async () => {
  const [moduleFile, picklock] = process.argv.slice(2);
  const engine = picklockStart(await WebAssembly.compile(fs.readFileSync(moduleFile)));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'picklock_lua_'));
  let different = 0;
  try {
    for (const [name, probe] of Object.entries(PROBES)) {
      const text = textOf(probe), file = path.join(folder, 'probe.lua');
      fs.writeFileSync(file, text);
      const native = spawnSync(picklock, ['run', 'paused_holder', '--lock', file, '--format', 'json'], { encoding: 'utf8' });
      const wanted = wordsOf(JSON.parse(native.stdout).errors[0].found);
      const [error] = engine.read({ name: 'paused_holder', lock: 'probe.lua', locks: { 'probe.lua': text } }).errors;
      const given = wordsOf(error ? error.text : '');
      if (given === wanted && wanted.startsWith(BEGIN)) continue;
      ++different;
      console.log(`${name}:\n  the module says        ${given}\n  the native build says  ${wanted}`);
    }
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
  console.log(`${Object.keys(PROBES).length} probes of Lua: ${different ? `${different} differ` : 'the module says what the native build says'}`);
  process.exit(different ? 1 : 0);
})().catch((error) => {
  console.error(error.message || error);
  process.exit(1);
});
