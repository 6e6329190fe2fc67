#include "checker/io/edn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/utf8.hpp"
#include "checker/io/edn_classes.hpp"
#include "checker/value.hpp"

namespace picklock {

using namespace edn;

namespace {

constexpr std::size_t kFieldsMax = 1024;

// The first eight bytes of a part of the text, as a number that orders as they do.
std::uint64_t first_letters(const std::string& text, std::size_t begin, std::size_t end) {
  const std::size_t size = std::min<std::size_t>(end - begin, 8);
  if (begin + 8 > text.size()) {
    std::uint64_t letters = 0;
    for (std::size_t i = 0; i < size; ++i)
      letters |= std::uint64_t{static_cast<unsigned char>(text[begin + i])} << (56 - 8 * i);
    return letters;
  }
  std::array<unsigned char, 8> bytes;
  std::memcpy(bytes.data(), text.data() + begin, bytes.size());
  std::uint64_t letters = 0;
  for (const unsigned char byte : bytes) letters = letters << 8 | byte;  // one instruction
  return size == 8 ? letters : size == 0 ? 0 : letters >> (64 - 8 * size) << (64 - 8 * size);
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

bool EdnScanner::delimits(const char* p) const { return (class_of(*p) & (kBlank | kDelimiter)) != 0 || at_end(p); }

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

// A set of small natural numbers, as most large ones are: the same as `sorted`, sooner. Null, and nothing added: it is
// another one, or it does not end here, or it is wrong.
const char* EdnScanner::plain_set(const char* p, std::string& out) const {
  std::vector<std::uint64_t> elements;  // their digits, as numbers that order as they do
  while (true) {
    while (class_of(*p) == kBlank) ++p;
    if (*p == '}') break;
    std::uint64_t digits = 0;
    unsigned room = 64;
    for (; is_digit(*p) && room > 0; ++p) digits |= std::uint64_t{static_cast<unsigned char>(*p)} << (room -= 8);
    const bool leading_zero = digits >> 56 == '0' && room < 56;
    const bool ends = (class_of(*p) & (kBlank | kDelimiter)) != 0;
    if (room == 64 || leading_zero || !ends) return nullptr;
    elements.push_back(digits);
  }
  constexpr std::size_t kLongest = 9;
  if (out.size() + elements.size() * kLongest > limits_.record) return nullptr;
  if (!std::is_sorted(elements.begin(), elements.end())) std::sort(elements.begin(), elements.end());
  if (std::adjacent_find(elements.begin(), elements.end()) != elements.end()) return nullptr;
  const std::size_t begin = out.size();
  out.resize(begin + elements.size() * kLongest + 1);
  char* to = out.data() + begin;
  for (std::uint64_t digits : elements) {
    for (; digits != 0; digits <<= 8) *to++ = static_cast<char>(digits >> 56);
    *to++ = ' ';
  }
  if (!elements.empty()) --to;
  *to++ = '}';
  out.resize(static_cast<std::size_t>(to - out.data()));
  return p + 1;
}

const char* EdnScanner::sorted(const char* p, bool pairs, std::string_view space, std::string& out, int depth) {
  struct Item {
    std::size_t begin, key_end, end;
    std::uint64_t first_letters;  // first letters of the key as a number; they decide nearly every comparison
  };
  std::vector<Item> items;
  const char* const begin = p;
  const std::size_t offset = out.size();
  while (true) {
    p = skip_blank(p, depth);
    if (*p == '}') break;
    if (!items.empty()) out.push_back(' ');
    Item item{out.size(), 0, 0, 0};
    p = form(p, out, depth);
    if (!space.empty() && out[item.begin] == ':') {  // :a in #:space{…} means :space/a, and :_/a means :a
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
  const auto key = [&](const Item& i) { return std::string_view(out).substr(i.begin, i.key_end - i.begin); };
  for (Item& item : items) item.first_letters = first_letters(out, item.begin, item.key_end);
  const auto before = [&](const Item& a, const Item& b) {
    return a.first_letters != b.first_letters ? a.first_letters < b.first_letters : key(a) < key(b);
  };
  if (!std::is_sorted(items.begin(), items.end(), before)) {
    std::sort(items.begin(), items.end(), before);
    std::string in_order;
    in_order.reserve(out.size() - offset);
    for (Item& item : items) {
      if (!in_order.empty()) in_order.push_back(' ');
      const std::size_t to = offset + in_order.size();
      in_order.append(out, item.begin, item.end - item.begin);
      item = {to, to + (item.key_end - item.begin), to + (item.end - item.begin), item.first_letters};
    }
    out.replace(offset, std::string::npos, in_order);
  }
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (items[i - 1].first_letters != items[i].first_letters || key(items[i - 1]) != key(items[i])) continue;
    throw SyntaxError{begin, fmt::format("{} twice", key(items[i]).substr(0, 40)), "distinct elements"};
  }
  out.push_back('}');
  return p + 1;
}

// Reads a form that begins with #, except discarded forms.
const char* EdnScanner::dispatch(const char* p, std::string& out, int depth) {
  if (at_end(p + 1)) fail(p + 1, "a tag, a set or a discarded form");
  if (p[1] == '{') {
    out += "#{";
    if (const char* const after = plain_set(p + 2, out)) return after;
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
    case '{':
      out.push_back('{');
      return sorted(p + 1, true, {}, out, depth + 1);
    case '[':
      out.push_back('[');
      return sequence(p + 1, ']', out, depth + 1);
    case '(':
      out.push_back('(');
      return sequence(p + 1, ')', out, depth + 1);
    case '#':
      return dispatch(p, out, depth + 1);
    case '\\':
      return character(p, out);
    case '"': {
      std::string characters;
      p = string(p, characters);
      append_edn_string(out, characters);
      return p;
    }
    default:
      break;
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

}  // namespace picklock
