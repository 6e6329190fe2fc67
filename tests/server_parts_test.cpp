// A server consists of parts whose state a reader can hold: no class of a simulated service has more than 15 data
// members.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "tests/member_count.hpp"

namespace picklock::style {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostMembers = 15;

std::string listed(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += " " + name;
  return all;
}

TEST(ServerParts, HaveAtMostFifteenDataMembers) {
  std::size_t classes = 0, members = 0;
  for (const char* room : {"sim/redis", "sim/etcd", "sim/zookeeper", "sim/quorum", "sim/storage"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(PICKLOCK_SOURCE_DIR) / room)) {
      if (entry.path().extension() != ".hpp" || entry.path().stem().string().ends_with("_lab")) continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      for (const ClassMembers& c : data_members(text.str())) {
        ++classes;
        members += c.members.size();
        EXPECT_LE(c.members.size(), kMostMembers)
            << fs::relative(entry.path(), PICKLOCK_SOURCE_DIR).string() << ": " << c.name << ":" << listed(c.members);
      }
    }
  }
  EXPECT_GT(classes, 200u) << "the classes were not found";
  EXPECT_GT(members, 800u) << "their members were not found";
}

constexpr std::string_view kText = R"(
// struct InAComment { int a; };
namespace picklock {
class Member;  // a declaration
enum class Role : char { follower, leader };

class Part final : public Base<int, char> {
 public:
  explicit Part(int size) : size_(size), all_{size, 1} { int local = 0; use(local); }
  explicit Part(Role role) : size_(role == Role::leader), open_(true) {}
  Part(const Part&) = delete;
  [[nodiscard]] bool done() const { return size_ == 0; }
  static constexpr std::size_t kMost = 8;
  static int shared_;
  using Call = std::function<void(int, char)>;
  friend bool operator==(const Part&, const Part&) = default;
  template <class T>
  void walk(T step);

 private:
  struct Inner {
    std::int64_t at = 0;
    std::string name;
    void clear() { name.clear(); }
  };
  Task<void> run(Host host, Part* self);

  int size_ = 0;
  bool open_ = false, over_ = true;  // two of them
  std::function<void(int, char)> call_;
  std::map<std::string, std::vector<int>> by_name_{};
  std::array<std::uint64_t, kMost> counts_{};
  const Options& options_;
  std::vector<Inner> inner_ = std::vector<Inner>(kMost, Inner{1, "a;b"});
  char bytes_[16];
  std::uint8_t low_ : 4;
  Member* next_ = nullptr, *last_ = nullptr;
};
}  // namespace picklock
)";

TEST(ServerParts, MembersAreToldFromAllElse) {
  std::map<std::string, std::vector<std::string>> found;
  for (const ClassMembers& c : data_members(kText)) found[c.name] = c.members;
  EXPECT_EQ(found.size(), 2u);
  EXPECT_EQ(found["Part"], (std::vector<std::string>{"size_", "open_", "over_", "call_", "by_name_", "counts_",
                                                     "options_", "inner_", "bytes_", "low_", "next_", "last_"}));
  EXPECT_EQ(found["Inner"], (std::vector<std::string>{"at", "name"}));
}

TEST(ServerParts, OneMemberTooManyIsCounted) {
  std::string text = "class Server {\n public:\n  void serve() {}\n\n private:\n";
  for (std::size_t i = 0; i < kMostMembers; ++i) text += "  int part" + std::to_string(i) + "_ = 0;\n";
  EXPECT_EQ(data_members(text + "};\n").at(0).members.size(), kMostMembers);
  EXPECT_EQ(data_members(text + "  std::map<int, int> one_more_;\n};\n").at(0).members.size(), kMostMembers + 1);
}

}  // namespace
}  // namespace picklock::style
