#include <fmt/format.h>

#include "checker/properties/properties.hpp"
#include "testkit/check_lock.hpp"

namespace picklock {
namespace {

std::string amount(std::int64_t value, ParameterUnit unit) {
  if (unit == ParameterUnit::ppm) return fmt::format("{} ppm", value);
  if (unit == ParameterUnit::none) return fmt::format("{}", value);
  return fmt::format("{}.{} ms", value / 1'000'000, value / 100'000 % 10);
}

std::string faults_text(const Tested& tested) {
  std::string text;
  for (const auto& [kind, count] : tested.faults) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kind, count);
  return text.empty() ? "none" : text;
}

std::string assumptions_text(const Tested& tested) {
  std::string text;
  for (const Tested::Approached& a : tested.assumptions) {
    if (a.limit <= 0) continue;
    text += fmt::format("{}{} up to {} of {}", text.empty() ? "" : ", ", a.assumption, amount(a.largest, a.unit),
                        amount(a.limit, a.unit));
  }
  return text.empty() ? "none has a size" : text;
}

// A claim counts as kept only if some run put it to the test.
std::string claims_text(const Tested& tested) {
  std::string text;
  for (const Tested::Claimed& c : tested.claims) {
    text += fmt::format("{}{} ", text.empty() ? "" : ", ", info(c.property).name);
    text += c.runs == 0 ? "never" : fmt::format("{} ({} with faults", c.runs, c.faulty);
    if (c.beyond > 0) text += fmt::format(", {} beyond the bounds of mutual exclusion", c.beyond);
    if (c.runs > 0) text += ")";
  }
  return text.empty() ? "none" : text;
}

std::string indented(const std::string& lines) {
  std::string text = "  ";
  for (const char c : lines) {
    text += c;
    if (c == '\n') text += "  ";
  }
  while (text.ends_with(' ') || text.ends_with('\n')) text.pop_back();
  return text + "\n";
}

std::string broken_text(const BrokenClaim& b) {
  std::string text = fmt::format("  {}: {}\n\n{}\n", info(b.property).name, b.words, indented(b.picture));
  if (!b.file.empty()) text += fmt::format("  kept:   {}\n  again:  {}\n", b.file, b.replay);
  return text;
}

}  // namespace

std::string LockReport::text() const {
  std::string text;
  if (broken) {
    text =
        fmt::format("{} breaks its claim: {} is violated within its assumptions (scenario {}, {} runs to shrink it)\n",
                    lock, info(broken->property).name, broken->seed, broken->shrinks);
    text += broken_text(*broken);
  } else if (verdict == CheckVerdict::not_tested) {
    text = fmt::format("{} was not tested: {}\n", lock, why);
  } else {
    text = fmt::format("{} kept its claims\n", lock);
  }
  text += fmt::format(
      "  tested: {} scenarios from seed {}: {} with contention, {} struck by faults, {} within the assumptions, {} all "
      "of "
      "these\n",
      tested.runs, seed, tested.contended, tested.struck, tested.within, tested.all);
  text += fmt::format("  claims, and runs that could break them: {}\n", claims_text(tested));
  text += fmt::format("  contended runs in which every holder stopped at its deadline: {}\n", tested.heeded);
  text += fmt::format("  faults that struck: {}\n", faults_text(tested));
  text += fmt::format("  assumptions approached: {}\n", assumptions_text(tested));
  return text;
}

}  // namespace picklock
