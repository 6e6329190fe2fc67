#include "checker/io/edn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "checker/io/utf8.hpp"
#include "checker/value.hpp"

namespace picklock {
namespace {

enum Class : std::uint8_t { kConstituent = 0, kBlank = 1, kDelimiter = 2, kBad = 4 };

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (std::size_t c = 0; c < 0x20; ++c) classes[c] = kBad;
  for (const unsigned char c : {'^', '@', '`', '~', '\x7f'}) classes[c] = kBad;
  for (const unsigned char c : {' ', '\t', '\n', '\r', '\f', '\v', ','}) classes[c] = kBlank;
  for (const unsigned char c : {'"', ';', '(', ')', '[', ']', '{', '}', '\\'}) {
    classes[c] = kDelimiter;
  }
  return classes;
}

constexpr std::array<std::uint8_t, 256> kClasses = make_classes();
constexpr std::size_t kFieldsMax = 1024;

std::uint8_t class_of(char c) { return kClasses[static_cast<unsigned char>(c)]; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_high(char c) { return static_cast<unsigned char>(c) >= 0x80; }

std::string_view view(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

std::string describe(const char* at, const char* end) {
  if (at >= end) return "the end of the file";
  constexpr std::ptrdiff_t kLongest = 40;
  const char* stop = at + 1;
  if (class_of(*at) == kConstituent) {
    while (stop < end && stop - at < kLongest && class_of(*stop) == kConstituent) ++stop;
    while (stop < end && (static_cast<unsigned char>(*stop) & 0xc0u) == 0x80u) ++stop;
  }
  if (static_cast<unsigned char>(*at) < 0x20 || *at == 0x7f || !valid_utf8(view(at, stop))) {
    return fmt::format("the byte 0x{:02x}", static_cast<unsigned char>(*at));
  }
  return fmt::format("'{}{}'", view(at, stop), stop - at >= kLongest ? "…" : "");
}

void EdnScanner::fail(const char* at, const char* expected) const {
  if (at >= end_ && !last_) throw NeedMore{};
  throw SyntaxError{at, describe(at, end_), expected};
}

bool EdnScanner::at_end(const char* p) const {
  if (p < end_) return false;
  if (!last_) throw NeedMore{};
  return true;
}

bool EdnScanner::delimits(const char* p) const {
  return (class_of(*p) & (kBlank | kDelimiter)) != 0 || at_end(p);
}

void EdnScanner::check_depth(const char* p, int depth) const {
  if (depth <= limits_.depth) return;
  throw SyntaxError{p, fmt::format("nesting deeper than {}", limits_.depth), "flatter values"};
}

void EdnScanner::check_length(const char* begin, const char* end) const {
  if (static_cast<std::size_t>(end - begin) <= limits_.token) return;
  throw SyntaxError{begin, fmt::format("a token longer than {} bytes", limits_.token), ""};
}

const char* EdnScanner::skip_blank(const char* p, int depth) {
  while (true) {
    if (class_of(*p) == kBlank) {
      ++p;
    } else if (*p == ';') {
      const void* const newline = std::memchr(p, '\n', static_cast<std::size_t>(end_ - p));
      if (newline == nullptr && !last_) throw NeedMore{};
      p = newline == nullptr ? end_ : static_cast<const char*>(newline) + 1;
    } else if (*p == '#' && !at_end(p + 1) && p[1] == '_') {
      check_depth(p, depth);
      std::string discarded;
      p = form(skip_blank(p + 2, depth + 1), discarded, depth + 1);
    } else {
      static_cast<void>(at_end(p));
      return p;
    }
  }
}

const char* EdnScanner::token(const char* p) const {
  const char* const begin = p;
  unsigned char seen = 0;
  while (class_of(*p) == kConstituent) seen |= static_cast<unsigned char>(*p++);
  if (class_of(*p) == kBad && !at_end(p)) fail(p, "a blank or a bracket");
  check_length(begin, p);
  if (seen >= 0x80 && !valid_utf8(view(begin, p))) {
    throw SyntaxError{begin, "bytes that are not UTF-8", "a name"};
  }
  return p;
}

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
  static constexpr Named kNamed[] = {{"newline", '\n'},  {"space", ' '},     {"tab", '\t'},
                                     {"return", '\r'},   {"formfeed", '\f'}, {"backspace", '\b'}};
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
  const auto named = std::find_if(std::begin(kNamed), std::end(kNamed),
                                  [&](const Named& n) { return n.name == name; });
  const bool one = std::count_if(p, end, [](char c) {
                     return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u;
                   }) == 1;
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

const char* EdnScanner::sequence(const char* p, char close, std::string& out, int depth) {
  bool first = true;
  while (true) {
    p = skip_blank(p, depth);
    if (*p == close) break;
    if (!first) out.push_back(' ');
    first = false;
    p = form(p, out, depth);
  }
  out.push_back(close);
  return p + 1;
}

const char* EdnScanner::sorted(const char* p, bool pairs, std::string_view space, std::string& out,
                               int depth) {
  struct Item {
    std::size_t begin, key_end, end;
  };
  std::vector<Item> items;
  const char* const begin = p;
  const std::size_t offset = out.size();
  while (true) {
    p = skip_blank(p, depth);
    if (*p == '}') break;
    if (!items.empty()) out.push_back(' ');
    Item item{out.size(), 0, 0};
    p = form(p, out, depth);
    if (!space.empty() && out[item.begin] == ':') {  // in #:space{…}, :a means :space/a, :_/a :a
      const std::size_t slash = out.find('/', item.begin);
      if (slash == std::string::npos) {
        out.insert(item.begin + 1, std::string(space) + '/');
      } else if (slash == item.begin + 2 && out[item.begin + 1] == '_') {
        out.erase(item.begin + 1, 2);
      }
    }
    item.key_end = out.size();
    if (pairs) {
      out.push_back(' ');
      p = skip_blank(p, depth);
      if (*p == '}') fail(p, "a value for the key before it");
      p = form(p, out, depth);
    }
    item.end = out.size();
    items.push_back(item);
  }
  const auto key = [&](const Item& i) {
    return std::string_view(out).substr(i.begin, i.key_end - i.begin);
  };
  const auto before = [&](const Item& a, const Item& b) { return key(a) < key(b); };
  if (!std::is_sorted(items.begin(), items.end(), before)) {
    std::sort(items.begin(), items.end(), before);
    std::string in_order;
    in_order.reserve(out.size() - offset);
    for (Item& item : items) {
      if (!in_order.empty()) in_order.push_back(' ');
      const std::size_t to = offset + in_order.size();
      in_order.append(out, item.begin, item.end - item.begin);
      item = {to, to + (item.key_end - item.begin), to + (item.end - item.begin)};
    }
    out.replace(offset, std::string::npos, in_order);
  }
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (key(items[i - 1]) != key(items[i])) continue;
    throw SyntaxError{begin, fmt::format("{} twice", key(items[i]).substr(0, 40)),
                      "distinct elements"};
  }
  out.push_back('}');
  return p + 1;
}

// What begins with #, except discarded forms.
const char* EdnScanner::dispatch(const char* p, std::string& out, int depth) {
  if (at_end(p + 1)) fail(p + 1, "a tag, a set or a discarded form");
  if (p[1] == '{') {
    out += "#{";
    return sorted(p + 2, false, {}, out, depth);
  }
  const char* const end = token(p + 1);
  const std::string_view name = view(p + 1, end);
  if (p[1] == '#') {
    if (name != "#Inf" && name != "#-Inf" && name != "#NaN") fail(p, "##Inf, ##-Inf or ##NaN");
    out.push_back('#');
    out += name;
    return end;
  }
  if (p[1] == ':') {
    if (name.size() < 2) fail(p, "the namespace of a map");
    const char* const brace = skip_blank(end, depth);
    if (*brace != '{') fail(brace, "{");
    out.push_back('{');
    return sorted(brace + 1, true, name.substr(1), out, depth);
  }
  if (!is_letter(p[1])) fail(p, "a tag, a set or a discarded form");
  out.push_back('#');
  out += name;
  out.push_back(' ');
  return form(skip_blank(end, depth), out, depth);
}

const char* EdnScanner::form(const char* p, std::string& out, int depth) {
  check_depth(p, depth);
  if (out.size() > limits_.record) {
    throw SyntaxError{p, fmt::format("a record longer than {} bytes", limits_.record), ""};
  }
  if (at_end(p)) fail(p, "a value");
  switch (*p) {
    case '{': out.push_back('{'); return sorted(p + 1, true, {}, out, depth + 1);
    case '[': out.push_back('['); return sequence(p + 1, ']', out, depth + 1);
    case '(': out.push_back('('); return sequence(p + 1, ')', out, depth + 1);
    case '#': return dispatch(p, out, depth + 1);
    case '\\': return character(p, out);
    case '"': {
      std::string characters;
      p = string(p, characters);
      append_edn_string(out, characters);
      return p;
    }
    default: break;
  }
  if (is_digit(*p) || ((*p == '-' || *p == '+') && !at_end(p + 1) && is_digit(p[1]))) {
    return number(p, out);
  }
  const char* const end = token(p);
  const std::string_view name = view(p, end);
  if (name.empty() || name == ":" || name.substr(0, 2) == "::") fail(p, "a value");
  out += name;
  return end;
}

const char* EdnScanner::key(const char* p, Record& record, Field& field) {
  if (*p == ':') {
    const char* const end = token(p);
    if (end == p + 1 || p[1] == ':') fail(p, "a keyword");
    field.key = view(p + 1, end);
    return end;
  }
  const std::size_t offset = record.scratch.size();
  if (*p != '"') {  // no name: read over it
    const char* const end = form(p, record.scratch, 1);
    record.scratch.resize(offset);
    return end;
  }
  if (const char* const end = plain_string(p, field.key)) return end;
  p = string(p, record.scratch);
  field.key_offset = offset;
  field.key = std::string_view(record.scratch).substr(offset);
  return p;
}

const char* EdnScanner::value(const char* p, Record& record, Field& field) {
  field.at = p;
  if (*p == ':') {
    const char* const end = token(p);
    if (end == p + 1 || p[1] == ':') fail(p, "a keyword");
    field.kind = Field::Kind::keyword;
    field.text = view(p + 1, end);
    return end;
  }
  const std::size_t offset = record.scratch.size();
  if (*p == '"') {
    field.kind = Field::Kind::string;
    if (const char* const end = plain_string(p, field.text)) return end;
    p = string(p, record.scratch);
    field.in_scratch = true;
    field.text_offset = offset;
    field.text = std::string_view(record.scratch).substr(offset);
    return p;
  }
  const bool negative = *p == '-';
  const char* const digits = p + (negative ? 1 : 0);
  if (is_digit(*digits) && (*digits != '0' || !is_digit(digits[1]))) {
    std::int64_t number = 0;
    const char* end = digits;
    while (is_digit(*end) && end - digits < 18) number = number * 10 + (*end++ - '0');
    if (!is_digit(*end) && delimits(end)) {
      field.kind = Field::Kind::integer;
      field.number = negative ? -number : number;
      return end;
    }
  }
  p = form(p, record.scratch, 1);
  set_from_scratch(record, field, offset);
  return p;
}

const char* EdnScanner::record(const char* p, Record& record) {
  ++p;
  while (true) {
    p = skip_blank(p, 1);
    if (*p == '}') break;
    if (at_end(p)) fail(p, "a key or }");
    Field field;
    p = key(p, record, field);
    p = skip_blank(p, 1);
    if (*p == '}') fail(p, "a value for the key before it");
    p = value(p, record, field);
    if (field.key.empty()) continue;
    if (record.fields.size() == kFieldsMax) {
      throw SyntaxError{p, fmt::format("more than {} keys", kFieldsMax), "a smaller record"};
    }
    record.fields.push_back(field);
  }
  return p + 1;
}

bool is_keyword_name(std::string_view name) {
  constexpr std::string_view kSigns = ".*+!-_?$%&=<>/";
  if (name.empty() || is_digit(name[0]) || name.front() == '/' || name.back() == '/') return false;
  if (std::count(name.begin(), name.end(), '/') > 1) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) {
    return is_letter(c) || is_digit(c) || kSigns.find(c) != std::string_view::npos;
  });
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
