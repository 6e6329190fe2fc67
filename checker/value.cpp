#include "checker/value.hpp"

#include <charconv>

namespace picklock {

void append_edn_string(std::string& out, std::string_view characters) {
  out.push_back('"');
  for (const char c : characters) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          constexpr char kDigits[] = "0123456789abcdef";
          const auto code = static_cast<unsigned char>(c);
          out += "\\u00";
          out.push_back(kDigits[code >> 4]);
          out.push_back(kDigits[code & 15]);
        } else {
          out.push_back(c);
        }
    }
  }
  out.push_back('"');
}

Value ValueTable::integer(std::int64_t number) {
  if (Value::fits(number)) return Value::integer(number);
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return Value::text(table_.intern({digits, static_cast<std::size_t>(end - digits)}));
}

Value ValueTable::string(std::string_view characters) {
  scratch_.clear();
  append_edn_string(scratch_, characters);
  return Value::text(table_.intern(scratch_));
}

Value ValueTable::keyword(std::string_view name) {
  scratch_.assign(1, ':');
  scratch_ += name;
  return Value::text(table_.intern(scratch_));
}

Value ValueTable::canonical(std::string_view edn) {
  if (edn == "nil") return {};
  const bool perhaps_a_number = !edn.empty() && ((edn[0] >= '0' && edn[0] <= '9') || edn[0] == '-');
  if (!perhaps_a_number) return Value::text(table_.intern(edn));
  std::int64_t number = 0;
  const char* const end = edn.data() + edn.size();
  const auto [stopped, error] = std::from_chars(edn.data(), end, number);
  if (error == std::errc{} && stopped == end) return integer(number);
  return Value::text(table_.intern(edn));
}

void ValueTable::append_to(std::string& out, Value value) const {
  switch (value.kind()) {
    case Value::Kind::nil:
      out += "nil";
      break;
    case Value::Kind::text:
      out += text(value);
      break;
    case Value::Kind::integer: {
      char digits[24];
      out.append(digits, std::to_chars(digits, digits + sizeof digits, value.number()).ptr);
      break;
    }
  }
}

std::string ValueTable::edn(Value value) const {
  std::string out;
  append_to(out, value);
  return out;
}

}  // namespace picklock
