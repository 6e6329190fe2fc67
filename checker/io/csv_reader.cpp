// CSV (RFC 4180): a header with the names of the columns, then a row for each event.
//
// Cells are separated by what separates the names in the header.  A cell in quotes may hold separators, line ends and
// doubled quotes; around others blanks do not count.  An empty cell is nil (in quotes: an empty string), digits are an
// integer, :name is a keyword, what begins with a bracket and is EDN is that; anything else is a string, numbers with a
// point too, so that times lose no digit.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.hpp"
#include "checker/io/csv_line.hpp"
#include "checker/io/record_reader.hpp"

namespace picklock {
namespace {

constexpr std::string_view kSeparators = ",;\t";
constexpr std::size_t kColumnsMax = 1024;

bool is_line_end(char c) { return c == '\n' || c == '\r'; }

class CsvReader final : public RecordReader {
 public:
  using RecordReader::RecordReader;

 protected:
  Step step(Record& record) override;

 private:
  struct Cell {
    const char* at = nullptr;
    std::string text;
    bool quoted = false;
  };

  const char* row(const char* p);
  const char* cell(const char* p, Cell& cell) const;
  const char* quoted(const char* p, Cell& cell) const;
  void name_columns(const char* at);
  void fields(const char* at, Record& record) const;
  void value(const Cell& cell, Record& record, Field& field) const;
  void need(const char* p) const {
    if (p >= window_.end() && !window_.last()) throw NeedMore{};
  }
  bool ends(const char* p) const { return p >= window_.end() || is_line_end(*p); }
  // Blanks that separate nothing.
  bool is_blank(char c) const { return (c == ' ' || c == '\t') && c != separator_; }

  std::vector<std::string> columns_;
  std::vector<Cell> cells_;  // cells of the current row; the first count_ are valid
  std::size_t count_ = 0;
  char separator_ = ',';
  bool begun_ = false;
};

// Reads from the opening quote to behind the blanks after the closing one.
const char* CsvReader::quoted(const char* p, Cell& cell) const {
  const char* const open = p;
  cell.quoted = true;
  for (++p;; ++p) {
    const void* const quote = std::memchr(p, '"', static_cast<std::size_t>(window_.end() - p));
    if (quote == nullptr) {
      need(window_.end());
      throw SyntaxError{open, "a quote that nothing closes", "\" at the end of the cell"};
    }
    cell.text.append(p, static_cast<const char*>(quote));
    p = static_cast<const char*>(quote) + 1;
    need(p);
    if (p >= window_.end() || *p != '"') break;
    cell.text.push_back('"');
  }
  while (p < window_.end() && is_blank(*p)) ++p;
  need(p);
  if (!ends(p) && *p != separator_) {
    throw SyntaxError{p, describe(p, window_.end()) + " behind a cell in quotes",
                      "a separator or the end of the line; quotes within quotes are doubled"};
  }
  return p;
}

const char* CsvReader::cell(const char* p, Cell& cell) const {
  cell.text.clear();
  cell.quoted = false;
  while (p < window_.end() && is_blank(*p)) ++p;
  need(p);
  cell.at = p;
  if (p < window_.end() && *p == '"') {
    p = quoted(p, cell);
  } else {
    while (!ends(p) && *p != separator_) {
      if (*p == '"') throw SyntaxError{p, "a quote within a cell", "the whole cell in quotes, and this one doubled"};
      ++p;
    }
    need(p);
    const char* stop = p;
    while (stop > cell.at && is_blank(stop[-1])) --stop;
    cell.text.assign(cell.at, stop);
  }
  if (cell.text.size() > limits_.token) {
    throw SyntaxError{cell.at, fmt::format("a cell longer than {} bytes", limits_.token), ""};
  }
  if (!valid_utf8(cell.text)) throw SyntaxError{cell.at, "bytes that are not UTF-8", "a cell in UTF-8"};
  return p;
}

// Reads to the end of the line.
const char* CsvReader::row(const char* p) {
  for (count_ = 0;; ++p) {
    if (count_ == kColumnsMax) throw SyntaxError{p, fmt::format("more than {} columns", kColumnsMax), "fewer"};
    if (count_ == cells_.size()) cells_.emplace_back();
    p = cell(p, cells_[count_++]);
    if (ends(p)) return p;
  }
}

void CsvReader::name_columns(const char* at) {
  for (std::size_t i = 0; i < count_; ++i) {
    const std::string& name = cells_[i].text;
    if (!name.empty() && std::find(columns_.begin(), columns_.end(), name) != columns_.end()) {
      throw SyntaxError{cells_[i].at, fmt::format("the column '{}' twice", name), "distinct names in the header"};
    }
    columns_.push_back(name);
  }
  if (columns_.size() < 2) {
    throw SyntaxError{at, fmt::format("the one column '{}'", columns_[0].substr(0, 40)),
                      "a header that names two columns or more, separated by commas, semicolons or tabs"};
  }
}

void CsvReader::value(const Cell& cell, Record& record, Field& field) const {
  const std::string& text = cell.text;
  if (text.empty() && !cell.quoted) return;  // nil
  const auto keep = [&](Field::Kind kind, std::string_view characters) {
    field.kind = kind;
    field.in_scratch = true;
    field.text_offset = record.scratch.size();
    record.scratch += characters;
    field.text = std::string_view(record.scratch).substr(field.text_offset);
  };
  const char* const end = text.data() + text.size();
  const bool zero_first = text.size() > 1 && text[text[0] == '-' ? 1 : 0] == '0' && text != "-0";
  const auto [stop, error] = std::from_chars(text.data(), end, field.number);
  if (error == std::errc{} && stop == end && !zero_first) {
    field.kind = Field::Kind::integer;
    return;
  }
  if (text.size() > 1 && text[0] == ':' && is_keyword_name(std::string_view(text).substr(1))) {
    return keep(Field::Kind::keyword, std::string_view(text).substr(1));
  }
  if (!text.empty() && std::string_view("[({#").find(text[0]) != std::string_view::npos) {
    try {
      const std::string edn = canonical_edn(text, limits_);
      const std::size_t offset = record.scratch.size();
      record.scratch += edn;
      return set_from_scratch(record, field, offset);
    } catch (const SyntaxError&) {  // a text that begins with a bracket
    }
  }
  keep(Field::Kind::string, text);
}

void CsvReader::fields(const char* at, Record& record) const {
  if (count_ != columns_.size()) {
    const Cell& last = cells_[std::min(count_ - 1, columns_.size())];
    throw SyntaxError{count_ > columns_.size() ? last.at : at,
                      fmt::format("{} {}", count_, count_ == 1 ? "cell" : "cells"),
                      fmt::format("{}, as in the header", columns_.size())};
  }
  for (std::size_t i = 0; i < count_; ++i) {
    if (columns_[i].empty()) continue;
    Field& field = record.fields.emplace_back();
    field.key = columns_[i];
    field.at = cells_[i].at;
    value(cells_[i], record, field);
  }
}

RecordReader::Step CsvReader::step(Record& record) {
  const char* p = window_.begin();
  if (!begun_) {
    if (window_.end() - p < 3) need(window_.end());
    if (window_.end() - p >= 3 && std::memcmp(p, "\xef\xbb\xbf", 3) == 0) p += 3;
    begun_ = true;
  }
  while (p < window_.end() && is_line_end(*p)) ++p;
  window_.consume(p);
  need(p);
  if (p >= window_.end()) return Step::end;
  if (columns_.empty()) {
    const void* const newline = std::memchr(p, '\n', static_cast<std::size_t>(window_.end() - p));
    if (newline == nullptr) need(window_.end());
    const std::string_view line(
        p, static_cast<std::size_t>((newline == nullptr ? window_.end() : static_cast<const char*>(newline)) - p));
    const std::size_t first = line.find_first_of(kSeparators);
    separator_ = first == std::string_view::npos ? ',' : line[first];
  }
  const char* const end = row(p);
  const bool header = columns_.empty();
  if (header) {
    name_columns(p);
  } else {
    fields(p, record);
  }
  record.begin = p;
  window_.consume(end);
  return header ? Step::again : Step::record;
}

}  // namespace

std::optional<char> separator_of_header(std::string_view line) {
  const std::size_t first = line.find_first_of(kSeparators);
  if (first == std::string_view::npos) return std::nullopt;
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto fits = [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || std::string_view("-.:/").find(c) != std::string_view::npos;
  };
  const char separator = line[first];
  while (true) {
    const std::size_t stop = std::min(line.find(separator), line.size());
    std::string_view name = line.substr(0, stop);
    const std::size_t begin = std::min(name.find_first_not_of(" \t\r"), name.size());
    name = name.substr(begin, name.find_last_not_of(" \t\r") + 1 - begin);
    if (name.size() > 2 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
    if (name.empty() || !letter(name[0]) || !std::all_of(name.begin(), name.end(), fits)) return std::nullopt;
    if (stop == line.size()) return separator;
    line.remove_prefix(stop + 1);
  }
}

std::unique_ptr<RecordReader> make_csv_reader(Window& window, std::string file, const ReadLimits& limits) {
  return std::make_unique<CsvReader>(window, std::move(file), limits);
}

}  // namespace picklock
