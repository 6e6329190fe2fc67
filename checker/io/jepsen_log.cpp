#include <algorithm>
#include <array>
#include <cstring>

#include "base/utf8.hpp"
#include "checker/io/log_line.hpp"
#include "checker/io/record_reader.hpp"
#include "checker/value.hpp"

namespace picklock {
namespace {

class LogReader final : public RecordReader {
 public:
  using RecordReader::RecordReader;

 protected:
  Step step(Record& record) override;

 private:
  void operation(const LoggedOperation& found, Record& record);
  const char* column(const char* p, std::string_view key, Record& record);
  void error(const char* p, Record& record);

  [[nodiscard]] bool separates(char c) const { return c == '\t' || (!tabs_ && c == ' '); }
  // The start of the column after `p`; null: the line ends there.
  [[nodiscard]] const char* next(const char* p) const {
    if (tabs_) return *p == '\t' ? p + 1 : nullptr;
    while (separates(*p)) ++p;
    return p == line_.data() + line_.size() ? nullptr : p;
  }

  bool tabs_ = true;
  std::string line_;  // the line and a zero after it, where the scanner must stop
};

// One form, and what separates it from the next column, or the end of the line after it.
const char* LogReader::column(const char* p, std::string_view key, Record& record) {
  const char* const end = line_.data() + line_.size();
  EdnScanner scanner(end, true, limits_);
  Field& field = record.fields.emplace_back();
  field.key = key;
  field.at = p;
  const std::size_t offset = record.scratch.size();
  p = scanner.form(p, record.scratch, 1);
  set_from_scratch(record, field, offset);
  if (p < end && !separates(*p)) {
    scanner.fail(p, tabs_ ? "a tab or the end of the line" : "a blank or the end of the line");
  }
  return p;
}

// Written by `str`: a keyword or a vector is EDN, a message is not.
void LogReader::error(const char* p, Record& record) {
  const std::string text(p);
  std::string edn;
  try {
    edn = canonical_edn(text, limits_);
  } catch (const SyntaxError&) {
    if (!valid_utf8(text)) throw SyntaxError{p, "bytes that are not UTF-8", "an error"};
    append_edn_string(edn, text);
  }
  Field& field = record.fields.emplace_back();
  field.key = "error";
  field.at = p;
  const std::size_t offset = record.scratch.size();
  record.scratch += edn;
  set_from_scratch(record, field, offset);
}

void LogReader::operation(const LoggedOperation& found, Record& record) {
  const char* const begin = line_.data();
  tabs_ = found.tabs;
  column(begin + found.process, "process", record);
  column(begin + found.type, "type", record);
  const char* p = next(column(begin + found.function, "f", record));
  if (p != nullptr) p = next(column(p, "value", record));
  if (p != nullptr) error(p, record);
}

RecordReader::Step LogReader::step(Record& record) {
  const char* const begin = window_.begin();
  const char* const end = window_.end();
  const void* const newline = std::memchr(begin, '\n', static_cast<std::size_t>(end - begin));
  if (newline == nullptr && !window_.last()) throw NeedMore{};
  if (newline == nullptr && begin == end) return Step::end;
  const char* const next = newline == nullptr ? end : static_cast<const char*>(newline) + 1;
  const char* stop = newline == nullptr ? end : next - 1;
  while (stop > begin && stop[-1] == '\r') --stop;

  const auto found = find_operation({begin, static_cast<std::size_t>(stop - begin)});
  if (!found) {
    window_.consume(next);
    return Step::again;
  }
  line_.assign(begin, stop);
  const auto in_window = [&](const char* at) { return begin + (at - line_.data()); };
  try {
    operation(*found, record);
  } catch (SyntaxError& error) {
    error.at = in_window(error.at);
    throw;
  }
  for (Field& field : record.fields) field.at = in_window(field.at);
  record.begin = begin + found->process;
  window_.consume(next);
  return Step::record;
}

}  // namespace

namespace {

constexpr std::array<std::string_view, 4> kLoggedTypes = {"invoke", "ok", "fail", "info"};

bool is_type(std::string_view word) {
  return std::find(kLoggedTypes.begin(), kLoggedTypes.end(), word) != kLoggedTypes.end();
}

// The first character of the word that ends at `end`, if it may name a process.
std::optional<std::size_t> process_before(std::string_view line, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && line[begin - 1] != ' ' && line[begin - 1] != '\t') --begin;
  const std::string_view name = line.substr(begin, end - begin);
  const bool number = !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
  if (!number && (name.size() < 2 || name[0] != ':')) return std::nullopt;
  return begin;
}

std::optional<LoggedOperation> find_with_tabs(std::string_view line) {
  for (std::size_t tab = line.find("\t:"); tab != std::string_view::npos; tab = line.find("\t:", tab + 1)) {
    const std::size_t type_end = line.find('\t', tab + 1);
    if (type_end == std::string_view::npos) return std::nullopt;
    if (!is_type(line.substr(tab + 2, type_end - tab - 2))) continue;
    const auto process = process_before(line, tab);
    if (process) return LoggedOperation{*process, tab + 1, type_end + 1, true};
  }
  return std::nullopt;
}

std::optional<LoggedOperation> find_with_blanks(std::string_view line) {
  constexpr std::string_view kBlanks = " \t";
  for (std::size_t colon = line.find(" :"); colon != std::string_view::npos; colon = line.find(" :", colon + 1)) {
    const std::size_t type = colon + 1;
    const std::size_t type_end = line.find_first_of(kBlanks, type);
    if (type_end == std::string_view::npos) return std::nullopt;
    const std::size_t function = line.find_first_not_of(kBlanks, type_end);
    if (function == std::string_view::npos) return std::nullopt;
    if (line[function] != ':' || !is_type(line.substr(type + 1, type_end - type - 1))) continue;
    const std::size_t process_end = line.find_last_not_of(kBlanks, colon);
    if (process_end == std::string_view::npos) continue;
    const auto process = process_before(line, process_end + 1);
    if (process) return LoggedOperation{*process, type, function, false};
  }
  return std::nullopt;
}

}  // namespace

std::optional<LoggedOperation> find_operation(std::string_view line) {
  const auto found = find_with_tabs(line);
  return found ? found : find_with_blanks(line);
}

std::unique_ptr<RecordReader> make_log_reader(Window& window, std::string file, const ReadLimits& limits) {
  return std::make_unique<LogReader>(window, std::move(file), limits);
}

}  // namespace picklock
