#include "checker/io/edn_records.hpp"

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "checker/io/edn.hpp"
#include "checker/io/history_writer.hpp"

namespace picklock {

void EdnRecords::begin() {
  out.push_back('{');
  first_key_ = true;
}

void EdnRecords::end() { out += "}\n"; }

void EdnRecords::separate() {
  if (!first_key_) out += ", ";
  first_key_ = false;
}

void EdnRecords::put_key(std::string_view key) {
  separate();
  out.push_back(':');
  out += key;
  out.push_back(' ');
}

void EdnRecords::integer(std::string_view key, std::int64_t number) {
  put_key(key);
  const fmt::format_int digits(number);
  out.append(digits.data(), digits.size());
}

void EdnRecords::natural(std::string_view key, std::uint64_t number) {
  put_key(key);
  const fmt::format_int digits(number);
  out.append(digits.data(), digits.size());
}

void EdnRecords::truth(std::string_view key) {
  put_key(key);
  out += "true";
}

void EdnRecords::word(std::string_view key, std::string_view text) {
  put_key(key);
  out.push_back(':');
  out += text;
}

void EdnRecords::name(std::string_view key, NameId id) {
  put_key(key);
  std::string& text = names_.at(id);
  if (text.empty()) {
    const std::string_view name = history_.names.view(id);
    if (!valid_utf8(name)) throw WriteError("a name that is not UTF-8 cannot be written");
    if (is_keyword_name(name)) {
      text.assign(1, ':').append(name);
    } else {
      append_edn_string(text, name);
    }
  }
  out += text;
}

void EdnRecords::value(std::string_view key, Value value) {
  if (is_keyword_name(key)) {
    put_key(key);
  } else {
    separate();
    append_edn_string(out, key);
    out.push_back(' ');
  }
  history_.values.append_to(out, value);
}

}  // namespace picklock
