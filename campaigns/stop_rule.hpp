// Rules that end a campaign once enough is known: by a confidence sequence (statistics/sequential.hpp), at the ends of chunks.
#pragma once

#include <optional>
#include <string>

#include "checker/properties/statistics.hpp"

namespace picklock {

// Rules may be combined: then each has to be met.
struct StopRule {
  std::optional<double> width;  // stops when the confidence sequence is at most so wide
  std::optional<double> bound;  // stops when the share violated is known to be below this, or above

  bool any() const { return width || bound; }
  bool is_met(const Tally& tally) const;
};

// Whether the share violated is below `bound`; nothing: not decided.
std::optional<bool> decided_below(double bound, const Tally& tally);

// "1%", "0.01": a share between 0 and 1, both not included. Empty if it has another form.
std::optional<double> parse_share(const std::string& text);
// "P<1e-4", with or without blanks. Empty if it has another form.
std::optional<double> parse_claim(const std::string& text);

}  // namespace picklock
