// Any text as a lock in Lua: it is refused with its line, or a run with it ends, twice the same, in verdicts or in an error with
// its line; never in a crash.
//
// An input that begins with byte 1 says which text is made: one that asks questions of a service in any order, with any arguments.
// Other inputs are texts themselves.
//
//   scripts/fuzz 60 lua_lock
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>

#include "algorithms/lua/lua_locks.hpp"
#include "algorithms/lua/lua_verbs.hpp"
#include "scenarios/file/read.hpp"
#include "scenarios/file/set.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {
namespace {

constexpr const char* kScenario = R"(
lock    = { name = "set-nx-px" }
clients = [ { name = "a", hold = "5ms" }, { name = "b", hold = "5ms" } ]
phases  = { load = "2s", settle = "1s" }
event-budget = 20000
)";

// Makes a text of bytes; when they are used up, the first choice is taken.
class Writer {
 public:
  explicit Writer(std::string_view bytes) : bytes_(bytes) {}

  std::string text() {
    static constexpr std::array<const char*, 3> kServices = {"redis", "etcd", "zookeeper"};
    std::string out = "lock = { service = '" + std::string(kServices[choose(3)]) +
                      "', subscribes = " + (choose(2) == 0 ? "true" : "false") +
                      ", options = { ttl = '50ms' } }\nlocal a, b, c\n";
    out += "function acquire(ctx, patience)\n" + statements() + "  return { value = host:random() }\nend\n";
    out += "function release(ctx, hold)\n" + statements() + "  return yes\nend\n";
    if (choose(3) == 1) out += "function lost(ctx, hold)\n" + statements() + "end\n";
    if (choose(3) == 1) out += "function extend(ctx, hold)\n" + statements() + "  return host:now()\nend\n";
    return out;
  }

 private:
  std::size_t choose(std::size_t of) {
    if (bytes_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte % of;
  }
  std::string statements() {
    static constexpr std::array<const char*, 3> kNames = {"a", "b", "c"};
    std::string out;
    for (std::size_t i = choose(7); i > 0; --i) {
      const LuaVerb& verb = lua_verbs()[choose(lua_verbs().size())];
      out += "  " + std::string(kNames[choose(3)]) + " = " + std::string(verb.ask.object) + ":" +
             std::string(verb.ask.name) + "(";
      for (std::size_t n = choose(5); n > 0; --n) out += argument(0) + (n > 1 ? ", " : "");
      out += ")\n";
      if (choose(6) == 1) out += "  if a and a.yes then return { value = 'x', deadline = " + argument(0) + " } end\n";
    }
    return out;
  }
  std::string argument(int depth) {
    static constexpr std::array<const char*, 24> kValues = {"ctx.name",
                                                            "10",
                                                            "'20ms'",
                                                            "a",
                                                            "b",
                                                            "c",
                                                            "true",
                                                            "nil",
                                                            "'1ms..3ms'",
                                                            "0",
                                                            "-1",
                                                            "1e300",
                                                            "0/0",
                                                            "1e18",
                                                            "''",
                                                            "'/x'",
                                                            "a and a.value",
                                                            "'ephemeral-sequential'",
                                                            "('x'):rep(70000)",
                                                            "ctx",
                                                            "print_me",
                                                            "host",
                                                            "'PX'",
                                                            "function() host:yield() end"};
    if (choose(4) == 1 && depth < 3) {
      return "{ " + argument(depth + 1) + ", " + argument(depth + 1) + ", prefix = " + argument(depth + 1) + " }";
    }
    const char* const value = kValues[choose(kValues.size())];
    return std::string_view(value) == "print_me" ? "{ { 'create', ctx.name, '=', 0 } }" : value;
  }

  std::string_view bytes_;
};

[[noreturn]] void fail(const char* what, const std::string& said, const std::string& text) {
  std::fprintf(stderr, "%s: %s\n%s\n", what, said.c_str(), text.c_str());
  std::abort();
}

void try_text(const std::string& text) {
  forget_lua_locks();
  if (const std::string refused = add_lua_lock_text("fuzz.lua", text); !refused.empty()) {
    if (!refused.starts_with("fuzz.lua")) fail("a refusal without the file", refused, text);
    return;
  }
  ScenarioFile file = read_scenario(kScenario, "fuzz.toml");
  if (!file.ok() || set_lock(file.scenario, "fuzz.lua")) return;
  auto compiled = Runner::compile(file.scenario);
  auto* const runner = std::get_if<0>(&compiled);
  if (runner == nullptr) return;
  const RunResult& one = (*runner)->run(1);
  const std::uint64_t digest = one.digest;
  const std::string error = one.error;
  if (!error.empty() && !error.starts_with("lock fuzz.lua failed: fuzz.lua:"))
    fail("an error without its line", error, text);
  const RunResult& two = (*runner)->run(1);
  if (two.digest != digest || two.error != error) fail("another run the second time", two.error, text);
}

}  // namespace
}  // namespace picklock

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.empty()) return 0;
  picklock::try_text(data[0] == 1 ? picklock::Writer(input.substr(1)).text() : std::string(input));
  return 0;
}
