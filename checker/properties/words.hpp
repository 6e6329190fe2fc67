// Names, times and records for explanations in words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "checker/history.hpp"

namespace picklock {

// Runs from `from` up to, and without, `until`; ns of true time.
struct Interval {
  std::int64_t from = 0;
  std::int64_t until = 0;
};

std::string in_milliseconds(std::int64_t ns);              // "57.3 ms", "0.012 ms", "850 ns"
std::string count(std::int64_t number, const char* noun);  // "1 write", "3 writes"

std::string client_name(const History& history, HoldId hold);  // "a", or "process 3"
std::string who(const History& history, HoldId hold);          // "a (hold 1)"
std::string lock_held(const History& history, HoldId hold);    // "L", or "the lock"
std::string name_of(const History& history, NameId id, const char* otherwise);

// Time of the record of this index: operation, grant, belief or process event; 0 if there is none.
std::int64_t time_of_record(const History& history, std::uint32_t index);

// Time for which the processes of a client did not run.
std::int64_t stopped_during(const History& history, NameId client, Interval interval);

// The record of this index; nullptr if there is none of this kind.
template <class Records>
const typename Records::value_type* find_record(const Records& records, std::uint32_t index) {
  const auto place = std::lower_bound(records.begin(), records.end(), index,
                                      [](const auto& record, std::uint32_t i) { return record.index < i; });
  return place != records.end() && place->index == index ? &*place : nullptr;
}

}  // namespace picklock
