#include "checker/io/read_error.hpp"

#include <fmt/format.h>

namespace picklock {
namespace {

std::string message(const std::string& file, Position position, const std::string& found, const std::string& expected) {
  std::string text = position.line == 0 ? file : fmt::format("{}:{}:{}", file, position.line, position.column);
  text += ": found " + found;
  if (!expected.empty()) text += ", expected " + expected;
  return text;
}

}  // namespace

ReadError::ReadError(std::string file_name, Position position, std::string what_was_found,
                     std::string what_was_expected)
    : std::runtime_error(message(file_name, position, what_was_found, what_was_expected)),
      file(std::move(file_name)),
      line(position.line),
      column(position.column),
      found(std::move(what_was_found)),
      expected(std::move(what_was_expected)) {}

}  // namespace picklock
