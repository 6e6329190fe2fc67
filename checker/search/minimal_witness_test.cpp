// The smallest set of operations that has no order.  That it is one, and that each of its operations is needed, is
// compared with a search of every order in agreement_test.cpp.
#include "checker/search/minimal_witness.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/models/check_file.hpp"
#include "checker/search/spec_space.hpp"
#include "checker/search/specs/registers.hpp"

namespace picklock {
namespace {

CheckResult judged(const std::string& text, const std::string& model, const std::string& initial = "") {
  TextSource source(text);
  return check_source(source, "text", {.model = model, .initial = initial});
}

std::string done(const char* f, int process, const std::string& asked, const std::string& answer) {
  const auto line = [&](const char* type, const std::string& value) {
    return fmt::format("{{:type :{}, :f :{}, :process {}, :value {}}}\n", type, f, process, value);
  };
  return line("invoke", asked) + line("ok", answer);
}
std::string wrote(int process, const std::string& value) { return done("write", process, value, value); }
std::string read(int process, const std::string& value) { return done("read", process, "nil", value); }

std::vector<std::string> operations(const CheckResult& r) {
  std::vector<std::string> all;
  if (!r.minimal) return all;
  for (const PlacedOperation& o : r.minimal->operations) all.push_back(o.operation);
  return all;
}
using Texts = std::vector<std::string>;

TEST(MinimalWitness, IsAnAppendAndTwoReads) {
  std::string text;
  for (int i = 0; i < 30; ++i)
    text += done("append", 1, fmt::format("[:x \"{}\"]", static_cast<char>('a' + i % 26)), "[:x \"\"]");
  const auto get = [](int process, const std::string& seen) {
    return done("get", process, "[:y nil]", fmt::format("[:y \"{}\"]", seen));
  };
  text += get(1, "") + done("append", 2, "[:y \"q\"]", "[:y \"q\"]") + get(3, "q") + get(4, "");
  const CheckResult r = judged(text, "kv");
  ASSERT_TRUE(r.minimal);
  EXPECT_TRUE(r.minimal->minimal);
  EXPECT_EQ(operations(r), (Texts{"append [:y \"q\"]", "get [:y \"\"]"})) << "the get between is not needed";
  EXPECT_EQ(r.minimal->others, 2u) << "of this key alone";
  EXPECT_EQ(r.events.size(), 4u);
}

TEST(MinimalWitness, KeepsWhatMustNotComeBack) {
  const CheckResult r = judged(wrote(0, "1") + wrote(0, "2") + read(1, "2") + read(2, "1") + wrote(0, "3"), "register");
  EXPECT_EQ(operations(r), (Texts{"write 1", "write 2", "read 1"})) << "a write outside of it may come at any time";
  ASSERT_TRUE(r.minimal);
  EXPECT_EQ(r.minimal->others, 2u);
  ASSERT_EQ(r.minimal->reasons.size(), 3u);
  EXPECT_EQ(
      r.minimal->reasons[0],
      "Write 1 comes before write 2: it returned at index 1 (line 2), and the other was invoked at index 2 (line 3).");
  EXPECT_EQ(r.minimal->reasons[2],
            "No order gets further than write 1, write 2; then the register is 2, so that read 1 has no place.");
}

TEST(MinimalWitness, OfAValueThatNobodyWroteIsOneRead) {
  const CheckResult r = judged(wrote(0, "1") + read(1, "7") + read(1, "1"), "cas-register");
  EXPECT_EQ(operations(r), (Texts{"read 7"}));
  ASSERT_EQ(r.minimal->reasons.size(), 1u);
  EXPECT_EQ(r.minimal->reasons[0], "Nothing makes read 7 possible: the register is nil.");
  EXPECT_EQ(operations(judged(read(1, "1"), "register", "0")), (Texts{"read 1"}));
}

TEST(MinimalWitness, TakesAReadBeforeItsWrite) {
  const CheckResult r = judged(read(1, "5") + wrote(0, "5"), "register");
  EXPECT_EQ(operations(r), (Texts{"read 5", "write 5"})) << "a write left out could have come first";
}

TEST(MinimalWitness, OfASetIsTheLostElement) {
  std::string text, all;
  for (int i = 0; i < 200; ++i) {
    text += done("add", i % 5, fmt::to_string(i), fmt::to_string(i));
    if (i != 77) all += fmt::format(" {}", i);
  }
  const CheckResult r = judged(text + done("read", 9, "nil", "#{" + all.substr(1) + "}"), "set");
  ASSERT_EQ(operations(r).size(), 2u);
  EXPECT_EQ(operations(r)[0], "add 77");
  EXPECT_TRUE(r.minimal->minimal);
}

TEST(MinimalWitness, OfTransactions) {
  const auto txn = [](int process, const std::string& steps) { return done("txn", process, steps, steps); };
  const CheckResult r =
      judged(txn(0, "[[:w x 1]]") + txn(0, "[[:w y 1]]") + txn(1, "[[:r y 1] [:r x nil]]") + txn(1, "[[:r y 1]]"),
             "multi-register");
  EXPECT_EQ(operations(r), (Texts{"txn [[:w x 1]]", "txn [[:r y 1] [:r x nil]]"}));
}

// Each of many writes of one value would have to be kept, lest it come right before the read: so they keep their time.
TEST(MinimalWitness, OfFewValuesLeavesTheOthersTheirTime) {
  std::string text;
  for (int i = 0; i < 2'000; ++i) text += wrote(i % 3, fmt::to_string(i % 4));
  const CheckResult r = judged(text + read(1, "2") + wrote(0, "2"), "register");
  ASSERT_TRUE(r.minimal);
  EXPECT_EQ(operations(r), (Texts{"write 3", "read 2"}));
  EXPECT_TRUE(r.minimal->own_time);
  EXPECT_TRUE(r.minimal->minimal);
  const CheckResult few = judged(wrote(0, "2") + wrote(0, "3") + read(1, "2") + wrote(0, "2"), "register");
  EXPECT_EQ(operations(few), (Texts{"write 2", "write 3", "read 2", "write 2"}));
  EXPECT_FALSE(few.minimal->own_time);
}

TEST(MinimalWitness, SaysThatTheSearchWasCutShort) {
  Bounds over(std::chrono::nanoseconds(1));
  Register spec;
  const std::vector<RegisterOperation> operations(4);
  SpecSpace<Register> space(spec, operations);
  const std::vector<OperationSpan> intervals = {{1, 2, 0}, {3, 4, 0}};
  const std::vector<std::uint32_t> kinds = {0, 0};
  const SmallestSet set = smallest_set({intervals, space, kinds, 1}, false, over);
  EXPECT_FALSE(set.minimal);
  EXPECT_TRUE(set.operations.empty());
}

TEST(MinimalWitness, OfALongHistory) {
  std::string text;
  for (int i = 0; i < 3'000; ++i) text += wrote(0, fmt::to_string(i)) + read(1, fmt::to_string(i));
  text += read(2, "17");
  const CheckResult r = judged(text, "register");
  ASSERT_TRUE(r.minimal);
  EXPECT_TRUE(r.minimal->minimal);
  EXPECT_EQ(operations(r).size(), 3u) << "write 17, another write, read 17";
  EXPECT_EQ(operations(r).back(), "read 17");
  EXPECT_EQ(operations(r).front(), "write 17");
}

TEST(MinimalWitness, NamesTheKeyOfAnObjectAndItsOperations) {
  std::string text;
  for (const char* const key : {"a", "b"}) {
    for (const char* const seen : {"", "z"}) {
      text += fmt::format(
          "{{:type :invoke, :f :get, :process 0, :object \"{0}\"}}\n"
          "{{:type :ok, :f :get, :process 0, :object \"{0}\", :value \"{1}\"}}\n",
          key, key[0] == 'b' ? seen : "");
    }
  }
  const CheckResult r = judged(text, "kv");
  ASSERT_TRUE(r.partial);
  EXPECT_EQ(r.partial->part, "key b");
  EXPECT_NE(r.explanation.find("of key b"), std::string::npos) << r.explanation;
  EXPECT_EQ(r.members, (std::vector<std::uint32_t>{4, 6}));
  EXPECT_EQ(operations(r), (Texts{"get \"z\""}));
}

}  // namespace
}  // namespace picklock
