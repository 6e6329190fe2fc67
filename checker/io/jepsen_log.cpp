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

  std::string line_;  // with a zero after it, where the scanner must stop
};

// One form, and the tab or the end of the line after it.
const char* LogReader::column(const char* p, std::string_view key, Record& record) {
  const char* const end = line_.data() + line_.size();
  EdnScanner scanner(end, true, limits_);
  Field& field = record.fields.emplace_back();
  field.key = key;
  field.at = p;
  const std::size_t offset = record.scratch.size();
  p = scanner.form(p, record.scratch, 1);
  set_from_scratch(record, field, offset);
  if (p < end && *p != '\t') scanner.fail(p, "a tab or the end of the line");
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
  column(begin + found.process, "process", record);
  column(begin + found.type, "type", record);
  const char* p = column(begin + found.type_end + 1, "f", record);
  if (*p == '\t') p = column(p + 1, "value", record);
  if (*p == '\t') error(p + 1, record);
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

std::optional<LoggedOperation> find_operation(std::string_view line) {
  constexpr std::array<std::string_view, 4> kTypes = {"invoke", "ok", "fail", "info"};
  for (std::size_t tab = line.find("\t:"); tab != std::string_view::npos; tab = line.find("\t:", tab + 1)) {
    const std::size_t type_end = line.find('\t', tab + 1);
    if (type_end == std::string_view::npos) return std::nullopt;
    const std::string_view type = line.substr(tab + 2, type_end - tab - 2);
    if (std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end()) continue;
    std::size_t process = tab;
    while (process > 0 && line[process - 1] != ' ' && line[process - 1] != '\t') --process;
    const std::string_view name = line.substr(process, tab - process);
    const bool number = !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
    if (number || (name.size() > 1 && name[0] == ':')) {
      return LoggedOperation{process, tab + 1, type_end};
    }
  }
  return std::nullopt;
}

std::unique_ptr<RecordReader> make_log_reader(Window& window, std::string file, const ReadLimits& limits) {
  return std::make_unique<LogReader>(window, std::move(file), limits);
}

}  // namespace picklock
