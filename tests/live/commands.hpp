// The command that made a row of a page, and that anybody can repeat.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "campaigns/campaign.hpp"

namespace picklock::live {

struct Command {
  const char* what;
  const char* scenario;
  const char* lock;  // empty: the scenario's
  std::vector<const char*> settings;
  std::uint64_t runs = 10;
};

// As the user would type it, without the options that say what to print.
std::string command_line(const Command& command);
// Throws std::runtime_error if the library does not know it.
CampaignResult play(const Command& command, bool costs);

// For tables: in ms to the hundredth; the share of each one, to the hundredth.
std::string ms(std::int64_t ns);
std::string each(std::uint64_t n, std::uint64_t of);

}  // namespace picklock::live
