// Any bytes as frames of ZooKeeper's Jute: read without a crash, and the same however they are cut.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "bridge/jute.hpp"

namespace {

// The requests, what is answered here, and the error, as one text.
std::string read(std::string_view bytes, std::size_t piece) {
  picklock::JuteConnection jute;
  std::string all;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    jute.feed(bytes.substr(at, piece));
    while (const auto request = jute.next()) all += request->to_string() + '\n';
  }
  return all + jute.take_own_answers() + jute.error();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  PICKLOCK_CHECK(read(bytes, size) == read(bytes, 1 + data[0] % 16));
  return 0;
}
