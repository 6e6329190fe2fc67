// A scanner of EDN (github.com/edn-format/edn) with what Clojure's printer adds: ratios, N and M
// numbers, ##Inf, namespace maps.  It copies nothing that it need not: scalars without escapes are
// views of the input; anything composite becomes canonical text.
//
// Canonical: one space between elements, no commas, no comments, no discarded forms; the elements
// of sets and the keys of maps in the order of their bytes; strings with the escapes of
// append_edn_string; numbers without + or N; floats as the shortest digits that read back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "checker/io/read_error.hpp"
#include "checker/io/syntax.hpp"

namespace picklock {

class EdnScanner {
 public:
  // `*end` must be readable and 0.  `last`: the file ends there; otherwise reaching it throws
  // NeedMore.
  EdnScanner(const char* end, bool last, const ReadLimits& limits) : end_(end), last_(last), limits_(limits) {}

  // Each function starts at `p` and returns the place after what it read.  All throw SyntaxError
  // and NeedMore.

  // Blanks, commas, comments, discarded forms.
  const char* skip_blank(const char* p, int depth = 0);

  // A map, from its {, as fields.
  const char* record(const char* p, Record& record);

  // Any form, appended to `out` in canonical form.
  const char* form(const char* p, std::string& out, int depth = 0);

  // The characters of a symbol-like token.
  const char* token(const char* p) const;

  [[nodiscard]] bool at_end(const char* p) const;  // throws NeedMore if that is not known yet

  [[noreturn]] void fail(const char* at, const char* expected) const;

 private:
  const char* key(const char* p, Record& record, Field& field);
  const char* value(const char* p, Record& record, Field& field);
  const char* plain_string(const char* p, std::string_view& characters) const;
  const char* string(const char* p, std::string& characters) const;
  const char* escape(const char* p, std::string& characters) const;
  const char* hex4(const char* p, std::uint32_t& code) const;
  const char* number(const char* p, std::string& out) const;
  const char* hexadecimal(const char* begin, std::string& out) const;
  const char* character(const char* p, std::string& out) const;
  const char* dispatch(const char* p, std::string& out, int depth);
  const char* sequence(const char* p, char close, std::string& out, int depth);
  const char* plain_set(const char* p, std::string& out) const;
  const char* sorted(const char* p, bool pairs, std::string_view space, std::string& out, int depth);
  void check_depth(const char* p, int depth) const;
  void check_length(const char* begin, const char* end) const;
  bool delimits(const char* p) const;

  const char* end_;
  bool last_;
  ReadLimits limits_;
};

// May `name` be written as a keyword, :name, that every EDN reader takes?
bool is_keyword_name(std::string_view name);

// The canonical form of the one form in `text`; throws SyntaxError.
std::string canonical_edn(const std::string& text, const ReadLimits& limits = {});

// The characters of a string literal in canonical form, appended to `out`.
void append_characters(std::string& out, std::string_view canonical_string);

// Sets kind, number and text of `field` from the canonical EDN at the end of the record's scratch,
// from `offset` on.
void set_from_scratch(Record& record, Field& field, std::size_t offset);

}  // namespace picklock
