#include "statistics/histogram.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace picklock {
namespace {

constexpr unsigned kBits = 8;  // leading bits kept of a value: 2^-7 is 0.8 %

std::int64_t class_of(std::int64_t value) {
  const auto v = static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0));
  const unsigned width = static_cast<unsigned>(std::bit_width(v)), dropped = width > kBits ? width - kBits : 0;
  return static_cast<std::int64_t>(v >> dropped << dropped);
}

// Classes in their order.
std::uint64_t number_of(std::int64_t least) {
  const auto v = static_cast<std::uint64_t>(least);
  const unsigned width = static_cast<unsigned>(std::bit_width(v)), dropped = width > kBits ? width - kBits : 0;
  return (std::uint64_t{dropped} << (kBits - 1)) + (v >> dropped);
}

constexpr std::uint64_t kMostNumber = ((63 - kBits) << (kBits - 1)) + (1u << kBits) - 1;

std::int64_t least_of(std::uint64_t number) {
  constexpr std::uint64_t kHalf = 1u << (kBits - 1);
  const std::uint64_t dropped = number < 2 * kHalf ? 0 : number / kHalf - 1;
  return static_cast<std::int64_t>((number - dropped * kHalf) << dropped);
}

[[noreturn]] void refuse() { throw std::runtime_error("found another text than that of a histogram"); }

std::uint64_t take_number(std::string_view& text) {
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc()) refuse();
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  return value;
}

void take_sign(std::string_view& text, char sign) {
  if (!text.starts_with(sign)) refuse();
  text.remove_prefix(1);
}

}  // namespace

void Histogram::add(std::int64_t value) {
  ++counts_[class_of(value)];
  ++count_;
  most_ = std::max(most_, value);
}

void Histogram::add(const Histogram& other) {
  for (const auto& [least, count] : other.counts_) counts_[least] += count;
  count_ += other.count_;
  most_ = std::max(most_, other.most_);
}

std::string Histogram::text() const {
  std::string out = count_ == 0 ? "" : std::to_string(most_);
  char sign = ':';
  std::uint64_t before = 0;
  for (const auto& [least, count] : counts_) {
    const std::uint64_t number = number_of(least);
    out += sign + std::to_string(number - before);
    if (count > 1) out += '*' + std::to_string(count);
    before = number;
    sign = ',';
  }
  return out;
}

Histogram Histogram::of_text(std::string_view text) {
  Histogram h;
  if (text.empty()) return h;
  h.most_ = static_cast<std::int64_t>(take_number(text));
  std::uint64_t number = 0;
  for (char sign = ':'; !text.empty(); sign = ',') {
    take_sign(text, sign);
    number += take_number(text);
    std::uint64_t count = 1;
    if (text.starts_with('*')) {
      take_sign(text, '*');
      count = take_number(text);
    }
    if (number > kMostNumber || count == 0) refuse();
    h.counts_[least_of(number)] += count;
    h.count_ += count;
  }
  if (h.count_ == 0) refuse();
  return h;
}

std::optional<std::int64_t> Histogram::quantile(unsigned percent) const {
  std::uint64_t before = 0;
  for (const auto& [least, count] : counts_) {
    before += count;
    if (before * 100 >= count_ * percent) return least;
  }
  return std::nullopt;
}

}  // namespace picklock
