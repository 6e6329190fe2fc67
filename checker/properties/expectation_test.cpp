#include "checker/properties/expectation.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace picklock {
namespace {

constexpr Fulfilment kYes = Fulfilment::as_expected;
constexpr Fulfilment kNo = Fulfilment::not_as_expected;
constexpr Fulfilment kOpen = Fulfilment::undecided;

Tally runs(std::uint64_t holds, std::uint64_t violated, std::uint64_t undecided, std::uint64_t not_applicable = 0) {
  Tally tally;
  tally.counts = {holds, violated, undecided, not_applicable};
  return tally;
}

TEST(Expectation, Every) {
  const Expectation e{Verdict::holds, Seeds::every};
  EXPECT_EQ(fulfilment(e, runs(5, 0, 0)), kYes);
  EXPECT_EQ(fulfilment(e, runs(5, 1, 0)), kNo);
  EXPECT_EQ(fulfilment(e, runs(5, 1, 3)), kNo);
  EXPECT_EQ(fulfilment(e, runs(5, 0, 1)), kOpen);
  EXPECT_EQ(fulfilment(e, runs(5, 0, 0, 1)), kOpen);
  EXPECT_EQ(fulfilment(e, runs(0, 0, 0)), kOpen);
  EXPECT_EQ(fulfilment({Verdict::violated, Seeds::every}, runs(0, 5, 0)), kYes);
  EXPECT_EQ(fulfilment({Verdict::violated, Seeds::every}, runs(1, 4, 0)), kNo);
  EXPECT_EQ(fulfilment({Verdict::not_applicable, Seeds::every}, runs(0, 0, 0, 4)), kYes);
  EXPECT_EQ(fulfilment({Verdict::undecided, Seeds::every}, runs(0, 0, 4)), kYes);
}

TEST(Expectation, Some) {
  const Expectation e{Verdict::violated, Seeds::some};
  EXPECT_EQ(fulfilment(e, runs(5, 1, 0)), kYes);
  EXPECT_EQ(fulfilment(e, runs(5, 1, 9)), kYes);
  EXPECT_EQ(fulfilment(e, runs(5, 0, 0)), kNo);
  EXPECT_EQ(fulfilment(e, runs(5, 0, 1)), kOpen);
  EXPECT_EQ(fulfilment(e, runs(0, 0, 0)), kOpen);
}

TEST(Expectation, NoneAndAny) {
  const Expectation none{Verdict::violated, Seeds::none};
  EXPECT_EQ(fulfilment(none, runs(5, 0, 0)), kYes);
  EXPECT_EQ(fulfilment(none, runs(5, 1, 0)), kNo);
  EXPECT_EQ(fulfilment(none, runs(5, 0, 1)), kOpen);
  EXPECT_EQ(fulfilment({Verdict::violated, Seeds::any}, runs(0, 0, 7)), kYes);
}

TEST(Expectation, RawVerdictAndExitStatus) {
  EXPECT_EQ(raw_verdict(runs(5, 0, 0, 3)), kYes);
  EXPECT_EQ(raw_verdict(runs(5, 1, 1)), kNo);
  EXPECT_EQ(raw_verdict(runs(5, 0, 1)), kOpen);
  EXPECT_EQ(exit_status({}), 0);
  EXPECT_EQ(exit_status(std::vector{kYes, kYes}), 0);
  EXPECT_EQ(exit_status(std::vector{kYes, kOpen}), 3);
  EXPECT_EQ(exit_status(std::vector{kOpen, kNo, kYes}), 1);
}

TEST(Expectation, NamesAreReadAndPrinted) {
  for (const Seeds seeds : {Seeds::every, Seeds::some, Seeds::none, Seeds::any}) {
    EXPECT_EQ(find_seeds(name(seeds)), seeds);
  }
  EXPECT_EQ(find_verdict("violated"), Verdict::violated);
  EXPECT_EQ(find_verdict("not-applicable"), Verdict::not_applicable);
  EXPECT_EQ(find_verdict("fine"), std::nullopt);
  EXPECT_EQ(print(Expectation{Verdict::violated, Seeds::some}), "violated in some run");
}

}  // namespace
}  // namespace picklock
