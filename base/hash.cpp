#include "base/hash.hpp"

#include <array>
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

namespace {

template <class Word>
std::uint64_t word_at(const char* at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// Values of a pure function: what a thread remembers of one run changes nothing in another.
constexpr std::size_t kShortest = 4, kLong = 8;  // a shorter text is hashed as fast

// Hash of a text whose letters fit into a word beside their number.
std::uint64_t remembered_hash_of_short(std::string_view text) {
  struct Remembered {
    std::uint64_t word, hash;
  };
  constexpr std::size_t kPlaces = 64;
  thread_local std::array<Remembered, kPlaces> known;
  const std::uint64_t last = word_at<std::uint32_t>(text.data() + text.size() - sizeof(std::uint32_t));
  const std::uint64_t word =
      word_at<std::uint32_t>(text.data()) | last >> 8 * (kLong - text.size()) << 32 | std::uint64_t{text.size()} << 56;
  static_assert(kPlaces == 1 << (64 - 58));
  Remembered& place = known[word * kGolden >> 58];
  if (place.word != word) place = {word, hash_of(text)};
  return place.hash;
}

}  // namespace

std::uint64_t remembered_hash_of(std::string_view text) {
  struct Remembered {
    std::uint64_t hash;
    char text[119];
    std::uint8_t size;
  };
  constexpr std::size_t kPlaces = 256;
  thread_local std::array<Remembered, kPlaces> known;
  if (text.size() >= kShortest && text.size() < kLong) return remembered_hash_of_short(text);
  if (text.size() < kShortest || text.size() > sizeof Remembered::text) return hash_of(text);
  std::uint64_t end;
  std::memcpy(&end, text.data() + text.size() - sizeof end, sizeof end);
  static_assert(kPlaces == 1 << (64 - 56));  // the highest bits depend on each letter
  Remembered& place = known[(end ^ text.size()) * kGolden >> 56];
  if (place.size == text.size() && std::memcmp(place.text, text.data(), text.size()) == 0) return place.hash;
  place.hash = hash_of(text);
  place.size = static_cast<std::uint8_t>(text.size());
  std::memcpy(place.text, text.data(), text.size());
  return place.hash;
}

// Two words a step, multiplied (wyhash).  The last words overlap what came before.
std::uint64_t hash_bytes(std::string_view bytes) {
  constexpr std::uint64_t kFirst = 0xa0761d6478bd642f, kSecond = 0xe7037ed1a0b428db;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  std::uint64_t h = kGolden * (bytes.size() + 1);
  for (; end - at > 16; at += 16) {
    h = multiply_fold(word_at<std::uint64_t>(at) ^ kFirst, word_at<std::uint64_t>(at + 8) ^ h);
  }
  const auto left = static_cast<std::size_t>(end - at);
  std::uint64_t first = 0, last = 0;
  if (left >= 8) {
    first = word_at<std::uint64_t>(at), last = word_at<std::uint64_t>(end - 8);
  } else if (left >= 4) {
    first = word_at<std::uint32_t>(at), last = word_at<std::uint32_t>(end - 4);
  } else if (left > 0) {
    first = static_cast<unsigned char>(at[0]) | word_at<std::uint8_t>(at + left / 2) << 8,
    last = word_at<std::uint8_t>(end - 1);
  }
  return multiply_fold(kSecond ^ multiply_fold(first ^ kFirst, last ^ h), h ^ kSecond);
}

}  // namespace picklock
