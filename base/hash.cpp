#include "base/hash.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace picklock {

std::uint64_t hash_of(const Law& law) {
  std::uint64_t h = mix(static_cast<std::uint64_t>(law.kind()), static_cast<std::uint64_t>(law.low()));
  h = mix(h, static_cast<std::uint64_t>(law.high()));
  h = mix(h, static_cast<std::uint64_t>(law.scale()));
  h = mix(h, static_cast<std::uint64_t>(law.alpha_milli()));
  for (const Law::Choice& c : law.choices()) h = mix(mix(h, static_cast<std::uint64_t>(c.value)), c.weight);
  return h;
}

std::uint64_t remembered_hash_of(std::string_view text) {
  struct Remembered {
    std::uint64_t hash;
    char text[119];
    std::uint8_t size;
  };
  constexpr std::size_t kShortest = 8, kPlaces = 256;  // a shorter text is hashed as fast
  // Values of a pure function: what a thread remembers of one run changes nothing in another.
  thread_local std::array<Remembered, kPlaces> known;
  if (text.size() < kShortest || text.size() > sizeof Remembered::text) return hash_of(text);
  std::uint64_t end;
  std::memcpy(&end, text.data() + text.size() - sizeof end, sizeof end);
  Remembered& place = known[((end ^ text.size()) * kGolden >> 32) % kPlaces];
  if (place.size == text.size() && std::memcmp(place.text, text.data(), text.size()) == 0) return place.hash;
  place.hash = hash_of(text);
  place.size = static_cast<std::uint8_t>(text.size());
  std::memcpy(place.text, text.data(), text.size());
  return place.hash;
}

std::uint64_t hash_bytes(std::string_view bytes) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  const char* const end = bytes.data() + bytes.size();
  const std::size_t left = bytes.size() % kWord;
  std::uint64_t h = kGolden * (bytes.size() + 1), rest = 0;
  for (const char* at = bytes.data(); at != end - left; at += kWord) {
    std::uint64_t word;
    std::memcpy(&word, at, kWord);
    h = (h ^ word) * 0xd6e8feb86659fd93;
    h ^= h >> 32;
  }
  if (left != 0 && bytes.size() > kWord && std::endian::native == std::endian::little) {  // the end of the last word
    std::memcpy(&rest, end - kWord, kWord);
    rest >>= 8 * (kWord - left);
  } else if (left != 0) {
    std::memcpy(&rest, end - left, left);
  }
  return mix(h ^ rest);
}

}  // namespace picklock
