#include "checker/properties/lost_update.hpp"

#include <algorithm>
#include <limits>

#include "checker/properties/final_read.hpp"
#include "checker/properties/words.hpp"

namespace picklock {
namespace {

constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

struct Write {
  std::size_t resource = 0;
  std::uint64_t version = 0;
  std::uint32_t position = 0;  // index in History::effects
};

struct Reader {
  std::uint64_t version = kNone;  // the oldest that a write of this hold was computed from
  HoldId hold = kNoHold;
};

// The writes with greater versions that were computed from the oldest ones: the best of all, and
// the best of any other hold.
class OldestReads {
 public:
  void add(Reader reader) {
    if (reader.hold == best_.hold && best_.version != kNone) {
      best_.version = std::min(best_.version, reader.version);
    } else if (reader.version < best_.version) {
      second_ = best_;
      best_ = reader;
    } else if (reader.version < second_.version) {
      second_ = reader;
    }
  }
  [[nodiscard]] std::uint64_t of_others(HoldId hold) const {
    return best_.hold == hold ? second_.version : best_.version;
  }

 private:
  Reader best_;
  Reader second_;
};

std::span<Write> writes_by_version(const History& history, Scratch& scratch) {
  const auto all = scratch.workspace.table<Write>(history.effects.size());
  std::size_t size = 0;
  for (std::uint32_t i = 0; i < history.effects.size(); ++i) {
    const EffectEvent& e = history.effects[i];
    if (e.kind == EffectKind::write) all[size++] = Write{slot(e.resource), e.version, i};
  }
  const auto writes = all.first(size);
  const auto before = [](const Write& a, const Write& b) {
    if (a.resource != b.resource) return a.resource < b.resource;
    if (a.version != b.version) return a.version < b.version;
    return a.position < b.position;
  };
  if (!std::is_sorted(writes.begin(), writes.end(), before)) {
    std::sort(writes.begin(), writes.end(), before);
  }
  return writes;
}

bool overwrites(const EffectEvent& w, const EffectEvent& lost) {
  return w.kind == EffectKind::write && w.depends_on_read && w.resource == lost.resource && w.hold != lost.hold &&
         w.read_version < lost.version && lost.version < w.version;
}

// Goes from the newest version down: a write is lost if one above it, of another hold, read below it.
Finding judge_effects(const History& history, Scratch& scratch) {
  const auto writes = writes_by_version(history, scratch);
  Finding finding;
  std::uint32_t first_lost = kNowhere;
  OldestReads above;
  for (std::size_t end = writes.size(); end > 0;) {
    const Write& top = writes[end - 1];
    if (end < writes.size() && writes[end].resource != top.resource) above = OldestReads{};
    std::size_t begin = end;
    while (begin > 0 && writes[begin - 1].resource == top.resource && writes[begin - 1].version == top.version) {
      const EffectEvent& e = history.effects[writes[--begin].position];
      if (!e.acknowledged || above.of_others(e.hold) >= e.version) continue;
      ++finding.measure;
      first_lost = std::min(first_lost, writes[begin].position);
    }
    for (std::size_t i = begin; i < end; ++i) {
      const EffectEvent& e = history.effects[writes[i].position];
      if (e.depends_on_read) above.add(Reader{e.read_version, e.hold});
    }
    end = begin;
  }
  for (std::uint32_t i = 0; i < history.effects.size(); ++i) {
    const EffectEvent& e = history.effects[i];
    if (e.kind != EffectKind::refused_write || !e.acknowledged || e.hold == kNoHold) continue;
    ++finding.measure;
    first_lost = std::min(first_lost, i);
  }
  if (finding.measure == 0) return finding;
  finding.verdict = Verdict::violated;
  const EffectEvent& lost = history.effects[first_lost];
  if (lost.kind == EffectKind::refused_write) {
    finding.witness.add_hold(lost.hold);
    finding.witness.add_event(lost.index);
    return finding;
  }
  const auto by = std::find_if(history.effects.begin(), history.effects.end(),
                               [&](const EffectEvent& e) { return overwrites(e, lost); });
  finding.witness.add_hold(lost.hold);
  finding.witness.add_hold(by->hold);
  finding.witness.add_event(lost.index);
  finding.witness.add_event(by->index);
  return finding;
}

}  // namespace

Finding lost_update(const History& history, const JudgeOptions& options, Scratch& scratch) {
  if (options.permits > 1) return not_applicable(Reason::several_permits);
  if (!history.omniscient) return judge_final_reads(history, scratch);
  return scratch.signs.write_unseen ? judge_effects(history, scratch) : Finding{};
}

std::string explain_lost_update(const Finding& finding, const History& history, const JudgeOptions&) {
  if (!history.omniscient) return explain_final_reads(finding, history);
  const EffectEvent* const lost = find_record(history.effects, finding.witness.events[0]);
  if (lost->kind == EffectKind::refused_write) {
    std::string text = "the write of " + who(history, lost->hold) + " at " + in_milliseconds(lost->time) + " to " +
                       name_of(history, lost->resource, "the resource") +
                       " was refused, and its caller was told that it succeeded";
    if (finding.measure > 1) text += "; " + count(finding.measure, "acknowledged write") + " were lost in all";
    return text;
  }
  const EffectEvent* const by = find_record(history.effects, finding.witness.events[1]);
  std::string text =
      "the write of " + who(history, lost->hold) + " at " + in_milliseconds(lost->time) + ", which made version " +
      std::to_string(lost->version) + " of " + name_of(history, lost->resource, "the resource") +
      " and was acknowledged, is lost: " + who(history, by->hold) + " made version " + std::to_string(by->version) +
      " at " + in_milliseconds(by->time) + " out of version " + std::to_string(by->read_version);
  if (finding.measure > 1) {
    text += "; " + count(finding.measure, "acknowledged write") + " were lost in all";
  }
  return text;
}

}  // namespace picklock
