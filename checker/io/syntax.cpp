#include "checker/io/syntax.hpp"

#include <fmt/format.h>

namespace picklock {

std::string spelt(const Field& field) {
  switch (field.kind) {
    case Field::Kind::nil:
      return "nil";
    case Field::Kind::boolean:
      return field.number != 0 ? "true" : "false";
    case Field::Kind::integer:
      return fmt::to_string(field.number);
    default:
      return std::string(field.text);
  }
}

}  // namespace picklock
