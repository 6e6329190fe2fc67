#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "checker/fuzz/history_fuzz_lab.hpp"

namespace picklock {
namespace {

bool same(const Field& a, const Field& b) {
  return a.key == b.key && a.kind == b.kind && a.number == b.number &&
         (a.kind == Field::Kind::integer || a.text == b.text);
}

// The fast scanner and the general parser must see the same fields.
void compare_scanners(std::string_view text) {
  try {
    TextSource source(text);
    Window window(source, 1 << 20);
    const auto reader = make_json_reader(window, "fuzz", {});
    Record fast;
    while (reader->next(fast)) {
      Record slow;
      read_json_record(fast.begin, window.begin(), {}, slow);
      bool equal = fast.fields.size() == slow.fields.size();
      for (std::size_t i = 0; equal && i < fast.fields.size(); ++i) {
        equal = same(fast.fields[i], slow.fields[i]);
      }
      if (equal) continue;
      std::fprintf(stderr, "two meanings: %s\n", std::string(fast.begin, window.begin()).c_str());
      std::abort();
    }
  } catch (const ReadError&) {
  }
}

}  // namespace
}  // namespace picklock

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  picklock::compare_scanners(text);
  picklock::fuzz_history(text, picklock::Format::json);
  return 0;
}
