// Histories that begin in the middle: --initial unknown.
#include <gtest/gtest.h>

#include <string>

#include "checker/models/check_file.hpp"

namespace picklock {
namespace {

std::string step(const char* type, const char* f, int process, const std::string& value = "nil") {
  return std::string("{:type :") + type + ", :f :" + f + ", :process " + std::to_string(process) + ", :value " + value +
         "}\n";
}

std::string did(const char* f, int process, const std::string& asked = "nil", const std::string& answer = "") {
  return step("invoke", f, process, asked) + step("ok", f, process, answer.empty() ? asked : answer);
}

Verdict verdict(const std::string& text, const std::string& model, const std::string& initial) {
  TextSource source(text);
  return check_source(source, "text", {.model = model, .initial = initial}).verdict;
}

constexpr auto kHolds = Verdict::holds;
constexpr auto kViolated = Verdict::violated;

TEST(UnknownFirst, ARegisterHadSomeValue) {
  const std::string seven = did("read", 0, "nil", "7");
  EXPECT_EQ(verdict(seven, "register", ""), kViolated);
  EXPECT_EQ(verdict(seven, "register", "unknown"), kHolds);
  EXPECT_EQ(verdict(seven + did("read", 1, "nil", "8"), "register", "unknown"), kViolated) << "one value, not two";
  EXPECT_EQ(verdict(did("write", 0, "1") + seven, "register", "unknown"), kViolated) << "it was overwritten";
  EXPECT_EQ(verdict(did("cas", 0, "[3 4]") + did("read", 1, "nil", "4"), "cas-register", "unknown"), kHolds);
  EXPECT_EQ(verdict(did("cas", 0, "[3 4]") + did("read", 1, "nil", "3"), "cas-register", "unknown"), kViolated);
  EXPECT_THROW(verdict(seven, "try-cas-register", "unknown"), std::invalid_argument);
  EXPECT_EQ(verdict(did("read", 0, "nil", "\"unknown\""), "register", "\"unknown\""), kHolds) << "a text, in quotes";
}

// The value depends on which of two concurrent reads came first.
TEST(UnknownFirst, ReadsAreNotPlacedTooEarly) {
  const std::string begin = step("invoke", "read", 0) + step("invoke", "read", 1) + step("invoke", "write", 2, "2");
  const std::string one = step("ok", "read", 0, "1"), two = step("ok", "read", 1, "2"),
                    wrote = step("ok", "write", 2, "2");
  EXPECT_EQ(verdict(begin + two + one + wrote, "register", "unknown"), kHolds) << "1, then the write, then 2";
  EXPECT_EQ(verdict(begin + one + two + wrote, "register", "unknown"), kHolds);
  EXPECT_EQ(verdict(begin + two + wrote + one + did("read", 3, "nil", "3"), "register", "unknown"), kViolated);
}

TEST(UnknownFirst, SoHadEachKey) {
  const std::string a = did("get", 0, "[:a nil]", "[:a \"xy\"]");
  EXPECT_EQ(verdict(a, "kv", ""), kViolated);
  EXPECT_EQ(verdict(a, "kv", "unknown"), kHolds);
  EXPECT_EQ(verdict(did("append", 0, "[:a \"y\"]") + a, "kv", "unknown"), kHolds) << "x before";
  EXPECT_EQ(verdict(did("append", 0, "[:a \"z\"]") + a, "kv", "unknown"), kViolated);
  EXPECT_EQ(verdict(a + did("get", 0, "[:b nil]", "[:b \"z\"]"), "kv", "unknown"), kHolds);
  EXPECT_EQ(verdict(a + did("get", 0, "[:a nil]", "[:a \"z\"]"), "kv", "unknown"), kViolated);
  const std::string txn = did("txn", 0, "[[:r x nil] [:w y 2]]", "[[:r x 5] [:w y 2]]");
  EXPECT_EQ(verdict(txn, "multi-register", "unknown"), kHolds);
  EXPECT_EQ(verdict(txn + did("txn", 1, "[[:r x nil]]", "[[:r x nil]]"), "multi-register", "unknown"), kViolated);
  EXPECT_EQ(verdict(txn + did("txn", 1, "[[:w x nil]]") + did("txn", 1, "[[:r x nil]]", "[[:r x nil]]"),
                    "multi-register", "unknown"),
            kHolds);
}

TEST(UnknownFirst, AMutexMayHaveBeenHeld) {
  const std::string taken = did("release", 0) + did("acquire", 1);
  for (const char* model : {"mutex", "try-mutex", "mutex-ownerless", "reentrant-mutex:2"}) {
    EXPECT_EQ(verdict(taken, model, ""), kViolated) << model;
    EXPECT_EQ(verdict(taken, model, "unknown"), kHolds) << model;
    EXPECT_EQ(verdict(did("acquire", 1) + did("acquire", 2), model, "unknown"), kViolated) << model;
  }
  EXPECT_EQ(verdict(did("acquire", 1) + did("release", 0), "mutex", "unknown"), kViolated) << "then it was free";
  EXPECT_EQ(verdict(did("release", 0) + did("release", 2), "mutex", "unknown"), kViolated) << "both held at first";
  EXPECT_EQ(verdict(did("release", 0) + did("release", 0), "mutex", "unknown"), kViolated);
  EXPECT_EQ(verdict(did("release", 0) + did("release", 0) + did("acquire", 1), "reentrant-mutex:2", "unknown"), kHolds)
      << "it held twice";
  EXPECT_EQ(verdict(did("release", 0) + did("release", 0) + did("release", 0), "reentrant-mutex:2", "unknown"),
            kViolated);
  const std::string late =
      step("invoke", "acquire", 1) + step("invoke", "release", 0) + step("ok", "acquire", 1) + step("ok", "release", 0);
  EXPECT_EQ(verdict(late, "mutex", "unknown"), kHolds) << "released, then acquired";
  const std::string failed = did("acquire", 1) + step("invoke", "release", 0) + step("fail", "release", 0);
  EXPECT_EQ(verdict(failed, "mutex", "unknown"), kHolds);
  EXPECT_EQ(
      verdict(step("invoke", "acquire", 1) + step("fail", "acquire", 1) + did("acquire", 1), "try-mutex", "unknown"),
      kHolds)
      << "somebody may have held it";
  EXPECT_THROW(verdict(taken, "mutex", "held"), std::invalid_argument);
  EXPECT_THROW(verdict(taken, "lease-mutex", "unknown"), std::invalid_argument);
  EXPECT_THROW(verdict(taken, "semaphore:2", "unknown"), std::invalid_argument);
}

}  // namespace
}  // namespace picklock
