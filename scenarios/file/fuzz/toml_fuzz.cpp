// Any text must end in a scenario or in errors; a scenario must be written and read again the same.
//
//   cmake --preset fuzz && cmake --build build/fuzz --target toml_fuzz
//   mkdir -p build/fuzz/toml
//   build/fuzz/scenarios/file/fuzz/toml_fuzz -rss_limit_mb=1024 -max_total_time=60 \
//     build/fuzz/toml scenarios/library scenarios/file/testdata

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "scenarios/file/hash.hpp"
#include "scenarios/file/read.hpp"
#include "scenarios/file/write.hpp"

namespace picklock {
namespace {

[[noreturn]] void fail(const char* what, const std::string& text) {
  std::fprintf(stderr, "%s:\n%s\n", what, text.c_str());
  std::abort();
}

void try_text(std::string_view text) {
  const ScenarioFile first = read_scenario(text, "fuzz.toml");
  for (const ScenarioError& e : first.errors) {
    if (e.found.empty() || print(e).find('\n') != std::string::npos) fail("an error that cannot be printed", print(e));
  }
  if (!first.ok()) return;
  const std::string written = write_scenario(first.scenario);
  const ScenarioFile second = read_scenario(written, "fuzz.toml");
  if (!second.ok()) fail(print(second.errors[0]).c_str(), written);
  if (!(second.scenario == first.scenario)) fail("reads back as another scenario", written);
  if (scenario_hash(second.scenario) != scenario_hash(first.scenario)) fail("another hash", written);
}

}  // namespace
}  // namespace picklock

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  picklock::try_text(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
