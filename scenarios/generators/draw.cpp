#include "scenarios/generators/draw.hpp"

#include <algorithm>
#include <bit>

#include "base/hash.hpp"
#include "scenarios/generators/options.hpp"

namespace picklock {
namespace draw {

thread_local Seeded* Seeded::current_ = nullptr;

Seeded::Seeded(std::uint64_t seed) : outer_(current_), state_(mix(seed)) { current_ = this; }
Seeded::~Seeded() { current_ = outer_; }

// Does not use rc::gen::inRange, which overflows over the whole range; and as a value does not grow with the
// size of the test, neither does the effort.
std::int64_t number(std::int64_t low, std::int64_t high) {
  Seeded* const seeded = Seeded::current_;
  const auto bits = seeded != nullptr ? mix(seeded->state_ += kGolden)
                                      : *rc::gen::noShrink(rc::gen::resize(100, rc::gen::arbitrary<std::uint64_t>()));
  const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  const std::uint64_t offset = width == ~std::uint64_t{0} ? bits : bits % (width + 1);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
}

bool one_in(int n) { return number(1, n) == 1; }

std::int64_t spread_number(std::int64_t low, std::int64_t high) {
  const std::int64_t bits = number(0, 62);
  const std::int64_t size = number(0, (std::int64_t{1} << bits) - 1);
  const bool negative = high <= 0 || (low < 0 && one_in(2));
  return std::clamp(negative ? -size : size, low, high);
}

Duration duration(const FaultSpace& space, std::int64_t least, std::int64_t most) {
  constexpr std::int64_t kRound[] = {1'000'000, 10'000'000, 100'000'000, 1'000'000'000};
  constexpr std::int64_t kNear[] = {-1'000'000, -1, 1, 1'000'000};
  struct Part {
    std::int64_t over, under;
  };
  constexpr Part kParts[] = {{1, 10}, {1, 3},   {1, 2}, {9, 10}, {1, 1}, {1, 1},
                             {1, 1},  {11, 10}, {3, 2}, {2, 1},  {3, 1}};
  std::int64_t ns = 0;
  const std::int64_t way = number(0, 9);
  if (way < 6 && !space.deadlines.empty()) {
    const std::int64_t length = element(space.deadlines).length.ns;
    const Part part = element(kParts);
    ns = length / part.under * part.over;
    if (one_in(3)) ns += element(kNear);
  } else if (way < 8) {
    ns = element(kRound) * number(1, 9);
  } else {
    const auto run = static_cast<std::uint64_t>(std::clamp<std::int64_t>(space.run_length.ns, 1, kForever.ns));
    const std::int64_t bits = number(0, static_cast<std::int64_t>(std::bit_width(run)) - 1);
    ns = std::min(number(0, (std::int64_t{2} << bits) - 1), space.run_length.ns);
  }
  if (least < 0 && one_in(2)) ns = -ns;
  return {std::clamp(ns, least, most)};
}

Law law(const FaultSpace& space, std::int64_t least, std::int64_t most) {
  least = std::max(least, -kForever.ns);  // longer durations have no text
  most = std::min(most, kForever.ns);
  const std::int64_t a = duration(space, least, most).ns;
  const std::int64_t b = duration(space, least, most).ns;
  const std::int64_t low = std::min(a, b), high = std::max(a, b);
  switch (number(0, 6)) {
    case 0:
    case 1:
      return Law::constant(a);
    case 2:
      if (least > 0 || low < 0) return Law::uniform(low, high);  // an exponential begins at 0
      return Law::exponential(low, high);
    case 3:
      if (low < 0) return Law::uniform(low, high);
      return Law::heavy_tailed(low, static_cast<std::int32_t>(number(500, 3'000)), high);
    case 4: {  // calm as a rule
      std::vector<Law::Choice> choices{{low, static_cast<std::uint32_t>(number(1, 1'000))}};
      for (std::int64_t n = number(0, 2); n > 0; --n) {
        choices.push_back({duration(space, least, most).ns, static_cast<std::uint32_t>(number(1, 9))});
      }
      return Law::table(std::move(choices));
    }
    default:
      return Law::uniform(low, high);
  }
}

}  // namespace draw

rc::Gen<Law> arbitrary_law(const FaultSpace& space, Duration least, Duration most) {
  struct OneLaw {
    Law law;
    Duration least, most;
    void fields(FieldVisitor& v) { v.field({.name = "law", .help = "a law", .least = least.ns, .most = most.ns}, law); }
  };
  return rc::gen::map(arbitrary_options(AnyOptions::of(OneLaw{{}, least, most}), space),
                      [](const AnyOptions& options) { return options.as<OneLaw>().law; });
}

}  // namespace picklock
