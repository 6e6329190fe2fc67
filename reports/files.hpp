// The files of `--out DIR`: each is written whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "scenarios/run/run.hpp"

namespace picklock {

// Replaces `path` by `content` in one step.  Throws std::runtime_error, with the path and the reason.
void write_file(const std::string& path, std::string_view content);

// Creates the folder, and those above it, if it is not there.  Throws std::runtime_error if it cannot.
void make_folder(const std::string& path);

// scenario.toml history.edn history.json result.json story.txt trace.txt trace.bin draws.txt
void write_run_files(const std::string& folder, Runner& runner, const RunResult& result, const std::string& json,
                     const std::string& story);

// The trace of the last run, one line a record, with names.  Needs RecordOptions::full_trace.
std::string trace_text(Runner& runner);
// Every draw of the last run: time, name, value.  Needs RecordOptions::draws.
std::string draws_text(Runner& runner);

}  // namespace picklock
