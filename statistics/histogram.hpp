// Values in so little room that their number does not matter: counts by size, at most 0.8 % wide.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace picklock {

class Histogram {
 public:
  void add(std::int64_t value);  // a negative value counts as 0
  void add(const Histogram& other);

  std::uint64_t count() const { return count_; }
  std::optional<std::int64_t> most() const { return count_ == 0 ? std::nullopt : std::optional(most_); }
  // The least value that is not below `percent` of all: up to 0.8 % too small, exact below 128. Nothing if empty.
  std::optional<std::int64_t> quantile(unsigned percent) const;
  const std::map<std::int64_t, std::uint64_t>& counts() const { return counts_; }  // keyed by least value of a class
  // Three bytes for most classes: "most:first class,step,step*count,…". Class 128 d + (v >> d) has the values v whose eight
  // leading bits are those of v >> d; a step leads from one class that has values to the next.
  std::string text() const;
  // Throws std::runtime_error if the text is not of this form.
  static Histogram of_text(std::string_view text);
  bool operator==(const Histogram&) const = default;

 private:
  std::map<std::int64_t, std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::int64_t most_ = 0;
};

}  // namespace picklock
