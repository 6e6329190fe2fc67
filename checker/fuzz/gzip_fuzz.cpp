// The input is taken for a gzip file, and for a text to be packed, damaged in one byte and unpacked.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "checker/fuzz/history_fuzz_lab.hpp"
#include "checker/io/gzip.hpp"

namespace picklock {
namespace {

struct StringSink final : ByteSink {
  void write(std::string_view bytes) override { text += bytes; }
  std::string text;
};

std::string unpacked(std::string_view bytes) {
  TextSource source(bytes, 100);
  UnpackingSource unpacking(source, "fuzz");
  std::string all;
  char piece[300];
  while (const std::size_t got = unpacking.read(piece, sizeof piece)) all.append(piece, got);
  return all;
}

void expect_same(std::string_view text, std::size_t damage) {
  StringSink sink;
  PackingSink packing(sink);
  packing.write(text);
  packing.finish();
  if (unpacked(sink.text) != text) std::abort();
  if (damage == 0) return;
  constexpr std::size_t kMagic = 2;  // length of the bytes that mark a gzip file
  std::string& bytes = sink.text;
  bytes[kMagic + damage % (bytes.size() - kMagic)] ^= 0x10;
  try {
    if (unpacked(bytes) != text) {
      std::fprintf(stderr, "damage taken for data\n");
      std::abort();
    }
  } catch (const ReadError&) {
  }
}

}  // namespace
}  // namespace picklock

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  picklock::fuzz_history(text, picklock::Format::automatic);
  picklock::expect_same(text, size < 2 ? 0 : data[0] * 256u + data[1]);
  return 0;
}
