#include "checker/properties/statistics.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace picklock {
namespace {

std::string with_commas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t end = text.size(); end > 3; end -= 3) text.insert(end - 3, 1, ',');
  return text;
}

// A share in per cent, with as many decimals as small shares need.
std::string percent(double share) {
  const double value = 100 * share;
  const int decimals = value > 0 && value < 0.01 ? 5 : 2;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

}  // namespace

void Tally::add(const Tally& other) {
  for (std::size_t place = 0; place < kVerdictCount; ++place) {
    counts[place] += other.counts[place];
    const auto seed = other.lowest_seed[place];
    if (seed) lowest_seed[place] = std::min(lowest_seed[place].value_or(*seed), *seed);
  }
}

std::uint64_t Tally::runs() const { return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}); }

double Tally::share_violated() const {
  return decided() == 0 ? 0 : static_cast<double>(count(Verdict::violated)) / static_cast<double>(decided());
}

std::string print_share(const Tally& tally) {
  const std::uint64_t hits = tally.count(Verdict::violated);
  const std::uint64_t trials = tally.decided();
  const ShareInterval interval = wilson(hits, trials);
  std::string text;
  if (trials == 0) {
    text = "no run was decided";
  } else if (hits == 0) {
    text = "0 of " + with_commas(trials) + " (95 %: below " + percent(upper_bound_after_none(trials)) +
           " %, 1 - 0.05^(1/N); Wilson " + percent(interval.high) + " %)";
  } else {
    text = percent(tally.share_violated()) + " % (" + with_commas(hits) + " of " + with_commas(trials) +
           "; 95 %: " + percent(interval.low) + " to " + percent(interval.high) + " %, Wilson)";
  }
  const std::uint64_t undecided = tally.count(Verdict::undecided);
  const std::uint64_t inapplicable = tally.count(Verdict::not_applicable);
  if (undecided > 0) text += "; " + with_commas(undecided) + " undecided, left out";
  if (inapplicable > 0) text += "; " + with_commas(inapplicable) + " not applicable, left out";
  return text;
}

}  // namespace picklock
