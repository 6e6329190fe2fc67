#include "checker/io/record_reader.hpp"

#include <fmt/format.h>

#include <cstring>

namespace picklock {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class EdnReader final : public RecordReader {
 public:
  using RecordReader::RecordReader;

 protected:
  Step step(Record& record) override;

 private:
  void skip_blanks();

  char container_ = 0;  // closing character of the vector or list around the records; 0: none
  bool in_comment_ = false;
  bool begun_ = false;
};

// Consumes as it goes, so that blanks and comments may be of any length.
void EdnReader::skip_blanks() {
  const char* p = window_.begin();
  const char* const end = window_.end();
  if (!begun_ && end - p >= 3 && std::memcmp(p, "\xef\xbb\xbf", 3) == 0) p += 3;
  begun_ = true;
  while (p < end) {
    if (in_comment_) {
      const void* const newline = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
      in_comment_ = newline == nullptr;
      p = in_comment_ ? end : static_cast<const char*>(newline) + 1;
    } else if (is_blank(*p) || *p == ',' || *p == '\f' || *p == '\v') {
      ++p;
    } else if (*p == ';') {
      in_comment_ = true;
    } else {
      break;
    }
  }
  window_.consume(p);
}

RecordReader::Step EdnReader::step(Record& record) {
  skip_blanks();
  EdnScanner scanner(window_.end(), window_.last(), limits_);
  const char* p = window_.begin();
  if (scanner.at_end(p)) {
    if (container_ == 0) return Step::end;
    throw SyntaxError{p, "the end of the file", fmt::format("a record or {}", container_)};
  }
  switch (*p) {
    case '{':
      break;
    case '[':
    case '(':
      if (container_ != 0) scanner.fail(p, "a record: {");
      container_ = *p == '[' ? ']' : ')';
      window_.consume(p + 1);
      return Step::again;
    case ']':
    case ')':
      if (container_ != *p) scanner.fail(p, "a record: {");
      container_ = 0;
      window_.consume(p + 1);
      return Step::again;
    case '#': {
      const char* const after = scanner.skip_blank(p);
      if (after != p) {  // a discarded form
        window_.consume(after);
        return Step::again;
      }
      p = scanner.skip_blank(scanner.token(p));  // #jepsen.history.Op{…}, #history [{…}]
      if ((*p == '[' || *p == '(') && container_ == 0) {
        container_ = *p == '[' ? ']' : ')';
        window_.consume(p + 1);
        return Step::again;
      }
      if (*p != '{') scanner.fail(p, "a record: {");
      break;
    }
    default:
      scanner.fail(p, "a record: {");
  }
  record.begin = p;
  window_.consume(scanner.record(p, record));
  return Step::record;
}

}  // namespace

void RecordReader::fail(const char* at, std::string found, std::string expected) const {
  throw ReadError(file_, window_.position(at), std::move(found), std::move(expected));
}

bool RecordReader::next(Record& record) {
  while (true) {
    record.clear();
    try {
      const Step step_made = step(record);
      if (step_made == Step::again) continue;
      record.settle();
      return step_made == Step::record;
    } catch (const NeedMore&) {
      if (window_.full()) {
        fail(window_.begin(), fmt::format("a record longer than {} bytes", limits_.record), "");
      }
      window_.extend();
    } catch (SyntaxError& error) {
      fail(error.at, std::move(error.found), std::move(error.expected));
    }
  }
}

std::unique_ptr<RecordReader> make_edn_reader(Window& window, std::string file, const ReadLimits& limits) {
  return std::make_unique<EdnReader>(window, std::move(file), limits);
}

}  // namespace picklock
