#include "checker/properties/final_read.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "checker/properties/words.hpp"

namespace picklock {
namespace {

bool is_collection(std::string_view edn) {
  return edn.starts_with("[") || edn.starts_with("(") || edn.starts_with("#{");
}

// The elements of a collection in canonical EDN, sorted.
std::vector<std::string_view> elements(std::string_view edn) {
  std::vector<std::string_view> found;
  const std::size_t open = edn.find_first_of("[({");
  std::size_t start = open + 1;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = start; i < edn.size(); ++i) {
    const char c = edn[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '\\') ++i;  // a character literal
    if (c == '[' || c == '(' || c == '{') ++depth;
    const bool closes = c == ']' || c == ')' || c == '}';
    if (depth == 0 && (closes || c == ' ' || c == ',')) {
      if (i > start) found.push_back(edn.substr(start, i - start));
      start = i + 1;
      if (closes) break;
    } else if (closes) {
      --depth;
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Positions of the two ends of the final read of each object, by slot.
struct FinalRead {
  std::uint32_t invoked = kNowhere;
  std::uint32_t returned = kNowhere;
};

}  // namespace

Finding judge_final_reads(const History& history, Scratch& scratch) {
  const auto& operations = history.operations;
  const auto reads = scratch.workspace.table<FinalRead>(slots(history.names));
  bool any = false;
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    const OperationEvent& e = operations[i];
    if (e.type != OperationType::ok || scratch.role(e) != Role::read) continue;
    const bool collection = e.value.is_text() && is_collection(history.values.text(e.value));
    reads[slot(e.object)] =
        collection && scratch.partner[i] != kNowhere ? FinalRead{scratch.partner[i], i} : FinalRead{};
    any = any || collection;
  }
  if (!any) return not_applicable(Reason::needs_final_read);

  Finding finding;
  std::vector<std::vector<std::string_view>> found(reads.size());
  for (std::size_t object = 0; object < reads.size(); ++object) {
    if (reads[object].returned == kNowhere) continue;
    found[object] = elements(history.values.text(operations[reads[object].returned].value));
  }
  std::string text;
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    const OperationEvent& e = operations[i];
    if (e.type != OperationType::ok || scratch.role(e) != Role::add) continue;
    const FinalRead& read = reads[slot(e.object)];
    if (read.returned == kNowhere || i > read.invoked) continue;
    text.clear();
    history.values.append_to(text, e.value);
    const auto& present = found[slot(e.object)];
    if (std::binary_search(present.begin(), present.end(), std::string_view(text))) continue;
    if (finding.measure++ > 0) continue;
    finding.verdict = Verdict::violated;
    if (e.hold != kNoHold) finding.witness.add_hold(e.hold);
    finding.witness.add_event(e.index);
    finding.witness.add_event(operations[read.returned].index);
  }
  return finding;
}

std::string explain_final_reads(const Finding& finding, const History& history) {
  const OperationEvent* const added = find_record(history.operations, finding.witness.events[0]);
  const OperationEvent* const read = find_record(history.operations, finding.witness.events[1]);
  std::string text = "the addition of " + history.values.edn(added->value) + " by process " +
                     std::to_string(added->process) + ", acknowledged at index " + std::to_string(added->index) +
                     ", is absent from the final read at index " + std::to_string(read->index);
  if (finding.measure > 1) text += "; " + count(finding.measure, "addition") + " are lost in all";
  return text;
}

}  // namespace picklock
