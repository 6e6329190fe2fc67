#include "campaigns/stop_rule.hpp"

#include <charconv>
#include <string_view>

#include "statistics/sequential.hpp"

namespace picklock {
namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace

std::optional<bool> decided_below(double bound, const Tally& tally) {
  const std::uint64_t hits = tally.count(Verdict::violated), trials = tally.decided();
  if (!excludes(bound, hits, trials)) return std::nullopt;
  return static_cast<double>(hits) < bound * static_cast<double>(trials);
}

bool StopRule::is_met(const Tally& tally) const {
  const ShareInterval known = confidence_sequence(tally.count(Verdict::violated), tally.decided());
  return (!width || known.high - known.low <= *width) && (!bound || decided_below(*bound, tally));
}

std::optional<double> parse_share(const std::string& text) {
  std::string_view digits = trimmed(text);
  const bool percent = !digits.empty() && digits.back() == '%';
  if (percent) digits = trimmed(digits.substr(0, digits.size() - 1));
  double value = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) return std::nullopt;
  if (percent) value /= 100;
  return value > 0 && value < 1 ? std::optional(value) : std::nullopt;
}

std::optional<double> parse_claim(const std::string& text) {
  std::string_view rest = trimmed(text);
  if (rest.empty() || rest.front() != 'P') return std::nullopt;
  rest = trimmed(rest.substr(1));
  if (rest.empty() || rest.front() != '<') return std::nullopt;
  return parse_share(std::string(rest.substr(1)));
}

}  // namespace picklock
