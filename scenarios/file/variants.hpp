// The twins that a scenario's file tells of: [variant.NAME].
#pragma once

#include <toml++/toml.h>

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/file/read.hpp"
#include "scenarios/file/table_reader.hpp"

namespace picklock {

// Each is the file's scenario, which has been read, with its settings applied: first arrays of tables, which stand in
// place of the file's, then names and kinds, then all others in the order of the file.
void read_variants(const toml::table& root, std::string_view text, ScenarioFile& file, FileComplaints& complaints);

// tags = ["redis", "redisson-5929"]: words of small letters, digits, '-', '_' and '.'.
std::vector<std::string> read_tags(const toml::table& table, FileComplaints& complaints);

// The lines directly above this one (from 1) that begin with '#', each without its "# ".
std::string comment_above(std::string_view text, std::size_t line);

}  // namespace picklock
