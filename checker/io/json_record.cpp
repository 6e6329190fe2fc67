// The general reader of one JSON record.  Nested values become canonical EDN.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "checker/io/record_reader.hpp"
#include "checker/value.hpp"

namespace picklock {
namespace {

using nlohmann::json;

constexpr std::size_t kFieldsMax = 1024;

// ":name" is a keyword; the writer wraps strings that only look like one in {"$edn": …}.
void append_string_as_edn(std::string& out, std::string_view characters) {
  if (!characters.empty() && characters[0] == ':' && is_keyword_name(characters.substr(1))) {
    out += characters;
  } else {
    append_edn_string(out, characters);
  }
}

constexpr std::size_t kLongestReason = 120;  // characters

class Handler final : public json::json_sax_t {
 public:
  Handler(const char* begin, const char* end, const ReadLimits& limits, Record& record)
      : begin_(begin), end_(end), limits_(limits), record_(record) {}

  bool null() override { return add("nil"); }
  bool boolean(bool truth) override { return add(truth ? "true" : "false"); }
  bool number_integer(json::number_integer_t number) override { return add(fmt::to_string(number)); }
  bool number_unsigned(json::number_unsigned_t number) override { return add(fmt::to_string(number)); }
  bool number_float(json::number_float_t amount, const std::string& digits) override {
    if (digits.find_first_of(".eE") == std::string::npos) return add(digits);
    std::string text = fmt::to_string(amount);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return add(text);
  }
  bool string(std::string& characters) override {
    check_length(characters);
    std::string text;
    append_string_as_edn(text, characters);
    return add(text);
  }
  bool binary(json::binary_t&) override { return false; }  // binary formats alone call this
  bool start_object(std::size_t) override { return open(true); }
  bool start_array(std::size_t) override { return open(false); }
  bool key(std::string& name) override {
    check_length(name);
    Frame& frame = frames_.back();
    frame.keys.emplace_back();
    if (frames_.size() == 1) {
      frame.keys.back() = name;
    } else {
      append_string_as_edn(frame.keys.back(), name);
    }
    return true;
  }
  bool end_object() override;
  bool end_array() override;
  bool parse_error(std::size_t position, const std::string&, const json::exception& error) override;

 private:
  struct Frame {
    bool object = false;
    std::vector<std::string> keys;
    std::vector<std::string> values;  // canonical
  };

  bool open(bool object) {
    frames_.emplace_back().object = object;
    return true;
  }
  bool add(std::string_view canonical);
  bool close(std::string_view canonical) {
    frames_.pop_back();
    return add(canonical);
  }
  void check_length(const std::string& token) const {
    if (token.size() <= limits_.token) return;
    throw SyntaxError{begin_, fmt::format("a token longer than {} bytes", limits_.token), ""};
  }

  const char* begin_;
  const char* end_;
  ReadLimits limits_;
  Record& record_;
  std::vector<Frame> frames_;
};

bool Handler::add(std::string_view canonical) {
  if (frames_.size() > 1) {
    frames_.back().values.emplace_back(canonical);
    return true;
  }
  if (record_.fields.size() == kFieldsMax) {
    throw SyntaxError{begin_, fmt::format("more than {} keys", kFieldsMax), "a smaller record"};
  }
  Field& field = record_.fields.emplace_back();
  field.at = begin_;
  field.key_offset = record_.scratch.size();
  record_.scratch += frames_.back().keys.back();
  field.key = std::string_view(record_.scratch).substr(field.key_offset);
  const std::size_t offset = record_.scratch.size();
  record_.scratch += canonical;
  set_from_scratch(record_, field, offset);
  frames_.back().keys.clear();
  return true;
}

bool Handler::end_array() {
  std::string text = "[";
  for (const std::string& value : frames_.back().values) {
    if (text.size() > 1) text.push_back(' ');
    text += value;
  }
  text.push_back(']');
  return close(text);
}

bool Handler::end_object() {
  if (frames_.size() == 1) return true;
  Frame& frame = frames_.back();
  if (frame.keys.size() == 1 && frame.keys[0] == "\"$edn\"" && frame.values[0][0] == '"') {
    std::string edn;
    append_characters(edn, frame.values[0]);
    try {
      return close(canonical_edn(edn, limits_));
    } catch (SyntaxError& error) {
      error.at = begin_;
      error.expected = "EDN after \"$edn\": " + error.expected;
      throw;
    }
  }
  std::vector<std::size_t> order(frame.keys.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return frame.keys[a] < frame.keys[b]; });
  std::string text = "{";
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::string& name = frame.keys[order[i]];
    if (i > 0 && name == frame.keys[order[i - 1]]) {
      throw SyntaxError{begin_, fmt::format("{} twice", name.substr(0, 40)), "distinct keys"};
    }
    if (i > 0) text.push_back(' ');
    text += name + ' ' + frame.values[order[i]];
  }
  text.push_back('}');
  return close(text);
}

bool Handler::parse_error(std::size_t position, const std::string&, const json::exception& error) {
  // "[json.exception…] parse error at line 1, column 2: syntax error while …; last read: '…'; expected
  // …".  What was read is the file's, however long, and is told by describe.
  const std::string_view what = error.what();
  const std::size_t expected = what.rfind("; expected ");
  const std::size_t reason = what.find(": ");
  const char* const at = std::min(begin_ + (position == 0 ? 0 : position - 1), end_);
  std::string wanted = "JSON";
  if (expected != std::string_view::npos && what.size() - expected < kLongestReason) {
    wanted = what.substr(expected + 11);
  } else if (reason != std::string_view::npos) {
    const std::string_view text = what.substr(reason + 2, what.find("; last read:") - reason - 2);
    wanted = fmt::format("JSON ({})", text.substr(0, kLongestReason));
  }
  throw SyntaxError{at, describe(at, end_), wanted};
}

}  // namespace

void read_json_record(const char* begin, const char* end, const ReadLimits& limits, Record& record) {
  Handler handler(begin, end, limits, record);
  json::sax_parse(begin, end, &handler);
  record.settle();
}

}  // namespace picklock
