#include "reports/check/check_text.hpp"

#include <fmt/format.h>

#include "base/printable.hpp"
#include "checker/models/words.hpp"
#include "reports/check/drawing.hpp"
#include "reports/check/explanation.hpp"

namespace picklock {
namespace {

constexpr std::string_view kVerdicts[] = {"valid", "INVALID", "undecided"};
constexpr std::size_t kMostDrawn = 24;  // more than a terminal shows well

std::string end_words(const Naming& naming, const WitnessHold& h) {
  if (!h.release) return "never released";
  const std::string asked = "release asked at " + when(naming, *h.release);
  if (!h.release_ended) return asked + ", no answer";
  constexpr std::string_view kEnds[] = {"", "done", "failed", "with unknown outcome"};
  return fmt::format("{}, {} at {}", asked, kEnds[static_cast<int>(h.release_ended->type)],
                     when(naming, *h.release_ended));
}

std::string hold_words(const Naming& naming, const WitnessHold& h, bool released) {
  const std::string token = h.acquired.token == kNoToken ? "" : fmt::format(" with token {}", h.acquired.token);
  return fmt::format("  {} asked at {}, got it{} at {}{}\n", subject(naming, h.acquired), when(naming, h.acquire),
                     token, when(naming, h.acquired), released ? "; " + end_words(naming, h) : "");
}

std::string_view unit_in_words(std::string_view unit) {
  return unit == "s" ? "seconds" : unit == "ms" ? "milliseconds" : "microseconds";
}

// Tells the records that were not judged, and what is odd about the times.
std::string not_judged(const CheckResult& r) {
  std::string out;
  for (const auto& [function, count] : r.skipped)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, function);
  if (r.of_others > 0) {
    out += fmt::format("{}{} {} of processes that are no clients", out.empty() ? "" : ", ", r.of_others,
                       r.of_others == 1 ? "event" : "events");
  }
  if (!out.empty()) out = "  Not judged: " + out + ".\n";
  if (r.backwards > 0) {
    out += fmt::format(
        "  Warning: the time runs backwards at {} {}, first at index {}; are these several logs, one after the "
        "other (--sort time)?\n",
        r.backwards, r.backwards == 1 ? "event" : "events", r.first_backwards);
  }
  if (!r.likely_time_unit.empty()) {
    out += fmt::format("  Hint: times were taken for nanoseconds; they look like {} since 1970 (--time-unit {}).\n",
                       unit_in_words(r.likely_time_unit), r.likely_time_unit);
  }
  if (r.likely_independent) {
    out +=
        "  Hint: all values are pairs [key value], as Jepsen's independent tests write them; --independent judges each "
        "key on its own.\n";
  }
  if (!r.text_number.empty()) {
    out += fmt::format(
        "  Hint: {0} occurs as a number and as the text \"{0}\", and the model takes them for different values; "
        "--numbers-in-texts reads such texts as numbers.\n",
        r.text_number);
  }
  return out;
}

std::string all_overlaps(const CheckResult& r) {
  if (r.overlaps.count < 2) return {};  // the one is told anyway
  std::string out = fmt::format("  All overlaps, {} in number:\n", r.overlaps.count);
  for (const std::string& one : r.overlaps.names) out += "    " + one + ".\n";
  const std::uint64_t more = r.overlaps.count - r.overlaps.names.size();
  return more == 0 ? out : out + fmt::format("    and {} more\n", more);
}

// Tells the verdict of each key; of many keys those that are not valid.
std::string by_key(const CheckResult& r) {
  constexpr std::size_t kMost = 20;
  std::string out;
  std::size_t listed = 0, omitted = 0;
  for (const PartVerdict& key : r.keys) {
    const bool untested = key.verdict == Verdict::holds && !key.tested;
    const bool valid = key.verdict == Verdict::holds && key.tested;
    if (valid && r.keys.size() > kMost) continue;
    if (++listed > kMost) {
      ++omitted;
      continue;
    }
    out += fmt::format("    {}: {}{}{}\n", key.name, untested ? "not tested" : kVerdicts[static_cast<int>(key.verdict)],
                       key.explanation.empty() ? "" : ". ", key.explanation);
  }
  if (omitted > 0) out += fmt::format("    and {} more that are not valid\n", omitted);
  return out.empty() ? out : "  By key:\n" + out;
}

}  // namespace

std::string check_text(const std::string& file, const CheckResult& r) {
  std::string out = fmt::format("{}: {} as {} ({} operations)\n", file, kVerdicts[static_cast<int>(r.verdict)], r.model,
                                r.operations);
  if (!r.explanation.empty()) out += "  " + r.explanation + "\n";
  out += all_overlaps(r);
  out += by_key(r);
  out += not_judged(r);
  if (r.verdict != Verdict::violated) return printable_lines(out);
  if (const std::string beginning = beginning_of_times(r.naming); !beginning.empty()) out += "  " + beginning + "\n";
  if (!r.holds.empty()) out += "\n";
  const bool released = r.model != "fencing-tokens";  // this model knows no releases
  for (const WitnessHold& h : r.holds) out += hold_words(r.naming, h, released);
  const std::vector<DrawnOperation> operations = drawn_operations(r);
  if (!operations.empty() && operations.size() <= kMostDrawn) {
    out += "\n" + draw_operations(operations, r.naming) +
           "\n  |-name--| asks and is answered (x refused, ? never answered)";
    out += r.holds.empty() || !released ? "\n" : "   [===] surely holds\n";
  }
  if (r.minimal) out += "\n" + in_words(*r.minimal, r.naming);
  const Contradiction c = contradiction_of(r);
  if (!c.steps.empty()) out += "\nWhy no order of these operations will do:\n";
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    out += fmt::format("  {}. {}.\n", i + 1, in_words(c.graph, c.steps[i], r.naming));
  }
  if (!c.steps.empty())
    out += fmt::format("  So {} would have to come before itself.\n",
                       describe(c.graph.operations[c.steps[0].from], r.naming));
  if (r.partial) out += "\n" + in_words(*r.partial, r.naming);
  return printable_lines(out);
}

}  // namespace picklock
