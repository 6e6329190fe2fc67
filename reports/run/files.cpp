#include "reports/run/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/files.hpp"
#include "checker/io/history_writer.hpp"
#include "faults/journal.hpp"
#include "reports/run/freed.hpp"
#include "scenarios/file/write.hpp"
#include "scenarios/recording/journal.hpp"
#include "scenarios/services/service.hpp"
#include "sim/core/world.hpp"
#include "sim/storage/server.hpp"

namespace picklock {
namespace {

std::vector<TraceKindInfo> all_kinds() {
  std::vector<TraceKindInfo> all;
  const auto add = [&](const auto& kinds) { all.insert(all.end(), kinds.begin(), kinds.end()); };
  add(trace::core_kinds());
  add(trace::storage_kinds());
  for (const ServiceKind* const service : services()) add(service->trace_kinds());
  add(trace::journal_kinds());
  add(trace::fault_trace_kinds());
  return all;
}

}  // namespace

std::string trace_text(const RunRecord& record) {
  const std::vector<TraceKindInfo> kinds = all_kinds();
  std::string out;
  for (const TraceRecord& r : record.full_trace()) {
    const auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const TraceKindInfo& k) { return k.kind == r.kind; });
    out += fmt::format("{:>15} {:<10} ", r.time, record.machines()[r.node]);
    if (kind == kinds.end()) {
      out += fmt::format("kind-{} {} {} {}\n", r.kind, r.a, r.b, r.c);
      continue;
    }
    out += kind->name;
    if (!kind->a.empty()) out += fmt::format(" {}={}", kind->a, r.a);
    if (!kind->b.empty()) out += fmt::format(" {}={}", kind->b, static_cast<std::int64_t>(r.b));
    if (!kind->c.empty()) out += fmt::format(" {}={}", kind->c, static_cast<std::int64_t>(r.c));
    if (r.kind == trace::mark_passed) {
      constexpr std::string_view kSides[] = {"", "before ", "after "};
      out += fmt::format("  ({}{})", kSides[r.b % 3], name_of(Mark{static_cast<std::uint16_t>(r.a)}));
    }
    if (r.kind == trace::process_panicked) out += fmt::format("  ({})", record.last_words.at(r.b));
    out += '\n';
  }
  return out;
}

std::string draws_text(const RunRecord& record) {
  std::string out;
  for (const RecordedDraw& d : record.draws) out += fmt::format("{:>15} {} = {}\n", d.time.ns, d.name, d.value);
  return out;
}

void write_run_files(const std::string& folder, const RunRecord& record, const std::string& json,
                     const std::string& story) {
  make_folder(folder);
  const auto path = [&](std::string_view name) { return fmt::format("{}/{}", folder, name); };
  write_file(path("scenario.toml"), write_scenario(record.scenario()));
  WriteOptions as_json;
  as_json.format = Format::json;
  write_file(path("history.edn"), write_history_text(record.history()));
  write_file(path("history.json"), write_history_text(record.history(), as_json));
  write_file(path("result.json"), json);
  write_file(path("story.txt"), story);
  const std::vector<TraceRecord>& records = record.full_trace();
  write_file(path("trace.bin"), {reinterpret_cast<const char*>(records.data()), records.size() * sizeof(TraceRecord)});
  write_file(path("trace.txt"), trace_text(record));
  write_file(path("draws.txt"), draws_text(record));
  write_file(path("freed_by_timeout.tsv"), freed_table(record.history()));
}

}  // namespace picklock
