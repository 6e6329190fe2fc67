// The files of `--out DIR`: each is written whole or not at all.
#pragma once

#include <string>

#include "base/files.hpp"
#include "scenarios/run/record.hpp"

namespace picklock {

// scenario.toml history.edn history.json result.json story.txt trace.txt trace.bin draws.txt freed_by_timeout.tsv
void write_run_files(const std::string& folder, const RunRecord& record, const std::string& json,
                     const std::string& story);

// The trace, one line a record, with names.  Needs RecordOptions::full_trace.
std::string trace_text(const RunRecord& record);
// Every draw: time, name, value.  Needs RecordOptions::draws.
std::string draws_text(const RunRecord& record);

}  // namespace picklock
