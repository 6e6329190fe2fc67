#include "testkit/environment.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace picklock {
namespace {

std::optional<std::uint64_t> number_in(const char* variable) {
  const char* const found = std::getenv(variable);
  if (found == nullptr || *found == '\0') return std::nullopt;
  const std::string_view text(found);
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size()) return number;
  throw std::runtime_error(fmt::format("{}: found '{}', expected an integer from 0 on", variable, text));
}

}  // namespace

std::optional<std::uint64_t> seed_of_environment() { return number_in("PICKLOCK_SEED"); }
std::optional<std::uint64_t> effort_of_environment() { return number_in("PICKLOCK_EFFORT"); }

}  // namespace picklock
