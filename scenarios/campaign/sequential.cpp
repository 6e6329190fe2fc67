#include "scenarios/campaign/sequential.hpp"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/tools/roots.hpp>
#include <charconv>
#include <cmath>
#include <string_view>

namespace picklock {
namespace {

const double kLogOfTwenty = std::log(20.0);  // 1 / 5 %
constexpr double kPrior = 0.5;

double log_beta(double a, double b) {
  return boost::math::lgamma(a) + boost::math::lgamma(b) - boost::math::lgamma(a + b);
}

// By share: how far the evidence against it is from enough; positive where the sequence excludes it.
class Evidence {
 public:
  Evidence(std::uint64_t hits, std::uint64_t trials)
      : hits_(static_cast<double>(hits)),
        misses_(static_cast<double>(trials - hits)),
        constant_(log_beta(kPrior + hits_, kPrior + misses_) - log_beta(kPrior, kPrior) - kLogOfTwenty) {}

  double operator()(double share) const {
    double sum = constant_;
    if (hits_ > 0) sum -= hits_ * std::log(share);
    if (misses_ > 0) sum -= misses_ * std::log1p(-share);
    return sum;
  }

 private:
  double hits_, misses_, constant_;
};

constexpr std::string_view kBlanks = " \t";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace

bool excludes(double share, std::uint64_t hits, std::uint64_t trials) {
  return trials > 0 && Evidence(hits, trials)(share) >= 0;
}

double anytime_p(double share, std::uint64_t hits, std::uint64_t trials) {
  return std::min(1.0, std::exp(-(Evidence(hits, trials)(share) + kLogOfTwenty)));
}

ShareInterval confidence_sequence(std::uint64_t hits, std::uint64_t trials) {
  if (trials == 0) return {};
  const Evidence evidence(hits, trials);
  constexpr double kNone = 1e-300;  // log(0) is not a number to search with
  const double middle = std::clamp(static_cast<double>(hits) / static_cast<double>(trials), kNone, 1 - 1e-16);
  const auto root = [&](double low, double high) {
    if (evidence(low) * evidence(high) >= 0) return low == middle ? 1.0 : 0.0;  // nothing is excluded on this side
    std::uintmax_t steps = 200;
    const auto found =
        boost::math::tools::toms748_solve(evidence, low, high, boost::math::tools::eps_tolerance<double>(45), steps);
    return (found.first + found.second) / 2;
  };
  return {hits == 0 ? 0.0 : root(kNone, middle), hits == trials ? 1.0 : root(middle, 1 - 1e-16)};
}

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
