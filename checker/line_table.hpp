// The line of its file in which an event stands.
//
// The records of a file are as a rule a line each, or as many lines each as the one before: then one run of records says it
// for all of them, and memory does not grow with the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace picklock {

class LineTable {
 public:
  // Records of irregular length are forgotten past kRunsMax runs, unless all are to be kept.
  static constexpr std::size_t kRunsMax = 1u << 15;
  void keep_all() { most_ = static_cast<std::size_t>(-1); }

  // A record, the last of whose events has this index.  Ascending.
  void add(std::uint32_t index, std::uint64_t line);

  // Nothing: not known, or all stand in one line.
  [[nodiscard]] std::optional<std::uint64_t> line_of(std::uint32_t index) const;

 private:
  // Records at the same distance from each other, in indices and in lines.
  struct Run {
    std::uint32_t index = 0, count = 1, index_step = 0;
    std::uint64_t line = 0;
    std::int64_t line_step = 0;
  };

  std::vector<Run> runs_;
  std::size_t most_ = kRunsMax;
};

}  // namespace picklock
