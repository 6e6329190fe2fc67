// The arrows between the folders (docs/architecture.md) hold and form no cycle; services are named by their own folders.

#include <gtest/gtest.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/topological_sort.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
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

bool is_test_file(const std::string& file) {
  return file.find("_test.cpp") != std::string::npos || file.find("_lab.cpp") != std::string::npos ||
         file.find("_lab.hpp") != std::string::npos || file.find("fuzz/") != std::string::npos ||
         file.find("generator.") != std::string::npos;
}

std::vector<Include> all_includes() {
  const fs::path root = PICKLOCK_SOURCE_DIR;
  constexpr std::string_view kInclude = "#include \"";
  std::vector<Include> all;
  for (const char* top : {"base", "sim", "algorithms", "faults", "checker", "recording", "services", "scenarios",
                          "generators", "reports", "app"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string file = fs::relative(entry.path(), root).string();
      const std::string extension = entry.path().extension();
      if ((extension != ".hpp" && extension != ".cpp") || is_test_file(file)) continue;
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

// --- the seam of a service -------------------------------------------------------------------------

// Files outside of services/, sim/ and the families of algorithms/ that name a service, and why.
const std::map<std::string, std::string> kMayNameServices = {
    {"services/services.cpp", "the table of services"},
    {"algorithms/kinds.hpp", "the table of lock families"},
    {"algorithms/locks.cpp", "the table of lock families"},
    {"scenarios/workloads/etcd_set.hpp", "a workload that keeps its set in etcd"},
    {"scenarios/workloads/etcd_set.cpp", "a workload that keeps its set in etcd"},
    {"scenarios/workloads/zookeeper_set.hpp", "a workload that keeps its set in ZooKeeper"},
    {"scenarios/workloads/zookeeper_set.cpp", "a workload that keeps its set in ZooKeeper"},
    {"scenarios/workloads/workloads.cpp", "the table of workloads"},
};

// The line without comments and, unless it is an include, without texts.
std::string code_of(const std::string& line) {
  static const std::regex kText(R"re("(\\.|[^"\\])*")re"), kComment("//.*");
  const bool is_include = line.rfind("#include", 0) == 0;
  return std::regex_replace(is_include ? line : std::regex_replace(line, kText, "\"\""), kComment, "");
}

// Whether the line names a type, a function, a record or a header of one service.
bool names_a_service(const std::string& line) {
  static const std::regex kName(
      R"(\b(Redis|Etcd|Zoo|ZooKeeper|Znode|Curator|Sentinel)([A-Z]\w*)?\b|\b\w*(redis|etcd|znode|zoo|zookeeper|curator)_\w+|\b\w+_(redis|etcd|zookeeper)\b|)"
      R"(#include "(sim|services|algorithms)/(redis|redlock|redisson|etcd|zookeeper|curator)/)");
  return std::regex_search(code_of(line), kName);
}

bool is_of_a_service(const std::string& file) {
  static const std::regex kOwn("(sim|(services|algorithms)/[a-z]+)/.*");
  return std::regex_match(file, kOwn);
}

TEST(Services, AreNamedByTheirOwnFoldersAlone) {
  const fs::path root = PICKLOCK_SOURCE_DIR;
  std::set<std::string> name_one;
  std::size_t files = 0;
  for (const char* top : {"base", "algorithms", "faults", "checker", "recording", "services", "scenarios", "generators",
                          "reports", "app"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string file = fs::relative(entry.path(), root).string();
      const std::string extension = entry.path().extension();
      if ((extension != ".hpp" && extension != ".cpp") || is_test_file(file) || is_of_a_service(file)) continue;
      ++files;
      std::ifstream in(entry.path());
      int number = 0;
      for (std::string line; std::getline(in, line);) {
        ++number;
        if (!names_a_service(line)) continue;
        name_one.insert(file);
        EXPECT_TRUE(kMayNameServices.count(file)) << file << ":" << number << " names a service: " << line;
      }
    }
  }
  EXPECT_GT(files, 200u) << "the sources were not found";
  for (const auto& [file, why] : kMayNameServices) {
    EXPECT_TRUE(name_one.count(file)) << file << " names no service: it needs no exception (" << why << ")";
  }
}

TEST(Services, TheScanTellsNamesFromWords) {
  for (const char* line : {"  EtcdMember member;", "const Redis& redis;", "#include \"sim/etcd/member.hpp\"",
                           "case trace::zoo_applied:", "std::vector<RedisScript> all;", "x = is_of_redis(kind);"}) {
    EXPECT_TRUE(names_a_service(line)) << line;
  }
  for (const char* line : {"// Redis and etcd", "std::string name = \"redis_key\";", "  zoom(Zone{});",
                           "#include \"services/service.hpp\"", "deployment->install(world, names);"}) {
    EXPECT_FALSE(names_a_service(line)) << line;
  }
}

}  // namespace
