// The arrows between the folders (docs/architecture.md) hold and form no cycle; services are named by their own folders.

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/topological_sort.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

// A row of the table of folders in docs/architecture.md, which CMake reads as well (cmake/rooms.cmake).
struct Room {
  std::string library;
  std::set<std::string> arrows, own_arrows;  // passed on to those who may include this folder, or not: in parentheses
  std::set<std::string> packages;
};

std::set<std::string> matches(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::set<std::string> all;
  for (std::sregex_iterator i(text.begin(), text.end(), regex), end; i != end; ++i) all.insert((*i)[1]);
  return all;
}

std::map<std::string, Room> rooms_of(std::istream& page) {
  static const std::regex kRow(R"re(\| `([^`]+)/` \| ([^|]+) \|[^|]*\|([^|]*)\|([^|]*)\|)re");
  std::map<std::string, Room> rooms;
  std::smatch cells;
  for (std::string line; std::getline(page, line);) {
    if (!std::regex_match(line, cells, kRow)) continue;
    const std::string arrows = cells[3];
    const std::size_t own = std::min(arrows.find('('), arrows.size());
    rooms[cells[1]] = {cells[2], matches(arrows.substr(0, own), "`([^`]+)`"), matches(arrows.substr(own), "`([^`]+)`"),
                       matches(cells[4], "([^, ]+)")};
  }
  return rooms;
}

const std::map<std::string, Room>& rooms() {
  static const std::map<std::string, Room> kRooms = [] {
    std::ifstream page(PICKLOCK_SOURCE_DIR "/docs/architecture.md");
    return rooms_of(page);
  }();
  return kRooms;
}

void add_passed_on(const std::string& room, std::set<std::string>& all) {
  if (!all.insert(room).second) return;
  for (const std::string& arrow : rooms().at(room).arrows) add_passed_on(arrow, all);
}

// What a folder may include of ours, beside itself. Tests may include anything.
std::set<std::string> may_include(const std::string& room) {
  std::set<std::string> all = {"base"};
  add_passed_on(room, all);
  for (const std::string& arrow : rooms().at(room).own_arrows) add_passed_on(arrow, all);
  return all;
}

// The folder of the table that a path lies in; empty: none.
std::string room_of(const std::string& path) {
  std::string best;
  for (const auto& [room, row] : rooms()) {
    if (path.rfind(room + "/", 0) == 0 && room.size() > best.size()) best = room;
  }
  return best;
}

struct Include {
  std::string file, from, to, included;
};

bool is_test_file(const std::string& file) {
  static const std::regex kTest(R"(.*(_test|_lab|_check|_fuzz)\.[ch]pp)");
  return std::regex_match(file, kTest);
}

std::set<std::string> top_folders() {
  std::set<std::string> tops;
  for (const auto& [room, row] : rooms()) tops.insert(room.substr(0, room.find('/')));
  return tops;
}

std::vector<std::string> sources() {
  const fs::path root = PICKLOCK_SOURCE_DIR;
  std::vector<std::string> all;
  for (const std::string& top : top_folders()) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string file = fs::relative(entry.path(), root).string();
      const std::string extension = entry.path().extension();
      if ((extension == ".hpp" || extension == ".cpp") && !is_test_file(file)) all.push_back(file);
    }
  }
  return all;
}

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in(fs::path(PICKLOCK_SOURCE_DIR) / file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<Include> all_includes() {
  constexpr std::string_view kInclude = "#include \"";
  std::vector<Include> all;
  for (const std::string& file : sources()) {
    for (const std::string& line : lines_of(file)) {
      if (line.rfind(kInclude, 0) != 0) continue;
      const std::string included = line.substr(kInclude.size(), line.find('"', kInclude.size()) - kInclude.size());
      all.push_back({file, room_of(file), room_of(included), included});
    }
  }
  return all;
}

TEST(Architecture, NoIncludeRunsAgainstTheArrows) {
  const std::vector<Include> includes = all_includes();
  EXPECT_GT(includes.size(), 300u) << "the sources were not found";
  for (const Include& i : includes) {
    if (i.from.empty() || i.to.empty() || i.from == i.to || i.to == "base") continue;
    EXPECT_TRUE(may_include(i.from).count(i.to)) << i.file << " (" << i.from << ") includes " << i.to;
  }
}

// All files that a file includes, directly or by way of others.
void add_reached(const std::string& file, std::set<std::string>& all) {
  constexpr std::string_view kInclude = "#include \"";
  for (const std::string& line : lines_of(file)) {
    if (line.rfind(kInclude, 0) != 0) continue;
    const std::string included = line.substr(kInclude.size(), line.find('"', kInclude.size()) - kInclude.size());
    if (all.insert(included).second) add_reached(included, all);
  }
}

// Reports start from what a run has left: they play none, and cannot ask a runner for more.
TEST(Architecture, ReportsReachNoRunner) {
  const std::string runner = "scenarios/run/run.hpp", record = "scenarios/run/record.hpp";
  std::set<std::string> all, of_the_command;
  for (const std::string& file : sources()) {
    if (file.rfind("reports/", 0) == 0) add_reached(file, all);
  }
  add_reached("app/run.cpp", of_the_command);
  EXPECT_TRUE(all.count(record)) << "the reports were not found";
  EXPECT_TRUE(of_the_command.count(runner)) << "the command plays, and would be found out";
  EXPECT_FALSE(all.count(runner));
}

// A journal is read as a history in one place, when its run has ended.
TEST(Architecture, OneFileMakesHistoriesOfRuns) {
  std::set<std::string> makers;
  for (const std::string& file : sources()) {
    if (file.rfind("scenarios/recording/", 0) == 0 || file.ends_with(".hpp")) continue;
    for (const std::string& line : lines_of(file)) {
      if (line.find("builder_.build(") != std::string::npos || line.find("HistoryBuilder") != std::string::npos)
        makers.insert(file);
    }
  }
  EXPECT_EQ(makers, std::set<std::string>{"scenarios/run/run_judge.cpp"});
}

TEST(Architecture, TheTableIsRead) {
  std::istringstream page(
      "| `low/` | one | below | nothing of ours | fmt |\n"
      "| `high/` | two | above | `low`, `other` (and `hidden`) | Boost, zlib |\n"
      "| `tests/` | not a row of the table |\n");
  const std::map<std::string, Room> read = rooms_of(page);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read.at("high").library, "two");
  EXPECT_EQ(read.at("high").arrows, (std::set<std::string>{"low", "other"}));
  EXPECT_EQ(read.at("high").own_arrows, (std::set<std::string>{"hidden"}));
  EXPECT_EQ(read.at("high").packages, (std::set<std::string>{"Boost", "zlib"}));

  EXPECT_TRUE(may_include("scenarios/services").count("sim/etcd"));
  EXPECT_FALSE(may_include("scenarios/run").count("sim/etcd")) << "services pass their servers on to nobody";
  EXPECT_FALSE(may_include("checker").count("sim/core"));
}

// Headers by the way they begin, and the package that each belongs to.
const std::map<std::string, std::string>& owners_of_headers() {
  static const std::map<std::string, std::string> kOwnerOf = {
      {"boost/", "Boost"},     {"nlohmann/", "nlohmann-json"}, {"zlib.h", "zlib"},
      {"sqlite3.h", "SQLite"}, {"toml++/", "toml++"},          {"CLI/", "CLI11"},
      {"lua.hpp", "Lua"},      {"rapidcheck", "RapidCheck"},   {"thread>", "threads"}};
  return kOwnerOf;
}

// Packages that a file includes, each with the header's beginning.
std::map<std::string, std::string> packages_of(const std::string& file) {
  std::map<std::string, std::string> packages;
  for (const std::string& line : lines_of(file)) {
    for (const auto& [header, package] : owners_of_headers()) {
      if (line.rfind("#include <" + header, 0) == 0) packages[package] = header;
    }
  }
  return packages;
}

// A package serves the libraries that name it: users of the others need not have it.
TEST(Architecture, PackagesServeTheFoldersThatNameThem) {
  std::set<std::string> used, named;
  for (const auto& [room, row] : rooms()) named.insert(row.packages.begin(), row.packages.end());
  for (const std::string& file : sources()) {
    for (const auto& [package, header] : packages_of(file)) {
      used.insert(package);
      EXPECT_TRUE(rooms().at(room_of(file)).packages.count(package)) << file << " includes " << header;
    }
  }
  used.insert("fmt");  // everywhere
  EXPECT_EQ(named, used) << "a folder names a package that nothing includes";
}

// Folders that include a package, beside the folders that a page like docs/dependencies.md names for it.
std::vector<std::string> wrong_rows(const std::vector<std::string>& page) {
  static const std::regex kRow(R"re(\| ([^|]+) \| [^|]+ \| ([^|]+) \| [^|]+ \|)re");
  std::map<std::string, std::set<std::string>> includers, named;
  for (const std::string& file : sources()) {
    for (const auto& [package, header] : packages_of(file)) includers[package].insert(room_of(file));
  }
  for (const std::string& line : page) {
    std::smatch cells;
    if (!std::regex_match(line, cells, kRow)) continue;
    for (const std::string& path : matches(cells[2], "`([^`]+)`")) {
      if (const std::string room = room_of(path + "/"); !room.empty()) named[cells[1]].insert(room);
    }
  }
  std::vector<std::string> wrong;
  for (const char* const package : {"nlohmann-json", "zlib", "toml++", "CLI11", "SQLite", "RapidCheck"}) {
    if (named[package] != includers[package]) wrong.emplace_back(package);
  }
  return wrong;
}

TEST(Architecture, ThePageOfDependenciesNamesTheFoldersThatIncludeThem) {
  std::vector<std::string> page = lines_of("docs/dependencies.md");
  EXPECT_EQ(wrong_rows(page), std::vector<std::string>());
  std::erase_if(page, [](const std::string& line) { return line.rfind("| SQLite |", 0) == 0; });
  for (std::string& line : page) {
    if (line.rfind("| zlib |", 0) == 0) line.replace(line.find("`checker/io`"), 12, "`sim/core`");
  }
  EXPECT_EQ(wrong_rows(page), (std::vector<std::string>{"zlib", "SQLite"})) << "the test can fail";
}

TEST(Architecture, HeavyHeadersStayInTheirFolders) {
  std::map<std::string, std::string> heavy;  // headers of ours, and the package that each includes
  for (const std::string& file : sources()) {
    for (const auto& [package, header] : packages_of(file)) {
      const bool stays = package == "toml++" || package == "CLI11" || package == "Boost" || package == "SQLite";
      if (stays && file.ends_with(".hpp")) heavy[file] = package;
    }
  }
  EXPECT_GE(heavy.size(), 4u) << "the headers were not found";
  for (const Include& i : all_includes()) {
    if (heavy.count(i.included) == 0) continue;
    EXPECT_EQ(i.from, i.to) << i.file << " includes " << heavy[i.included];
  }
}

// The transport decides how a value is written as bytes.
TEST(Architecture, LocksAndTheirVerbsPackNoMessages) {
  for (const Include& i : all_includes()) {
    if (i.from != "sim/task" && i.from != "algorithms") continue;
    EXPECT_NE(i.included, "base/packing.hpp") << i.file;
  }
}

// A quantile in digits, and not a longer number or version.
bool states_the_normal_quantile(const std::string& line) {
  static const std::regex kQuantile(R"((^|[^\d.])1\.(96|95996\d*)\b(?!\.))");
  return std::regex_search(line, kQuantile);
}

TEST(Architecture, TheNormalQuantileIsStatedOnce) {
  std::vector<std::string> found;
  for (const std::string& file : sources()) {
    for (const std::string& line : lines_of(file)) {
      if (states_the_normal_quantile(line)) found.push_back(file);
    }
  }
  EXPECT_EQ(found, std::vector<std::string>{"statistics/intervals.hpp"});
  EXPECT_TRUE(states_the_normal_quantile("  return 1.96 * error;"));
  EXPECT_TRUE(states_the_normal_quantile("constexpr double z = 1.959963984540054;"));
  EXPECT_FALSE(states_the_normal_quantile("release 11.96, 1.961 and 1.96.2"));
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

// The line without comments and, unless it is an include, without texts.
std::string code_without_texts(const std::string& line) {
  static const std::regex kText(R"re("(\\.|[^"\\])*")re"), kComment("//.*");
  const bool is_include = line.rfind("#include", 0) == 0;
  return std::regex_replace(is_include ? line : std::regex_replace(line, kText, "\"\""), kComment, "");
}

// --- the path of a run ----------------------------------------------------------------------------

// Words of a variable of cmake/playground.cmake.
std::vector<std::string> cmake_list(const std::string& name) {
  std::string text;
  for (const std::string& line : lines_of("cmake/playground.cmake")) text += line + "\n";
  const std::size_t begin = text.find("set(" + name);
  if (begin == std::string::npos) return {};
  std::istringstream words(text.substr(begin + 4, text.find(')', begin) - begin - 4));
  std::vector<std::string> all;
  for (std::string word; words >> word;) all.push_back(word);
  all.erase(all.begin());
  return all;
}

// Sources that the WebAssembly module is made of.
std::set<std::string> files_on_the_run_path() {
  std::set<std::string> all;
  const std::vector<std::string> globs = cmake_list("PICKLOCK_RUN_PATH"),
                                 left_out = cmake_list("PICKLOCK_NOT_ON_RUN_PATH");
  for (const std::string& file : sources()) {
    if (!file.ends_with(".cpp")) continue;
    const bool taken = std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
      const std::size_t star = glob.find('*');
      return star == std::string::npos ? file == glob : file.rfind(glob.substr(0, star), 0) == 0;
    });
    const bool out = std::any_of(left_out.begin(), left_out.end(), [&](const std::string& pattern) {
      return std::regex_match(file, std::regex(pattern));
    });
    if (taken && !out) all.insert(file);
  }
  return all;
}

// They, and every header that they reach.
std::set<std::string> reached_on_the_run_path() {
  std::map<std::string, std::vector<std::string>> includes;
  for (const Include& i : all_includes()) includes[i.file].push_back(i.included);
  std::set<std::string> all;
  const std::set<std::string> path = files_on_the_run_path();
  std::vector<std::string> todo(path.begin(), path.end());
  while (!todo.empty()) {
    const std::string file = todo.back();
    todo.pop_back();
    if (!all.insert(file).second) continue;
    for (const std::string& included : includes[file]) todo.push_back(included);
  }
  return all;
}

// What WebAssembly has not: exceptions, threads, files.
bool needs_a_system(const std::string& line) {
  static const std::vector<std::string> kHints = {"#include <", "throw", "try", "catch", "std::", "fopen"};
  if (std::none_of(kHints.begin(), kHints.end(),
                   [&](const std::string& hint) { return line.find(hint) != std::string::npos; }))
    return false;
  static const std::regex kNeeds(
      R"(#include <(thread|mutex|future|condition_variable|shared_mutex|filesystem|fstream|iostream|unistd\.h|sys/.*)>|)"
      R"(\b(throw|try|catch)\b\s*[({;]|\bthrow\b [A-Za-z:]|\bstd::(thread|mutex|ifstream|ofstream|filesystem)\b|\bfopen\()");
  return std::regex_search(code_without_texts(line), kNeeds);
}

TEST(RunPath, NeedsNoExceptionsThreadsOrFiles) {
  const std::set<std::string> reached = reached_on_the_run_path();
  EXPECT_GT(files_on_the_run_path().size(), 250u) << "the list was not found";
  EXPECT_GT(reached.size(), 500u);
  for (const std::string& file : reached) {
    if (file == "base/threads.hpp") continue;  // the one place that asks whether there are threads
    int number = 0;
    for (const std::string& line : lines_of(file)) {
      ++number;
      EXPECT_FALSE(needs_a_system(line)) << file << ":" << number << ": " << line;
    }
  }
}

TEST(RunPath, TheScanTellsCodeFromWords) {
  for (const char* line :
       {"#include <thread>", "#include <filesystem>", "  throw ScriptFailure{reply};", "  try {", "  } catch (...) {",
        "std::mutex guard_;", "#include <unistd.h>", "    throw;", "std::ifstream in(path);"}) {
    EXPECT_TRUE(needs_a_system(line)) << line;
  }
  for (const char* line : {"// it has thrown; try again (later)", "Retry try_again(3);", "EXPECT(\"throw x\");",
                           "#include <vector>", "enum class Thaw { lags, catches_up };"}) {
    EXPECT_FALSE(needs_a_system(line)) << line;
  }
}

// --- the seam of a service -------------------------------------------------------------------------

// Files outside of scenarios/services/, sim/ and the families of algorithms/ that name a service, and why.
const std::map<std::string, std::string> kMayNameServices = {
    {"scenarios/services/services.cpp", "the table of services"},
    {"algorithms/kinds.hpp", "the table of lock families"},
    {"algorithms/locks.cpp", "the table of lock families"},
    {"scenarios/workloads/etcd_set.hpp", "a workload that keeps its set in etcd"},
    {"scenarios/workloads/etcd_set.cpp", "a workload that keeps its set in etcd"},
    {"scenarios/workloads/zookeeper_set.hpp", "a workload that keeps its set in ZooKeeper"},
    {"scenarios/workloads/zookeeper_set.cpp", "a workload that keeps its set in ZooKeeper"},
    {"scenarios/workloads/workloads.cpp", "the table of workloads"},
    {"testkit/print.hpp", "values of etcd that have constructors, and how many members"},
    {"bridge/program_servers.cpp", "the table of services that programs reach"},
    {"bridge/program_servers.hpp", "the table of services that programs reach"},
    {"bridge/redis_servers.cpp", "Redis for programs"},
    {"bridge/redis_servers.hpp", "Redis for programs"},
    {"bridge/zookeeper_servers.cpp", "ZooKeeper for programs"},
    {"bridge/zookeeper_servers.hpp", "ZooKeeper for programs"},
    {"bridge/jute.cpp", "ZooKeeper's protocol"},
    {"bridge/jute.hpp", "ZooKeeper's protocol"},
    {"bridge/resp.cpp", "Redis's protocol"},
    {"bridge/resp.hpp", "Redis's protocol"},
};

// Whether the line names a type, a function, a record or a header of one service.
bool names_a_service(const std::string& line) {
  static const std::regex kName(
      R"(\b(Redis|Etcd|Zoo|ZooKeeper|Znode|Curator|Sentinel)([A-Z]\w*)?\b|\b\w*(redis|etcd|znode|zoo|zookeeper|curator)_\w+|\b\w+_(redis|etcd|zookeeper)\b|)"
      R"(#include "(sim|scenarios/services|algorithms)/(redis|redlock|redisson|etcd|zookeeper|curator)/)");
  return std::regex_search(code_without_texts(line), kName);
}

bool is_of_a_service(const std::string& file) {
  static const std::regex kOwn("(sim|(scenarios/services|algorithms)/[a-z]+)/.*");
  return std::regex_match(file, kOwn);
}

TEST(Services, AreNamedByTheirOwnFoldersAlone) {
  std::set<std::string> name_one;
  std::size_t files = 0;
  for (const std::string& file : sources()) {
    if (is_of_a_service(file)) continue;
    ++files;
    int number = 0;
    for (const std::string& line : lines_of(file)) {
      ++number;
      if (!names_a_service(line)) continue;
      name_one.insert(file);
      EXPECT_TRUE(kMayNameServices.count(file)) << file << ":" << number << " names a service: " << line;
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
                           "#include \"scenarios/services/service.hpp\"", "deployment->install(world, names);"}) {
    EXPECT_FALSE(names_a_service(line)) << line;
  }
}

}  // namespace
