#include <cstddef>
#include <cstdint>

#include "checker/fuzz/history_fuzz_lab.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  picklock::fuzz_history({reinterpret_cast<const char*>(data), size}, picklock::Format::edn);
  return 0;
}
