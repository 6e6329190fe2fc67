// The keys of a scenario file are what the fields say of themselves.
#include "scenarios/file/keys.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/file/parts.hpp"

namespace picklock {
namespace {

const KeysOfPart& part_of(const std::vector<KeysOfPart>& all, std::string_view path) {
  return *std::find_if(all.begin(), all.end(), [&](const KeysOfPart& p) { return p.path == path; });
}

bool has_key(const KeysOfPart& part, std::string_view key) {
  return std::any_of(part.keys.begin(), part.keys.end(), [&](const FieldText& f) { return f.name == key; });
}

TEST(Keys, EveryPartOfAFileIsThere) {
  const std::vector<KeysOfPart> all = scenario_keys();
  EXPECT_EQ(all.size(), part_infos().size());
  for (const KeysOfPart& part : all) EXPECT_FALSE(part.keys.empty()) << part.path;
  EXPECT_TRUE(has_key(part_of(all, "clients"), "honours-deadline"));
  EXPECT_TRUE(has_key(part_of(all, "redis"), "appendonly"));
  EXPECT_TRUE(has_key(part_of(all, "phases"), "probe-patience"));
}

TEST(Keys, OptionsStandWithTheirKind) {
  const std::vector<KeysOfPart> all = scenario_keys();
  EXPECT_TRUE(has_key(part_of(all, "lock"), "name"));
  EXPECT_FALSE(has_key(part_of(all, "lock"), "ttl"));
  const std::vector<FieldText> options = fields_of(AnyOptions(find_lock_kind("set-nx-px")->default_options()));
  const auto ttl = std::find_if(options.begin(), options.end(), [](const FieldText& f) { return f.name == "ttl"; });
  ASSERT_NE(ttl, options.end());
  EXPECT_EQ(ttl->text, "30s");
  EXPECT_EQ(values_allowed(*ttl), "duration, at least 1ms");
}

TEST(Keys, SomeMustBeGiven) {
  const std::vector<KeysOfPart> all = scenario_keys();
  EXPECT_TRUE(part_of(all, "clients").requires_key("name"));
  EXPECT_FALSE(part_of(all, "clients").requires_key("hold"));
}

}  // namespace
}  // namespace picklock
