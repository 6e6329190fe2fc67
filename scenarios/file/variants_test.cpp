#include "scenarios/file/variants.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "scenarios/file/hash.hpp"
#include "scenarios/file/library.hpp"
#include "scenarios/file/set.hpp"
#include "scenarios/file/write.hpp"

namespace picklock {
namespace {

const std::string kFamily = R"(# The holder stops.
#
# And goes on.

tags    = ["pause"]
lock    = { name = "set-nx-px", ttl = "100ms", retry = "5ms..10ms" }
clients = [ { name = "a", hold = "50ms" }, { name = "b", start = "10ms" } ]

[[fault]]
kind  = "pause"
node  = "a"
on    = "a enters"
lasts = "200ms"

[expect]
mutual-exclusion = "violated"

# The resource looks at tokens.
#
#   a drawing
[variant.fenced]
tags           = ["fencing"]
storage.fence  = "reads-and-writes"
lock.name      = "set-nx-px-fenced"
clients.a.hold = "60ms"
sometimes      = ["contention", "token-issued"]

[variant.fenced.expect]
lost-update = "holds"

# Nothing stops.
[variant.calm]
fault = []
"clients[1].start" = "20ms"
"draw.a>redis/latency@a#1.1" = 90
)";

ScenarioFile family() { return read_scenario(kFamily, "x/paused.toml"); }

std::string errors_of(const std::string& variants) {
  std::string text;
  for (const ScenarioError& e :
       read_scenario("lock = \"setnx\"\nclients = [{ name = \"a\" }]\n" + variants, "x.toml").errors)
    text += print(e) + "\n";
  return text;
}

TEST(Variants, AreTheFilesScenarioWithTheirSettings) {
  const ScenarioFile file = family();
  ASSERT_TRUE(file.ok()) << print(file.errors.front());
  ASSERT_EQ(file.variants.size(), 2U);
  const ScenarioVariant& fenced = file.variants[0];
  EXPECT_EQ(fenced.name, "fenced");
  EXPECT_EQ(fenced.scenario.name, "paused/fenced");
  EXPECT_EQ(fenced.scenario.description, "The resource looks at tokens.\n\n  a drawing");
  EXPECT_EQ(fenced.tags, (std::vector<std::string>{"pause", "fencing"}));
  Scenario set = file.scenario;
  for (const char* assignment : {"lock.name=set-nx-px-fenced", "storage.fence=reads-and-writes", "clients.a.hold=60ms",
                                 "sometimes=contention, token-issued"}) {
    EXPECT_FALSE(set_in_scenario(set, assignment)) << assignment;
  }
  EXPECT_EQ(scenario_hash(set), scenario_hash(fenced.scenario));
  EXPECT_EQ(fenced.scenario.expect.size(), 1U) << "in the place of the file's";
  EXPECT_TRUE(fenced.scenario.expect.contains("lost-update"));
}

TEST(Variants, MayReplaceWhatComesSeveralTimes) {
  const ScenarioVariant calm = family().variants[1];
  EXPECT_TRUE(calm.scenario.faults.empty());
  EXPECT_EQ(calm.scenario.clients[1].name, "b");
  EXPECT_EQ(calm.scenario.overrides.size(), 1U);
  EXPECT_EQ(calm.scenario.expect, family().scenario.expect) << "it says nothing of what it expects";
  EXPECT_EQ(calm.settings[0], (ScenarioVariant::Setting{"fault", "0 entries"}));
}

TEST(Variants, KnowWhereTheirSettingsStand) {
  const ScenarioVariant fenced = family().variants[0];
  EXPECT_EQ(fenced.positions.of("storage.fence").line, 23U);
  EXPECT_EQ(fenced.positions.of("clients[0].hold").line, 25U);
  EXPECT_EQ(fenced.positions.of("fault[0].on").line, 12U) << "the file's";
  EXPECT_EQ(family().positions.of("storage.fence").line, 0U) << "the file's own scenario says nothing of it";
}

TEST(Variants, ReadAgainAsTheyAreWritten) {
  for (const ScenarioVariant& v : family().variants) {
    Scenario again = read_scenario(write_scenario(v.scenario), "x.toml").scenario;
    again.name = v.scenario.name;
    EXPECT_TRUE(again == v.scenario) << v.name;
  }
}

TEST(Variants, ErrorsHaveTheirPlaces) {
  EXPECT_EQ(errors_of("[variant.a]\nphases.laod = \"1s\"\n"),
            "x.toml:4:8: found the path 'phases.laod', expected one such as lock.name, clients.a.hold or phases.load; "
            "did you mean 'phases.load'?\n");
  EXPECT_EQ(errors_of("[variant.a]\nredis.hz = 501\n"),
            "x.toml:4:12: found '501', expected an integer from 1 to 500\n");
  EXPECT_EQ(errors_of("[variant.a]\nlock.name = \"setnxx\"\n").substr(0, 27), "x.toml:4:13: found 'setnxx'");
  EXPECT_EQ(
      errors_of("[variant.a]\n"),
      "x.toml:3:1: found the variant 'a' without settings, expected at least one, such as lock.ttl = \"200ms\"\n");
  EXPECT_EQ(errors_of("[variant.a]\nphases.load = 1.5\n"),
            "x.toml:4:15: found a floating-point number, expected a string, an integer, true, false or an array of "
            "strings\n");
  EXPECT_EQ(errors_of("[variant.a]\nfault = [ { kind = \"paus\", node = \"a\" } ]\n").substr(0, 27),
            "x.toml:4:20: found 'paus', ");
  EXPECT_EQ(
      errors_of("[variant.a]\nphases.load = \"1s\"\n[variant.a.expect]\nmutual-exclusio = \"holds\"\n").substr(0, 36),
      "x.toml:6:1: found 'mutual-exclusio',");
  EXPECT_EQ(errors_of("[variant.\"A b\"]\nphases.load = \"1s\"\n"),
            "x.toml:3:10: found a variant named 'A b', expected a name of small letters, digits, '-', '_' and '.'\n");
  EXPECT_EQ(errors_of("[variant]\na = 3\n"), "x.toml:4:5: found the integer 3, expected a table [variant.a]\n");
  EXPECT_EQ(errors_of("tags = [\"Clock\"]\n"),
            "x.toml:3:9: found 'Clock', expected a tag of small letters, digits, '-', '_' and '.'\n");
}

TEST(Variants, HostileTextEndsSoon) {
  const auto many = [](int count, const char* text) {
    std::string all;
    for (int i = 0; i < count; ++i) all += fmt::format(fmt::runtime(text), i);
    return all;
  };
  const std::string faults = "fault = [" + many(9'000, "{{ kind = \"kill\", node = \"n{}\" }},") + "]\n";
  EXPECT_NE(errors_of(many(11'000, "[variant.v{}]\nphases.load = \"1s\"\n")).find("11000 variants"), std::string::npos);
  EXPECT_NE(errors_of(faults + many(2, "[variant.v{}]\nphases.load = \"1s\"\n")).find("2 variants"), std::string::npos);
  EXPECT_NE(errors_of("[variant.v]\n" + many(101, "draw.d{} = 1\n")).find("101 settings"), std::string::npos);
  EXPECT_NE(errors_of("[variant.v]\n" + many(50, "phases.x{} = 1\n")).find("phases.x"), std::string::npos);
}

TEST(CommentAbove, EndsAtTheFirstLineWithoutHash) {
  EXPECT_EQ(comment_above("# a\n\n# b\n#  c\n[x]\n", 5), "b\n c");
  EXPECT_EQ(comment_above("# a\n\n[x]\n", 3), "");
  EXPECT_EQ(comment_above("[x]", 1), "");
}

// --- of the library's own families

using Fields = std::map<std::string, std::string>;

// Every field of the scenario as text, but for what is expected.
Fields fields_of(Scenario s) {
  Fields all;
  for_each_part(s, [&](const ScenarioPart& part) {
    if (part.info.path == "expect") return;
    FieldLister lister;
    part.fields.fields(lister);
    for (const FieldText& f : lister.fields) all[fmt::format("{}.{}", part.path, f.name)] = f.text;
  });
  all["sometimes."] = fmt::format("{}", fmt::join(s.sometimes, ", "));
  return all;
}

// The settings of the variant that name a field: by its path, its table, or the kind or release that decides of its options.
bool named(const ScenarioVariant& v, const Scenario& s, const std::string& field) {
  for (const ScenarioVariant::Setting& setting : v.settings) {
    Scenario changed = s;
    std::vector<std::string> paths;
    if (set_value(changed, setting.path, setting.value, &paths)) paths = {setting.path};  // an array of tables
    for (const std::string& path : paths) {
      const bool kind = path.ends_with(".name") || path.ends_with(".kind") || path.ends_with(".release");
      const std::string within = kind ? path.substr(0, path.rfind('.')) : path;
      if (field == path || field == "." + path || field.starts_with(within + ".") || field.starts_with(within + "["))
        return true;
    }
  }
  return false;
}

TEST(ShippedVariants, DifferByTheirSettingsAndNothingElse) {
  std::size_t families = 0;
  for (const LibraryEntry& entry : scenarios_in(PICKLOCK_SOURCE_DIR "/scenarios/library")) {
    if (entry.variant) continue;
    const ScenarioFile file = load_scenario(entry.path);
    families += file.variants.empty() ? 0U : 1U;
    const Fields base = fields_of(file.scenario);
    for (const ScenarioVariant& v : file.variants) {
      EXPECT_FALSE(v.scenario.description.empty()) << v.scenario.name << " has no sentence above it";
      const Fields twin = fields_of(v.scenario);
      EXPECT_NE(base, twin) << v.scenario.name;
      Fields all = base;
      all.insert(twin.begin(), twin.end());
      for (const auto& [field, ignored] : all) {
        const auto before = base.find(field), after = twin.find(field);
        const bool same = before != base.end() && after != twin.end() && before->second == after->second;
        EXPECT_TRUE(same || named(v, v.scenario, field)) << v.scenario.name << ": " << field;
      }
    }
  }
  EXPECT_GT(families, 100U);
}

TEST(ShippedVariants, HaveNoSettingThatChangesNothing) {
  for (const LibraryEntry& entry : scenarios_in(PICKLOCK_SOURCE_DIR "/scenarios/library")) {
    if (entry.variant) continue;
    const ScenarioFile file = load_scenario(entry.path);
    for (const ScenarioVariant& v : file.variants) {
      for (const ScenarioVariant::Setting& setting : v.settings) {
        Scenario base = file.scenario;
        for (const ScenarioVariant::Setting& kind : v.settings) {  // its options need the lock
          if (kind.path == "lock.name" && setting.path != "lock.name") set_value(base, kind.path, kind.value);
        }
        const std::uint64_t before = scenario_hash(base);
        if (set_value(base, setting.path, setting.value)) continue;  // an array of tables, or within one
        EXPECT_NE(scenario_hash(base), before) << v.scenario.name << ": " << setting.path;
      }
    }
  }
}

}  // namespace
}  // namespace picklock
