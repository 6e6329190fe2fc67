// Explanations of the command: pages, graphs, slices.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace explanations_test {

struct Ran {
  int status = -1;
  std::string out;
};

Ran shell(const std::string& command) {
  Ran ran;
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return ran;
  std::array<char, 4096> buffer;
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) ran.out.append(buffer.data(), n);
  const int status = ::pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

Ran picklock(const std::string& arguments) { return shell(std::string(PICKLOCK_BINARY) + " " + arguments); }

std::string content(const std::string& path) {
  std::stringstream all;
  all << std::ifstream(path).rdbuf();
  return all.str();
}

class Explanations : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("picklock_explanations_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    std::ofstream(file("two.edn")) << "{:type :invoke, :f :acquire, :process 3, :time 1000, :index 0}\n"
                                      "{:type :ok, :f :acquire, :process 3, :time 2000, :index 1}\n"
                                      "{:type :invoke, :f :acquire, :process 8, :time 3000, :index 2}\n"
                                      "{:type :ok, :f :acquire, :process 8, :time 4000, :index 3}\n"
                                      "{:type :invoke, :f :release, :process 3, :time 5000, :index 4}\n"
                                      "{:type :ok, :f :release, :process 3, :time 6000, :index 5}\n";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  void expect_graph(const std::string& name) {
    const std::string text = content(file(name));
    EXPECT_EQ(text.rfind("digraph ", 0), 0u) << text;
    if (shell("dot -V").status == 0) {
      EXPECT_EQ(shell("dot -Tsvg -o " + file("out.svg") + " " + file(name)).status, 0) << text;
    }
  }

  std::filesystem::path folder_;
};

TEST_F(Explanations, APageAndAGraphOfAnInvalidHistory) {
  const Ran ran = picklock("check " + file("two.edn") + " --html " + file("two.html") + " --dot " + file("two.dot"));
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_NE(ran.out.find("both hold"), std::string::npos) << ran.out;
  const std::string page = content(file("two.html"));
  EXPECT_EQ(page.rfind("<!doctype html>", 0), 0u);
  EXPECT_EQ(page.find("://"), std::string::npos) << "nothing is fetched";
  EXPECT_NE(page.find("would have to come before itself"), std::string::npos);
  expect_graph("two.dot");
  EXPECT_NE(content(file("two.dot")).find("handover"), std::string::npos);
  EXPECT_EQ(picklock("check - --html " + file("again.html") + " < " + file("two.edn")).status, 1);
  EXPECT_NE(content(file("again.html")).find("process 8"), std::string::npos);
  EXPECT_EQ(picklock("check " + file("two.edn") + " --html /no/such/folder/x.html").status, 2);
}

TEST_F(Explanations, JsonCarriesTheContradiction) {
  const auto json = nlohmann::json::parse(picklock("check " + file("two.edn") + " --format json").out);
  ASSERT_EQ(json["contradiction"].size(), 2u);
  const auto& steps = json["contradiction"];
  EXPECT_EQ(steps[0]["to"], steps[1]["from"]);
  EXPECT_EQ(steps[1]["to"], steps[0]["from"]);
  EXPECT_EQ(steps[0]["reason"], "handover");
  EXPECT_EQ(steps[1]["reason"], "real time");
}

TEST_F(Explanations, TheSliceOfThePausedHolder) {
  const Ran ran = picklock("run paused_holder --slice --dot " + file("slice.dot"));
  EXPECT_EQ(ran.status, 0) << ran.out;
  const std::string golden = PICKLOCK_SOURCE_DIR "/tests/testdata/paused_holder_slice.txt";
  if (std::getenv("PICKLOCK_REWRITE_GOLDEN") != nullptr) std::ofstream(golden) << ran.out;
  EXPECT_EQ(ran.out, content(golden));
  expect_graph("slice.dot");
  const auto whole = nlohmann::json::parse(picklock("run paused_holder --format json").out);
  const auto json = nlohmann::json::parse(picklock("run paused_holder --slice --format json").out);
  EXPECT_EQ(json["digest"], whole["digest"]) << "recording changes nothing";
  const auto& slice = json["slice"];
  EXPECT_EQ(slice["property"], "mutual-exclusion");
  EXPECT_LT(slice["records"], slice["of_records"]);
  for (const auto& edge : slice["edges"]) {
    EXPECT_LT(edge[0], edge[1]);
    EXPECT_LT(edge[1], slice["events"].size());
  }
}

TEST_F(Explanations, TheSliceNamesEventsThatFailedToCome) {
  const auto missing = [](const std::string& scenario) {
    std::string all;
    const auto json = nlohmann::json::parse(picklock("run " + scenario + " --slice --format json").out);
    for (const auto& m : json["slice"]["missing"])
      all += m["node"].get<std::string>() + ": " + m["text"].get<std::string>() + "\n";
    return all;
  };
  const std::string partition = missing("etcd_partitioned_holder");
  EXPECT_NE(partition.find("a: a renewal of its lease, which ran out at"), std::string::npos) << partition;
  EXPECT_NE(partition.find("a: answers from etcd1 to"), std::string::npos) << partition;
  EXPECT_NE(partition.find("a: the news that its hold on lock is over"), std::string::npos) << partition;
  const std::string message = missing("redisson_missed_message");
  EXPECT_NE(message.find("b: the news that lock is free"), std::string::npos) << message;
  const std::string pause = missing("paused_holder");
  EXPECT_EQ(pause, "a: the news that its hold on lock is over\n") << "its lock renews nothing";
  const std::string text = picklock("run etcd_partitioned_holder --slice").out;
  EXPECT_NE(text.find("events that failed to come before it:"), std::string::npos) << text;
  EXPECT_NE(text.find("(the servers exchange "), std::string::npos) << text;
}

TEST_F(Explanations, TheSliceOfAnotherPropertyAndOfNone) {
  const Ran ran = picklock("run paused_holder --slice --slice-of lost-update");
  EXPECT_NE(ran.out.find("violation of lost-update"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("goes on"), std::string::npos) << ran.out;
  EXPECT_NE(picklock("run healthy_control --slice").out.find("nothing is violated"), std::string::npos);
  EXPECT_EQ(picklock("run paused_holder --slice --seeds 1..2").status, 2);
  EXPECT_EQ(picklock("run paused_holder --slice-of lost-update").status, 2);
}

}  // namespace explanations_test
