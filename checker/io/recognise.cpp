// The format of a file, by its content.
#include <algorithm>
#include <cstring>

#include "checker/io/csv_line.hpp"
#include "checker/io/log_line.hpp"
#include "checker/io/record_reader.hpp"
#include "checker/io/stranger.hpp"

namespace picklock {
namespace {

// The part of a log in which the first operation is looked for.
constexpr std::size_t kPreambleMax = 1u << 20;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

struct Recogniser {
  const char* p;
  const char* end;
  bool last;

  void need(const char* at) const {
    if (at >= end && !last) throw NeedMore{};
  }
  void blanks() {
    while (p < end && (is_blank(*p) || *p == ',')) ++p;
    need(p);
  }

  // The place is after the { of the first record.
  Format inside_map() {
    blanks();
    if (*p != '"') return Format::edn;
    for (++p; p < end && *p != '"'; ++p) {
      if (*p == '\\' && p + 1 < end) ++p;
    }
    need(p);
    if (p < end) ++p;
    blanks();
    if (*p != ':') return Format::edn;
    // {"type":"ok"} is JSON, {"type" :ok} is EDN, whose keyword no JSON word can be.
    const char* const word = p + 1;
    const char* stop = word;
    while (stop < end && ((*stop >= 'a' && *stop <= 'z') || *stop == '-')) ++stop;
    need(stop);
    const std::string_view name(word, static_cast<std::size_t>(stop - word));
    const bool json = name.empty() || name == "-" || name == "true" || name == "false" || name == "null";
    return json ? Format::json : Format::edn;
  }

  // A log may begin with anything, a bracketed date too: one of its lines must be an operation.
  Format log() const {
    const std::size_t seen = std::min(static_cast<std::size_t>(end - p), kPreambleMax);
    std::string_view rest(p, seen);
    while (!rest.empty()) {
      const std::size_t newline = rest.find('\n');
      if (find_operation(rest.substr(0, newline))) return Format::jepsen_log;
      if (newline == std::string_view::npos) break;
      rest.remove_prefix(newline + 1);
    }
    if (seen < kPreambleMax) need(end);
    return Format::automatic;
  }

  bool names_columns(const char* line) const {
    const std::string_view rest(line, static_cast<std::size_t>(end - line));
    return separator_of_header(rest.substr(0, rest.find_first_of("\r\n"))).has_value();
  }

  Format file() {
    if (end - p >= 3 && std::memcmp(p, "\xef\xbb\xbf", 3) == 0) p += 3;
    blanks();
    const char* const begin = p;
    if (p >= end || *p == ';' || *p == '(' || *p == '#') return Format::edn;
    if (*p == '[') {
      ++p;
      blanks();
      if (p >= end || *p == ']' || *p == ';' || *p == '#') return Format::edn;
    }
    if (*p == '{') {
      ++p;
      return inside_map();
    }
    const char* const stranger = p;
    p = begin;
    const Format found = log();
    p = stranger;
    return found == Format::automatic && *begin != '[' && names_columns(begin) ? Format::csv : found;
  }
};

const Field* find(const Record& record, std::string_view key) {
  const auto found =
      std::find_if(record.fields.begin(), record.fields.end(), [&](const Field& field) { return field.key == key; });
  return found == record.fields.end() ? nullptr : &*found;
}

bool is_one_of(const Field* field, std::initializer_list<std::string_view> words) {
  return field != nullptr && field->is_name() && std::find(words.begin(), words.end(), field->text) != words.end();
}

}  // namespace

void refuse_stranger(Window& window, const std::string& file) {
  const auto seen = [&] {
    return std::string_view(window.begin(), static_cast<std::size_t>(window.end() - window.begin()));
  };
  while (seen().size() < kStrangerBytes && !window.last() && !window.full()) window.extend();
  const std::optional<Stranger> stranger = stranger_in(seen());
  if (stranger) throw ReadError(file, window.position(window.begin() + stranger->at), stranger->what, stranger->wanted);
}

Format recognise_syntax(Window& window, const std::string& file) {
  while (true) {
    try {
      Recogniser recogniser{window.begin(), window.end(), window.last() || window.full()};
      const Format format = recogniser.file();
      if (format != Format::automatic) return format;
      throw ReadError(
          file, window.position(recogniser.p), describe(recogniser.p, window.end()),
          "a history in EDN or JSON, records in {}, or [ or ( around them, a log of Jepsen's, or CSV with a header");
    } catch (const NeedMore&) {
      window.extend();
    }
  }
}

Format recognise_content(Format syntax, const Record& first) {
  const Field* const f = find(first, "f");
  if (syntax == Format::edn && is_one_of(f, {"get", "put", "append"})) {
    if (find(first, "key") != nullptr) return Format::porcupine;
  }
  if (syntax == Format::json && is_one_of(f, {"lock", "refresh", "unlock"})) {
    const Field* const value = find(first, "value");
    const bool names_lock = value != nullptr && value->kind == Field::Kind::string;
    if (names_lock && is_one_of(find(first, "type"), {"invoke"})) return Format::lease_json;
  }
  return syntax;
}

std::unique_ptr<RecordReader> make_reader(Format format, Window& window, std::string file, const ReadLimits& limits) {
  switch (format) {
    case Format::json:
    case Format::lease_json:
      return make_json_reader(window, std::move(file), limits);
    case Format::csv:
      return make_csv_reader(window, std::move(file), limits);
    case Format::jepsen_log:
      return make_log_reader(window, std::move(file), limits);
    default:
      return make_edn_reader(window, std::move(file), limits);
  }
}

}  // namespace picklock
