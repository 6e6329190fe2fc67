// Strings, numbers and characters of EDN, and the way back from canonical text.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>

#include "base/utf8.hpp"
#include "checker/io/edn.hpp"
#include "checker/io/edn_classes.hpp"

namespace picklock {

using namespace edn;

// A string without escapes, from its quote; nullptr if it has one.
const char* EdnScanner::plain_string(const char* p, std::string_view& characters) const {
  const char* const begin = p + 1;
  const void* const quote = std::memchr(begin, '"', static_cast<std::size_t>(end_ - begin));
  const char* const stop = quote == nullptr ? end_ : static_cast<const char*>(quote);
  check_length(begin, stop);
  if (std::memchr(begin, '\\', static_cast<std::size_t>(stop - begin)) != nullptr) return nullptr;
  if (stop == end_) fail(end_, "a closing \"");
  characters = view(begin, stop);
  if (std::any_of(begin, stop, is_high) && !valid_utf8(characters)) {
    throw SyntaxError{p, "bytes that are not UTF-8", "a string"};
  }
  return stop + 1;
}

const char* EdnScanner::hex4(const char* p, std::uint32_t& code) const {
  for (int i = 0; i < 4; ++i) {
    if (at_end(p + i)) fail(p + i, "four hexadecimal digits");
  }
  const auto [stop, error] = std::from_chars(p, p + 4, code, 16);
  if (error != std::errc{} || stop != p + 4) fail(p, "four hexadecimal digits");
  return p + 4;
}

// One escape of a string, from the character after its backslash.
const char* EdnScanner::escape(const char* p, std::string& characters) const {
  constexpr std::string_view kLetters = "tnrbf\"\\/";
  constexpr std::string_view kMeanings = "\t\n\r\b\f\"\\/";
  if (at_end(p)) fail(p, "an escape");
  if (const auto i = kLetters.find(*p); i != std::string_view::npos) {
    characters.push_back(kMeanings[i]);
    return p + 1;
  }
  std::uint32_t code = 0;
  if (*p == 'u') {
    const char* const begin = p;
    p = hex4(p + 1, code);
    if (code >= 0xd800 && code < 0xdc00) {
      std::uint32_t low = 0;
      if (at_end(p) || *p != '\\' || at_end(p + 1) || p[1] != 'u') {
        fail(begin, "a pair of surrogates");
      }
      p = hex4(p + 2, low);
      if (low < 0xdc00 || low > 0xdfff) fail(begin, "a pair of surrogates");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code <= 0xdfff) {
      fail(begin, "a pair of surrogates");
    }
  } else if (*p >= '0' && *p <= '7') {
    const char* const begin = p;
    for (int i = 0; i < 3 && !at_end(p) && *p >= '0' && *p <= '7'; ++i) {
      code = code * 8 + static_cast<std::uint32_t>(*p++ - '0');
    }
    if (code > 0377) fail(begin, "an octal escape of at most 377");
  } else {
    fail(p, "an escape: one of t n r b f u \" \\ or an octal digit");
  }
  append_utf8(characters, code);
  return p;
}

// Any string, from its quote.
const char* EdnScanner::string(const char* p, std::string& characters) const {
  const std::size_t offset = characters.size();
  const char* const begin = p++;
  while (true) {
    const char* const run = p;
    while (p < end_ && *p != '"' && *p != '\\') ++p;
    check_length(begin, p);
    characters.append(run, p);
    if (at_end(p)) fail(p, "a closing \"");
    if (*p == '"') break;
    p = escape(p + 1, characters);
  }
  if (!valid_utf8(std::string_view(characters).substr(offset))) {
    throw SyntaxError{begin, "bytes that are not UTF-8", "a string"};
  }
  return p + 1;
}

// Reads what Clojure reads: 0x7f, with a sign before it perhaps.
const char* EdnScanner::hexadecimal(const char* begin, std::string& out) const {
  const bool negative = *begin == '-';
  const char* p = begin + (negative ? 1 : 0) + 2;
  const char* const digits = p;
  while (std::isxdigit(static_cast<unsigned char>(*p)) != 0) ++p;
  if (p == digits) fail(p, "hexadecimal digits");
  const char* const end = p;
  p += *p == 'N' ? 1 : 0;
  if (!delimits(p)) fail(p, "the end of a number");
  std::uint64_t number = 0;
  if (std::from_chars(digits, end, number, 16).ec != std::errc{}) fail(begin, "a number of 64 bits");
  out += negative && number != 0 ? "-" : "";
  out += std::to_string(number);
  return p;
}

const char* EdnScanner::number(const char* p, std::string& out) const {
  const char* begin = p;
  if (*p == '+') ++begin;
  if (*p == '+' || *p == '-') ++p;
  const char* const digits = p;
  const auto skip_digits = [&] {
    const char* const from = p;
    while (is_digit(*p)) ++p;
    return p > from;
  };
  skip_digits();
  if (p == digits + 1 && *digits == '0' && (*p == 'x' || *p == 'X')) return hexadecimal(begin, out);
  if (*digits == '0' && p > digits + 1) fail(digits, "a number without leading zeros");
  bool real = false;
  if (*p == '/') {
    const char* const slash = p++;
    if (!skip_digits()) fail(p, "a denominator");
    if (std::all_of(slash + 1, p, [](char c) { return c == '0'; })) fail(slash + 1, "not zero");
  } else {
    if (*p == '.') {
      real = true;
      ++p;
      skip_digits();
    }
    if (*p == 'e' || *p == 'E') {
      real = true;
      ++p;
      if (*p == '+' || *p == '-') ++p;
      if (!skip_digits()) fail(p, "an exponent");
    }
  }
  const char* end = p;
  if (*p == 'N' && !real && digits < p) {
    ++p;
  } else if (*p == 'M') {
    end = ++p;
    real = false;
  }
  if (!delimits(p)) fail(p, "the end of a number");
  check_length(begin, p);
  if (!real) {
    const std::string_view text = view(begin, end);
    out += text == "-0" ? std::string_view("0") : text;
    return p;
  }
  double amount = 0;
  if (std::from_chars(begin, end, amount).ec != std::errc{}) {
    fail(begin, "a number in the range of a double");
  }
  const std::size_t offset = out.size();
  fmt::format_to(std::back_inserter(out), "{}", amount);
  if (out.find_first_of(".e", offset) == std::string::npos) out += ".0";
  return p;
}

const char* EdnScanner::character(const char* p, std::string& out) const {
  struct Named {
    std::string_view name;
    std::uint32_t code;
  };
  static constexpr Named kNamed[] = {{"newline", '\n'}, {"space", ' '},     {"tab", '\t'},
                                     {"return", '\r'},  {"formfeed", '\f'}, {"backspace", '\b'}};
  const char* const begin = p++;
  if (at_end(p) || (class_of(*p) == kBlank && *p != ',')) fail(begin, "a character");
  const char* end = p;
  if (class_of(*p) == kConstituent) {
    while (class_of(*end) == kConstituent) ++end;
  } else {
    ++end;
  }
  if (!delimits(end)) fail(end, "the end of a character");
  check_length(begin, end);
  const std::string_view name = view(p, end);
  std::uint32_t code = 0;
  const auto named = std::find_if(std::begin(kNamed), std::end(kNamed), [&](const Named& n) { return n.name == name; });
  const bool one = std::count_if(p, end, [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }) == 1;
  if (one) {
    if (!valid_utf8(name)) throw SyntaxError{begin, "bytes that are not UTF-8", "a character"};
    if (name.size() > 1) {
      out += view(begin, end);
      return end;
    }
    code = static_cast<unsigned char>(*p);
  } else if (named != std::end(kNamed)) {
    code = named->code;
  } else if (*p == 'u' && name.size() == 5) {
    hex4(p + 1, code);
    if (code >= 0xd800 && code <= 0xdfff) fail(begin, "a character that is no surrogate");
  } else if (*p == 'o' && name.size() <= 4) {
    const auto [stop, error] = std::from_chars(p + 1, end, code, 8);
    if (error != std::errc{} || stop != end || code > 0377) fail(begin, "a character");
  } else {
    fail(begin, "a character");
  }
  for (const Named& candidate : kNamed) {
    if (candidate.code != code) continue;
    out.push_back('\\');
    out += candidate.name;
    return end;
  }
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", code);
  } else {
    out.push_back('\\');
    append_utf8(out, code);
  }
  return end;
}

bool is_keyword_name(std::string_view name) {
  constexpr std::string_view kSigns = ".*+!-_?$%&=<>/";
  if (name.empty() || is_digit(name[0]) || name.front() == '/' || name.back() == '/') return false;
  if (std::count(name.begin(), name.end(), '/') > 1) return false;
  return std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || is_digit(c) || kSigns.find(c) != std::string_view::npos; });
}

std::string canonical_edn(const std::string& text, const ReadLimits& limits) {
  const char* const end = text.data() + text.size();
  EdnScanner scanner(end, true, limits);
  std::string out;
  const char* p = scanner.form(scanner.skip_blank(text.data()), out);
  p = scanner.skip_blank(p);
  if (p != end) scanner.fail(p, "one value");
  return out;
}

void append_characters(std::string& out, std::string_view canonical_string) {
  canonical_string = canonical_string.substr(1, canonical_string.size() - 2);
  for (std::size_t i = 0; i < canonical_string.size(); ++i) {
    char c = canonical_string[i];
    if (c == '\\') {
      constexpr std::string_view kLetters = "tnrbf";
      c = canonical_string[++i];
      if (c == 'u') {
        std::uint32_t code = 0;
        std::from_chars(canonical_string.data() + i + 1, canonical_string.data() + i + 5, code, 16);
        append_utf8(out, code);
        i += 4;
        continue;
      }
      if (const auto k = kLetters.find(c); k != std::string_view::npos) c = "\t\n\r\b\f"[k];
    }
    out.push_back(c);
  }
}

void set_from_scratch(Record& record, Field& field, std::size_t offset) {
  const std::string_view edn = std::string_view(record.scratch).substr(offset);
  const auto keep = [&](Field::Kind kind, std::size_t from) {
    field.kind = kind;
    field.in_scratch = true;
    field.text_offset = from;
    field.text = std::string_view(record.scratch).substr(from);
  };
  if (edn == "nil") {
    field.kind = Field::Kind::nil;
  } else if (edn == "true" || edn == "false") {
    field.kind = Field::Kind::boolean;
    field.number = edn == "true" ? 1 : 0;
  } else if (edn.front() == ':') {
    keep(Field::Kind::keyword, offset + 1);
  } else if (edn.front() == '"') {
    std::string characters;
    append_characters(characters, edn);
    const std::size_t from = record.scratch.size();
    record.scratch += characters;
    keep(Field::Kind::string, from);
  } else {
    const auto [stop, error] = std::from_chars(edn.data(), edn.data() + edn.size(), field.number);
    const bool whole = error == std::errc{} && stop == edn.data() + edn.size();
    keep(whole ? Field::Kind::integer : Field::Kind::other, offset);
  }
}

}  // namespace picklock
