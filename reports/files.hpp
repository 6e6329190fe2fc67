// The files of `--out DIR`: each is written whole or not at all.
#pragma once

#include <string>

#include "base/files.hpp"
#include "scenarios/run/run.hpp"

namespace picklock {

// scenario.toml history.edn history.json result.json story.txt trace.txt trace.bin draws.txt freed_by_timeout.tsv
void write_run_files(const std::string& folder, Runner& runner, const RunResult& result, const std::string& json,
                     const std::string& story);

// The trace of the last run, one line a record, with names.  Needs RecordOptions::full_trace.
std::string trace_text(Runner& runner);
// Every draw of the last run: time, name, value.  Needs RecordOptions::draws.
std::string draws_text(Runner& runner);

}  // namespace picklock
