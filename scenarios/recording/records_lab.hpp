// For the tests of the judges: what servers record, as a text, and the grants that follow, in words.
//
//   10 creates 1 key 2 lease 7
//
// A line: when, in ms; what; on behalf of which hold, or what else the verb is about; then, in any order, a word and
// its value each.  Which verbs and words there are each test says.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "scenarios/recording/grants.hpp"

namespace picklock {

class RecordLine {
 public:
  explicit RecordLine(const std::string& line) : line_(line) {
    std::istringstream in(line);
    in >> ms >> verb >> about;
    for (std::string word, value; in >> word >> value;) words_[word] = value;
    EXPECT_TRUE(in.eof() && !verb.empty()) << line;
  }
  RecordLine(const RecordLine&) = delete;
  RecordLine& operator=(const RecordLine&) = delete;
  ~RecordLine() {
    for (const auto& [word, value] : words_) ADD_FAILURE() << "no verb reads '" << word << "': " << line_;
  }

  bool has(const std::string& word) const { return words_.count(word) > 0; }
  std::string text(const std::string& word, std::string otherwise = {}) {
    const auto found = words_.find(word);
    return found == words_.end() ? otherwise : words_.extract(found).mapped();
  }
  std::int64_t number(const std::string& word, std::int64_t otherwise = 0) {
    return has(word) ? std::stoll(text(word)) : otherwise;
  }
  HoldId hold() const { return static_cast<HoldId>(about); }

  std::int64_t ms = 0;
  std::string verb;
  std::int64_t about = 0;

 private:
  std::string line_;
  std::map<std::string, std::string> words_;
};

// The judge's grants from records.  A class that knows its service's verbs adds play(RecordLine&), which calls see().
class RecordsLab {
 public:
  static constexpr std::int64_t kMs = 1'000'000;

  template <class Records>
  static std::string after(Records records, const std::string& script, bool with_times = false) {
    std::istringstream lines(script);
    for (std::string line; std::getline(lines, line);) {
      if (line.find_first_not_of(' ') == std::string::npos) continue;
      RecordLine parsed(line);
      records.play(parsed);
    }
    return records.said(with_times);
  }

  void see(GrantJudge& judge, const TraceRecord& record, const Provenance& by) {
    judge.see(record, by, grants_, index_);
  }
  const std::vector<GrantEvent>& grants() const { return grants_; }
  // "begin 1 at 10 until 110; wrong-release 1 by 2 at 30": by whom, if it is not the hold itself.
  std::string said(bool with_times = false) const {
    constexpr std::string_view kWords[] = {"begin",  "extend",        "end",          "released",
                                           "forced", "wrong-release", "wrong-renewal"};
    std::string all;
    for (const GrantEvent& g : grants_) {
      if (!all.empty()) all += "; ";
      all += kWords[static_cast<std::size_t>(g.change)];
      all += ' ' + std::to_string(g.hold);
      if (g.by != g.hold) all += g.by == kNoHold ? " by nobody" : " by " + std::to_string(g.by);
      if (with_times) all += " at " + std::to_string(g.time / kMs);
      if (g.until == std::numeric_limits<std::int64_t>::max()) {
        all += " for ever";
      } else if (g.until != kNoTime) {
        all += " until " + std::to_string(g.until / kMs);
      }
    }
    return all;
  }

 private:
  std::vector<GrantEvent> grants_;
  std::uint32_t index_ = 0;
};

}  // namespace picklock
