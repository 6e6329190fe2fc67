// The module's interface: functions that take a question and give an answer, as texts of JSON (app/playground/engine.hpp).
//
// The page puts a question into memory from `picklock_memory`, calls a function with its length, and reads the answer, which
// ends with a zero and is valid until the next call.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "app/playground/engine.hpp"
#include "base/embedded_file.hpp"

#define PICKLOCK_EXPORT(name) extern "C" __attribute__((export_name(#name))) auto name

// Hears of the runs that an explanation makes.
extern "C" __attribute__((import_module("picklock"), import_name("progress"))) void picklock_progress(
    std::uint32_t runs);

namespace picklock {
std::span<const EmbeddedFile> embedded_locks();
std::span<const EmbeddedFile> embedded_mistaken_lock_lua();
}  // namespace picklock

namespace {

picklock::Playground& playground() {
  static picklock::Playground one;
  return one;
}

std::string question, answer;

const char* give(std::string text) {
  answer = std::move(text);
  return answer.c_str();
}

std::string_view asked(std::size_t size) { return std::string_view(question).substr(0, size); }

}  // namespace

// Room for a question of this many bytes.
PICKLOCK_EXPORT(picklock_memory)(std::size_t bytes)->char* {
  question.resize(bytes);
  return question.data();
}

PICKLOCK_EXPORT(picklock_list)()->const char* { return give(playground().list()); }
// The locks in Lua that the library brings: [{"name", "text", "mistaken"}], examples and the one of the guide's exercise.
PICKLOCK_EXPORT(picklock_locks)()->const char* {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  const auto add = [&](std::span<const picklock::EmbeddedFile> files, bool mistaken) {
    for (const picklock::EmbeddedFile& file : files)
      all.push_back({{"name", file.name}, {"text", file.text}, {"mistaken", mistaken}});
  };
  add(picklock::embedded_locks(), false);
  add(picklock::embedded_mistaken_lock_lua(), true);
  return give(all.dump());
}
PICKLOCK_EXPORT(picklock_read)(std::size_t size)->const char* { return give(playground().read(asked(size))); }
PICKLOCK_EXPORT(picklock_run)(std::size_t size)->const char* { return give(playground().run(asked(size))); }
PICKLOCK_EXPORT(picklock_begin_range)(std::size_t size)->const char* {
  return give(playground().begin_range(asked(size)));
}
PICKLOCK_EXPORT(picklock_more_of_range)(std::uint32_t seeds)->const char* {
  return give(playground().more_of_range(seeds));
}
PICKLOCK_EXPORT(picklock_explain)(std::size_t size)->const char* {
  const auto progress = [](std::uint64_t runs) { picklock_progress(static_cast<std::uint32_t>(runs)); };
  return give(playground().explain(asked(size), progress));
}
