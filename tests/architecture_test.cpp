// The arrows between the folders (docs/architecture.md) hold, and form no cycle.

#include <gtest/gtest.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/topological_sort.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

// What each folder may include of ours, beside itself and base, which every folder may. Tests may include anything.
const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"base", {}},
    {"sim/task", {}},
    {"checker", {}},
    {"sim/core", {"sim/task"}},
    {"sim/redis", {"sim/core", "sim/task"}},
    {"sim/redis/sentinel", {"sim/redis", "sim/core", "sim/task"}},
    {"sim/redis/cluster", {"sim/redis", "sim/core", "sim/task"}},
    {"sim/storage", {"sim/core", "sim/task"}},
    {"sim/zookeeper/zab", {"sim/quorum", "sim/core", "sim/task"}},
    {"sim/zookeeper", {"sim/zookeeper/zab", "sim/quorum", "sim/core", "sim/task"}},
    {"sim/quorum", {"sim/core", "sim/task"}},
    {"sim/etcd/raft", {"sim/quorum", "sim/core", "sim/task"}},
    {"sim/etcd", {"sim/etcd/raft", "sim/quorum", "sim/core", "sim/task"}},
    {"algorithms", {"sim/task"}},
    {"faults", {"sim/core", "sim/task"}},
    {"recording", {"checker", "sim/core", "sim/storage", "sim/task"}},
    {"services",
     {"recording", "algorithms", "checker", "sim/core", "sim/etcd", "sim/quorum", "sim/redis", "sim/redis/sentinel",
      "sim/redis/cluster", "sim/task", "sim/zookeeper"}},
    {"scenarios/workloads",
     {"services", "recording", "algorithms", "checker", "faults", "sim/core", "sim/storage", "sim/task"}},
    {"scenarios/file",
     {"scenarios/workloads", "services", "recording", "algorithms", "checker", "faults", "sim/core", "sim/storage",
      "sim/task"}},
    {"scenarios/run",
     {"scenarios/file", "scenarios/workloads", "services", "recording", "algorithms", "checker", "faults", "sim/core",
      "sim/storage", "sim/task"}},
    {"scenarios/campaign",
     {"scenarios/run", "scenarios/file", "scenarios/workloads", "services", "recording", "algorithms", "checker",
      "faults", "sim/core", "sim/storage", "sim/task"}},
    {"generators",
     {"scenarios/run", "scenarios/file", "scenarios/workloads", "services", "recording", "algorithms", "checker",
      "faults", "sim/core", "sim/storage", "sim/task"}},
    {"reports",
     {"scenarios/campaign", "scenarios/run", "scenarios/file", "scenarios/workloads", "services", "recording",
      "algorithms", "checker", "faults", "sim/core", "sim/storage", "sim/task"}},
    {"app",
     {"reports", "scenarios/campaign", "scenarios/run", "scenarios/file", "scenarios/workloads", "services",
      "recording", "algorithms", "checker", "faults", "sim/core", "sim/storage", "sim/task"}},
};

// The folder of the table that a path lies in; empty: none.
std::string room_of(const std::string& path) {
  std::string best;
  for (const auto& [room, arrows] : kMayInclude) {
    if (path.rfind(room + "/", 0) == 0 && room.size() > best.size()) best = room;
  }
  return best;
}

struct Include {
  std::string file, from, to, included;
};

std::vector<Include> all_includes() {
  const fs::path root = PICKLOCK_SOURCE_DIR;
  constexpr std::string_view kInclude = "#include \"";
  std::vector<Include> all;
  for (const char* top : {"base", "sim", "algorithms", "faults", "checker", "recording", "services", "scenarios",
                          "generators", "reports", "app"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string file = fs::relative(entry.path(), root).string();
      const std::string extension = entry.path().extension();
      const bool is_test = file.find("_test.cpp") != std::string::npos || file.find("test_") != std::string::npos ||
                           file.find("_lab.hpp") != std::string::npos || file.find("fuzz/") != std::string::npos ||
                           file.find("generator.") != std::string::npos;
      if ((extension != ".hpp" && extension != ".cpp") || is_test) continue;
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) {
        if (line.rfind(kInclude, 0) != 0) continue;
        const std::string included = line.substr(kInclude.size(), line.find('"', kInclude.size()) - kInclude.size());
        all.push_back({file, room_of(file), room_of(included), included});
      }
    }
  }
  return all;
}

TEST(Architecture, NoIncludeRunsAgainstTheArrows) {
  const std::vector<Include> includes = all_includes();
  EXPECT_GT(includes.size(), 300u) << "the sources were not found";
  for (const Include& i : includes) {
    if (i.from.empty() || i.to.empty() || i.from == i.to || i.to == "base") continue;
    EXPECT_TRUE(kMayInclude.at(i.from).count(i.to)) << i.file << " (" << i.from << ") includes " << i.to;
  }
}

// The transport decides how a value is written as bytes.
TEST(Architecture, LocksAndTheirVerbsPackNoMessages) {
  for (const Include& i : all_includes()) {
    if (i.from != "sim/task" && i.from != "algorithms") continue;
    EXPECT_NE(i.included, "base/packing.hpp") << i.file;
  }
}

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

bool is_acyclic(const std::vector<std::pair<std::string, std::string>>& arrows) {
  std::map<std::string, std::size_t> ids;
  const auto id = [&](const std::string& room) { return ids.emplace(room, ids.size()).first->second; };
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (const auto& [from, to] : arrows) {
    const std::size_t a = id(from), b = id(to);
    edges.emplace_back(a, b);
  }
  const Graph graph(edges.begin(), edges.end(), ids.size());
  std::vector<std::size_t> order;
  try {
    boost::topological_sort(graph, std::back_inserter(order));
  } catch (const boost::not_a_dag&) {
    return false;
  }
  return true;
}

TEST(Architecture, TheFoldersFormNoCycle) {
  std::set<std::pair<std::string, std::string>> arrows;
  for (const Include& i : all_includes()) {
    if (!i.from.empty() && !i.to.empty() && i.from != i.to) arrows.emplace(i.from, i.to);
  }
  EXPECT_TRUE(is_acyclic({arrows.begin(), arrows.end()}));
  arrows.emplace("sim/task", "app");  // the test can fail
  EXPECT_FALSE(is_acyclic({arrows.begin(), arrows.end()}));
}

}  // namespace
