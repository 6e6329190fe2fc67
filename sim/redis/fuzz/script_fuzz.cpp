// Any text as a Redis script: it ends within its limits, twice the same, and its effects bring a replica to the same data.
//
//   scripts/fuzz 60 script
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sim/redis/database.hpp"

namespace picklock {
namespace {

constexpr std::int64_t kNow = 1'000'000;

struct Server {
  RedisDatabase database{};
  RedisSession session{1};
  RedisOutputs out;

  Server() {
    for (const RedisCommand& command : {RedisCommand("SET", "k", "v", "PX", 500), RedisCommand("HSET", "h", "f", "1"),
                                        RedisCommand("RPUSH", "l", "a", "b"), RedisCommand("ZADD", "z", 5, "a")}) {
      (void)database.execute(session, command, kNow, out);
    }
    out.clear();
  }
  std::string run(std::string_view text) {
    const RedisCommand command("EVAL", text, 4, "k", "h", "l", "z", "v", "10");
    return database.execute(session, command, kNow + 100, out).to_string();
  }
};

[[noreturn]] void fail(const char* what, const std::string& text) {
  std::fprintf(stderr, "%s:\n%s\n", what, text.c_str());
  std::abort();
}

void try_text(std::string_view text) {
  Server first, second, replica;
  const std::string reply = first.run(text);
  if (second.run(text) != reply) fail("another reply the second time", reply);
  if (first.database.fingerprint() != second.database.fingerprint()) fail("other data the second time", reply);
  RedisOutputs none;
  std::string effects;
  first.out.for_each_effect(EffectTarget::replica, [&](const RedisCommandView& effect) {
    effects += effect.to_string() + "\n";
    if (effect.arg(0) == "MULTI" || effect.arg(0) == "EXEC") return;
    (void)replica.database.apply(effect, kNow + 100, none);
  });
  if (first.database.fingerprint() != replica.database.fingerprint()) fail("a replica has other data", effects);
}

}  // namespace
}  // namespace picklock

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  picklock::try_text(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
