#include "checker/io/edn_path.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "checker/io/edn.hpp"

namespace picklock {
namespace {

std::string at(const std::string& edn, std::string_view step) {
  const std::string canonical = canonical_edn(edn);
  const auto found = element_at(canonical, step);
  return found ? std::string(*found) : "-";
}

TEST(EdnPath, FindsElements) {
  EXPECT_EQ(at("{:client \"c1\", :fence 7}", "fence"), "7");
  EXPECT_EQ(at("{:client \"c1\", :fence 7}", "client"), "\"c1\"");
  EXPECT_EQ(at("{\"fence\" [1 2], 3 :x, :a/b nil}", "fence"), "[1 2]");
  EXPECT_EQ(at("{\"fence\" [1 2], 3 :x, :a/b nil}", "3"), ":x");
  EXPECT_EQ(at("{\"fence\" [1 2], 3 :x, :a/b nil}", "a/b"), "nil");
  EXPECT_EQ(at("#acme.Grant #x {:fence #t {:n 1}}", "fence"), "#t {:n 1}");
  EXPECT_EQ(at("[:lock-3 nil]", "0"), ":lock-3");
  EXPECT_EQ(at("(1 (2 #{3}) 4)", "1"), "(2 #{3})");
  EXPECT_EQ(at("[1 2]", "2"), "-");
  EXPECT_EQ(at("[1 2]", "x"), "-");
  EXPECT_EQ(at("[1 2]", "1x"), "-");
  EXPECT_EQ(at("#{:fence}", "fence"), "-");
  EXPECT_EQ(at("##Inf", "fence"), "-");
  EXPECT_EQ(at("\"{:fence 1}\"", "fence"), "-");
  EXPECT_EQ(at("{}", "fence"), "-");
}

TEST(EdnPath, IsNotMisledByBracketsInCharactersAndStrings) {
  EXPECT_EQ(at("[\\) \\] \\\" \\newline \"]\\\"\" :end]", "5"), ":end");
  EXPECT_EQ(at("{:a \"}\", :b {\"x\" \\}}, :c 3}", "c"), "3");
}

TEST(EdnPath, NamesKeys) {
  EXPECT_EQ(keys_of(canonical_edn("#t {:b 1, \"a b\" {:c 2}, 7 8, [1] 2}")), (std::vector<std::string>{"a b", "b"}));
  EXPECT_TRUE(keys_of("[:a]").empty());
  EXPECT_TRUE(keys_of(":a").empty());
}

// Any element, put between any others, is found where it was put.
RC_GTEST_PROP(EdnPath, FindsWhatIsThere, ()) {
  static const std::vector<std::string> kForms = {
      "1",  "nil",   "\"a b\"", "\\(",  "[1 [2]]", "{:k {:l \"}\"}}", "#{1 #t [2]}", "#t \\]",
      "()", "##NaN", "sym",     ":k/w", "1/2",     "\"\\\"\""};
  const auto picks =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, static_cast<int>(kForms.size()))));
  const auto wanted = *rc::gen::inRange<std::size_t>(0, picks.size());
  std::string vector = "[";
  std::string map = "{";
  for (std::size_t i = 0; i < picks.size(); ++i) {
    const std::string& form = kForms[static_cast<std::size_t>(picks[i])];
    vector += form + " ";
    map += ":k" + std::to_string(i) + " " + form + " ";
  }
  const std::string expected = canonical_edn(kForms[static_cast<std::size_t>(picks[wanted])]);
  RC_ASSERT(at(vector + "]", std::to_string(wanted)) == expected);
  RC_ASSERT(at(map + "}", "k" + std::to_string(wanted)) == expected);
}

}  // namespace
}  // namespace picklock
