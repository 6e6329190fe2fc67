// The common part of the EDN and the JSON scanner: records as lists of fields, and how scanning stops.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace picklock {

// One key of a record and its value.
struct Field {
  enum class Kind : std::uint8_t { nil, boolean, integer, string, keyword, other };

  Kind kind = Kind::nil;
  bool in_scratch = false;             // true: `text` lies in Record::scratch (an offset until `settle`)
  std::string_view key;                // key without its colon; empty: not a name, to be skipped
  std::string_view text;               // the characters of a string, the name of a keyword, or the
                                       // canonical EDN of anything else
  std::int64_t number = 0;             // value of an integer; of a boolean 0 or 1
  const char* at = nullptr;            // start of the value, for errors
  std::size_t key_offset = kInWindow;  // offset of `key` in the scratch, if it lies there
  std::size_t text_offset = 0;

  static constexpr std::size_t kInWindow = static_cast<std::size_t>(-1);

  [[nodiscard]] bool is_name() const { return kind == Kind::keyword || kind == Kind::string; }
};

// The text as one would type it: "a" and :a are both a.
std::string spelt(const Field& field);

// A flat view of one map; valid until the next record is read.
struct Record {
  std::vector<Field> fields;
  std::string scratch;          // texts that had to be decoded
  const char* begin = nullptr;  // start of the record, for errors

  void clear() {
    fields.clear();
    scratch.clear();
  }

  // Makes the views into the scratch valid, once it no longer grows.
  void settle() {
    for (Field& field : fields) {
      if (field.in_scratch) field.text = {scratch.data() + field.text_offset, field.text.size()};
      if (field.key_offset != Field::kInWindow) {
        field.key = {scratch.data() + field.key_offset, field.key.size()};
      }
    }
  }
};

// Thrown inside a scanner; its reader turns it into a ReadError with line and column.
struct SyntaxError {
  const char* at;
  std::string found;
  std::string expected;
};

// Thrown inside a scanner where the window ends but the file does not.
struct NeedMore {};

// The token at `at`, quoted and shortened, or "the end of the file".
std::string describe(const char* at, const char* end);

}  // namespace picklock
