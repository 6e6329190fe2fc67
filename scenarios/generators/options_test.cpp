#include "scenarios/generators/options.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.hpp"
#include "scenarios/generators/simplify.hpp"

namespace picklock {
namespace {

enum class Colour : std::uint8_t { red, green, blue };
constexpr auto enum_names(Colour) { return name_list("red", "green", "blue"); }

struct Everything {
  bool flag = false;
  std::int64_t count = 1;
  Duration wait = milliseconds(1);
  std::optional<Duration> limit;
  Law law;
  std::string name = "kept";
  Colour colour = Colour::red;
  void fields(FieldVisitor& v) {
    v.field({.name = "flag", .help = "f"}, flag);
    v.field({.name = "count", .help = "c", .least = 1, .most = 500}, count);
    v.field({.name = "wait", .help = "w", .least = 1'000'000, .most = 2'000'000'000}, wait);
    v.field({.name = "limit", .help = "l", .least = 5}, limit);
    v.field({.name = "law", .help = "l", .least = 0, .most = 90'000'000'000}, law);
    v.field({.name = "name", .help = "n"}, name);
    v.field({.name = "colour", .help = "c"}, colour);
  }
};

bool in_bounds(const Everything& e) {
  return e.count >= 1 && e.count <= 500 && e.wait >= milliseconds(1) && e.wait <= seconds(2) &&
         (!e.limit || e.limit->ns >= 5) && e.law.low() >= 0 && e.law.high() <= seconds(90).ns && e.name == "kept" &&
         static_cast<int>(e.colour) < 3;
}

const FaultSpace kSpace = {.deadlines = {{DeadlineKind::lease, milliseconds(100)}}};

rc::Gen<AnyOptions> everything() { return arbitrary_options(AnyOptions::of(Everything{}), kSpace); }

RC_GTEST_PROP(ArbitraryOptions, StayWithinTheirBoundsAndSoDoTheirShrinks, ()) {
  const AnyOptions options = *rc::gen::noShrink(everything());
  RC_ASSERT(in_bounds(options.as<Everything>()));
  for (const AnyOptions& simpler : simplify(options)) {
    RC_ASSERT(in_bounds(simpler.as<Everything>()));
    RC_ASSERT(complexity(simpler) < complexity(options));
  }
}

RC_GTEST_PROP(ArbitraryOptions, ShrinkToTheLeastOfEverything, ()) {
  const AnyOptions options = *rc::gen::noShrink(everything());
  const AnyOptions least = minimise(options, [](const AnyOptions&) { return true; });
  const auto& e = least.as<Everything>();
  RC_ASSERT(!e.flag);
  RC_ASSERT(e.count == 1);
  RC_ASSERT(e.wait == milliseconds(1));
  RC_ASSERT(e.limit == nanoseconds(5));
  RC_ASSERT(e.law == Law::constant(std::int64_t{0}));
  RC_ASSERT(e.colour == Colour::red);
}

RC_GTEST_PROP(ArbitraryLaw, LiesWithinItsBoundsAndHasAText, ()) {
  const auto ends = *rc::gen::pair(rc::gen::inRange<std::int64_t>(-1'000'000'000, 2'000'000'000),
                                   rc::gen::inRange<std::int64_t>(0, 2'000'000'000));
  const Duration low{ends.first}, high{ends.first + ends.second};
  const Law law = *arbitrary_law(kSpace, low, high);
  RC_ASSERT(law.low() >= low.ns);
  RC_ASSERT(law.high() <= high.ns);
  const std::int64_t drawn = law.sample(*rc::gen::arbitrary<std::uint64_t>());
  RC_ASSERT(drawn >= low.ns);
  RC_ASSERT(drawn <= high.ns);
  RC_ASSERT(parse_duration_law(to_text(law)) == law);
}

TEST(ArbitraryLaw, IsOfEveryKind) {
  std::array<int, 5> seen{};
  const auto gen = arbitrary_law(kSpace, {}, seconds(10));
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    ++seen[static_cast<std::size_t>(gen(rc::Random(seed), 50).value().kind())];
  }
  for (const int n : seen) EXPECT_GT(n, 20);
}

}  // namespace
}  // namespace picklock
