#include <fmt/format.h>

#include <array>
#include <cstring>

#include "checker/io/record_reader.hpp"

namespace picklock {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Characters that a string may contain as they are.  The others go the long way.
constexpr std::array<bool, 256> make_plain() {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x80; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}
constexpr std::array<bool, 256> kPlain = make_plain();

class JsonReader final : public RecordReader {
 public:
  using RecordReader::RecordReader;

 protected:
  Step step(Record& record) override;

 private:
  enum class Expects { anything, first, element, separator };

  const char* flat(const char* p, Record& record) const;
  const char* plain_string(const char* p, std::string_view& characters) const;
  const char* scalar(const char* p, Field& field) const;
  const char* extent(const char* p) const;
  void need(const char* p) const;
  [[noreturn]] void refuse(const char* p, const char* expected) const;

  Expects expects_ = Expects::anything;
  bool begun_ = false;
};

void JsonReader::need(const char* p) const {
  if (p >= window_.end() && !window_.last()) throw NeedMore{};
}

void JsonReader::refuse(const char* p, const char* expected) const {
  need(p);
  throw SyntaxError{p, describe(p, window_.end()), expected};
}

// Reads from the opening quote; nullptr if the string holds more than printable ASCII.
const char* JsonReader::plain_string(const char* p, std::string_view& characters) const {
  const char* const begin = ++p;
  while (kPlain[static_cast<unsigned char>(*p)]) ++p;
  if (*p != '"') {
    need(p);
    return nullptr;
  }
  characters = {begin, static_cast<std::size_t>(p - begin)};
  return characters.size() <= limits_.token ? p + 1 : nullptr;
}

const char* JsonReader::scalar(const char* p, Field& field) const {
  field.at = p;
  if (*p == '"') {
    p = plain_string(p, field.text);
    field.kind = Field::Kind::string;
    if (p == nullptr || field.text.empty() || field.text[0] != ':') return p;
    if (!is_keyword_name(field.text.substr(1))) return p;
    field.kind = Field::Kind::keyword;
    field.text.remove_prefix(1);
    return p;
  }
  if (*p == '-' || is_digit(*p)) {
    const bool negative = *p == '-';
    const char* const digits = p += negative ? 1 : 0;
    std::int64_t number = 0;
    while (is_digit(*p) && p - digits < 18) number = number * 10 + (*p++ - '0');
    need(p);
    const bool zero_first = *digits == '0' && p - digits > 1;
    if (p == digits || zero_first || is_digit(*p) || *p == '.' || *p == 'e' || *p == 'E') {
      return nullptr;
    }
    field.kind = Field::Kind::integer;
    field.number = negative ? -number : number;
    return p;
  }
  const auto word = [&](std::string_view name) {
    const auto room = static_cast<std::size_t>(window_.end() - p);
    if (room < name.size()) {
      need(window_.end());
      return false;
    }
    return std::memcmp(p, name.data(), name.size()) == 0;
  };
  if (*p == 'n' && word("null")) return p + 4;
  if ((*p == 't' && word("true")) || (*p == 'f' && word("false"))) {
    field.kind = Field::Kind::boolean;
    field.number = *p == 't' ? 1 : 0;
    return p + (*p == 't' ? 4 : 5);
  }
  return nullptr;
}

// A record of plain scalars, as nearly all are; nullptr if it is anything else, or wrong.
const char* JsonReader::flat(const char* p, Record& record) const {
  constexpr std::size_t kFieldsMax = 64;
  const auto blanks = [&] {
    while (is_blank(*p)) ++p;
    need(p);
  };
  ++p;
  blanks();
  if (*p == '}') return p + 1;
  while (true) {
    if (*p != '"' || record.fields.size() == kFieldsMax) return nullptr;
    Field& field = record.fields.emplace_back();
    p = plain_string(p, field.key);
    if (p == nullptr) return nullptr;
    blanks();
    if (*p != ':') return nullptr;
    ++p;
    blanks();
    p = scalar(p, field);
    if (p == nullptr) return nullptr;
    blanks();
    if (*p == '}') return p + 1;
    if (*p != ',') return nullptr;
    ++p;
    blanks();
  }
}

// The end of the object at `p`, or of the file.
const char* JsonReader::extent(const char* p) const {
  int depth = 0;
  for (; p < window_.end(); ++p) {
    if (*p == '"') {
      for (++p; p < window_.end() && *p != '"'; ++p) {
        if (*p == '\\' && p + 1 < window_.end()) ++p;
      }
    } else if (*p == '{' || *p == '[') {
      if (++depth > limits_.depth) {
        throw SyntaxError{p, fmt::format("nesting deeper than {}", limits_.depth), "flatter values"};
      }
    } else if ((*p == '}' || *p == ']') && --depth == 0) {
      return p + 1;
    }
  }
  need(window_.end());
  return window_.end();
}

RecordReader::Step JsonReader::step(Record& record) {
  const char* p = window_.begin();
  if (!begun_ && window_.end() - p >= 3 && std::memcmp(p, "\xef\xbb\xbf", 3) == 0) p += 3;
  begun_ = true;
  while (is_blank(*p)) ++p;
  window_.consume(p);
  need(p);
  if (p == window_.end()) {
    if (expects_ == Expects::anything) return Step::end;
    refuse(p, expects_ == Expects::separator ? ", or ]" : "a record: {");
  }
  const bool open = *p == '[' && expects_ == Expects::anything;
  const bool close = *p == ']' && (expects_ == Expects::first || expects_ == Expects::separator);
  const bool comma = *p == ',' && expects_ == Expects::separator;
  if (open || close || comma) {
    expects_ = open ? Expects::first : close ? Expects::anything : Expects::element;
    window_.consume(p + 1);
    return Step::again;
  }
  if (expects_ == Expects::separator) refuse(p, ", or ]");
  if (*p != '{') refuse(p, expects_ == Expects::anything ? "a record { or [" : "a record: {");

  const char* end = flat(p, record);
  if (end == nullptr) {
    record.clear();
    end = extent(p);
    read_json_record(p, end, limits_, record);
  }
  record.begin = p;
  window_.consume(end);
  if (expects_ != Expects::anything) expects_ = Expects::separator;
  return Step::record;
}

}  // namespace

std::unique_ptr<RecordReader> make_json_reader(Window& window, std::string file, const ReadLimits& limits) {
  return std::make_unique<JsonReader>(window, std::move(file), limits);
}

}  // namespace picklock
