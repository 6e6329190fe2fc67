// Numbers for the trials that a report refers to, in the order in which they are first named.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "instruments/explain/trial.hpp"

namespace picklock {

class Citations {
 public:
  std::size_t of(const Trial& trial) {  // numbers start at 1
    const auto [place, fresh] = numbers_.try_emplace(trial, trials_.size() + 1);
    if (fresh) trials_.push_back(trial);
    return place->second;
  }
  const std::vector<Trial>& trials() const { return trials_; }

 private:
  std::map<Trial, std::size_t> numbers_;
  std::vector<Trial> trials_;
};

}  // namespace picklock
