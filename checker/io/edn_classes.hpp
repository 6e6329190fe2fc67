// The classes of characters in EDN, for the two files of the scanner.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace picklock::edn {

enum Class : std::uint8_t { kConstituent = 0, kBlank = 1, kDelimiter = 2, kBad = 4 };

constexpr std::size_t index_of(char c) { return static_cast<unsigned char>(c); }

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (std::size_t c = 0; c < 0x20; ++c) classes[c] = kBad;
  for (const char c : {'^', '@', '`', '~', '\x7f'}) classes[index_of(c)] = kBad;
  for (const char c : {' ', '\t', '\n', '\r', '\f', '\v', ','}) classes[index_of(c)] = kBlank;
  for (const char c : {'"', ';', '(', ')', '[', ']', '{', '}', '\\'}) {
    classes[index_of(c)] = kDelimiter;
  }
  return classes;
}

inline constexpr std::array<std::uint8_t, 256> kClasses = make_classes();
inline std::uint8_t class_of(char c) { return kClasses[index_of(c)]; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_high(char c) { return static_cast<unsigned char>(c) >= 0x80; }

inline std::string_view view(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace picklock::edn
