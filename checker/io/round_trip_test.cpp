#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "checker/io/history_maker_lab.hpp"
#include "checker/io/history_reader.hpp"
#include "checker/io/history_writer.hpp"

namespace picklock {
namespace {

using Tape = std::vector<std::uint32_t>;

History make() {
  return make_history(*rc::gen::scale(15.0, rc::gen::container<Tape>(rc::gen::arbitrary<std::uint32_t>())));
}

void goes_through(Format format) {
  const History history = make();
  const std::string text = write_history_text(history, {format});
  RC_LOG(text);
  const History back = read_history_text(text);
  RC_ASSERT(first_difference(history, back) == std::string());
  RC_ASSERT(write_history_text(back, {format}) == text);
}

RC_GTEST_PROP(RoundTrip, EdnLosesNothing, ()) { goes_through(Format::edn); }
RC_GTEST_PROP(RoundTrip, JsonLosesNothing, ()) { goes_through(Format::json); }

RC_GTEST_PROP(RoundTrip, FromEdnThroughJsonToEdn, ()) {
  const std::string edn = write_history_text(make());
  const std::string json = write_history_text(read_history_text(edn), {Format::json});
  RC_ASSERT(write_history_text(read_history_text(json)) == edn);
}

RC_GTEST_PROP(RoundTrip, ChunksDoNotMatter, ()) {
  const History history = make();
  const auto format = *rc::gen::element(Format::edn, Format::json);
  const std::string text = write_history_text(history, {format});
  const auto chunk = *rc::gen::inRange<std::size_t>(1, 40);
  TextSource source(text, chunk);
  RC_ASSERT(first_difference(history, read_history(source, "text")) == std::string());
}

// Any prefix and any changed byte ends in a history or in a ReadError.
RC_GTEST_PROP(RoundTrip, DamageIsAnErrorOrAHistory, ()) {
  const auto format = *rc::gen::element(Format::edn, Format::json);
  std::string text = write_history_text(make(), {format});
  RC_PRE(!text.empty());
  text[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
  text.resize(*rc::gen::inRange<std::size_t>(0, text.size() + 1));
  try {
    read_history_text(text);
  } catch (const ReadError& error) {
    RC_ASSERT(error.line >= 1u);
    RC_ASSERT(error.column >= 1u);
  }
}

TEST(FirstDifference, SeesEveryKindOfEvent) {
  const Tape tape = [] {
    Tape numbers;
    std::uint32_t x = 12345;
    for (int i = 0; i < 3000; ++i) {
      x = x * 1664525 + 1013904223;
      numbers.push_back(x >> 8);
    }
    return numbers;
  }();
  const History a = make_history(tape);
  ASSERT_FALSE(a.beliefs.empty() || a.grants.empty() || a.effects.empty() || a.processes.empty() || a.phases.empty() ||
               a.extras.empty() || a.operations.empty());
  EXPECT_EQ(first_difference(a, a), "");
  const auto differs = [&](auto&& change) {
    History b = a;
    change(b);
    return !first_difference(a, b).empty();
  };
  EXPECT_TRUE(differs([](History& h) { h.operations.back().time = 77; }));
  EXPECT_TRUE(differs([](History& h) { h.operations.pop_back(); }));
  EXPECT_TRUE(differs([](History& h) { h.extras.back().value = Value::integer(424242); }));
  EXPECT_TRUE(differs([](History& h) { h.beliefs.back().time = 77; }));
  EXPECT_TRUE(differs([](History& h) { h.grants.back().until = 77; }));
  EXPECT_TRUE(differs([](History& h) { h.effects.back().version ^= 1; }));
  EXPECT_TRUE(differs([](History& h) { h.processes.pop_back(); }));
  EXPECT_TRUE(differs([](History& h) { h.phases.back().time = 77; }));
  EXPECT_TRUE(differs([](History& h) { h.omniscient = !h.omniscient; }));
  EXPECT_TRUE(differs([](History& h) { h.holds.resize(h.holds.size() + 2); }));
}

}  // namespace
}  // namespace picklock
