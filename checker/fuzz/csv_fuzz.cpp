// The input is taken for CSV, and for a plain log in CSV: one row for an operation, times as texts, not in order.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "checker/fuzz/history_fuzz_lab.hpp"
#include "checker/io/history_reader.hpp"
#include "checker/io/history_writer.hpp"

namespace picklock {
namespace {

ReadOptions plain_log() {
  ReadOptions options;
  options.format = Format::csv;
  options.limits.record = 1u << 14;
  options.fields.keys = {{"at", "time"}, {"event", "f"}};
  options.fields.process = "client";
  options.fields.lock = "order";
  options.fields.token = "fence";
  options.fields.instants = {{"acquired", "acquire", OperationType::ok},
                             {"released", "release", OperationType::ok},
                             {"denied", "acquire", OperationType::fail}};
  return options;
}

// Sorting what is sorted changes nothing, and the times ascend.
void expect_sorted(std::string_view text) {
  ReadOptions options = plain_log();
  options.sort_by_time = true;
  const History once = read_history_text(text, options);
  for (std::size_t i = 0; i < once.operations.size(); ++i) {
    const bool ascends = i == 0 || once.operations[i - 1].time <= once.operations[i].time;
    if (!ascends || once.operations[i].index != i) {
      std::fprintf(stderr, "not in order at index %zu\n", i);
      std::abort();
    }
  }
  ReadOptions again;
  again.sort_by_time = true;
  std::string written;
  try {
    written = write_history_text(once);
  } catch (const WriteError&) {
    return;  // a completion before its invoke
  }
  if (once.operations.empty() || written.find(":process :hold") != std::string::npos) return;
  if (write_history_text(read_history_text(written, again)) != written) {
    std::fprintf(stderr, "sorted twice, not the same: %s\n", written.c_str());
    std::abort();
  }
}

}  // namespace
}  // namespace picklock

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  picklock::fuzz_history(text, picklock::Format::csv);
  try {
    picklock::read_history_text(text, picklock::plain_log());
  } catch (const picklock::ReadError&) {
  }
  try {
    picklock::expect_sorted(text);
  } catch (const picklock::ReadError&) {
  }
  return 0;
}
