#include "reports/check/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/printable.hpp"
#include "base/shorten.hpp"
#include "base/width.hpp"
#include "checker/models/words.hpp"

namespace picklock {
namespace {

constexpr std::size_t kStep = 11;    // columns from event to event, where few are drawn; more for long names
constexpr std::size_t kWidth = 120;  // aimed at, without the labels
constexpr std::size_t kNarrowStep = 4;

std::string lane_of(const Naming& naming, const OperationEvent& e) {
  const bool numbers =
      e.hold > naming.owners.size() && static_cast<std::uint32_t>(e.process) >= naming.processes.size();
  if (e.hold != kNoHold && numbers) return fmt::format("hold {} of {}", e.hold, e.process);
  return who(naming, e);
}

bool ends_hold(const WitnessHold& h) {
  return h.release && !(h.release_ended && h.release_ended->type == OperationType::fail);
}

// For a lease that may lapse unseen: the last of the events that proves that it had not.
std::optional<OperationEvent> last_proof(const CheckResult& r, const WitnessHold& h) {
  std::optional<OperationEvent> proof;
  for (const OperationEvent& e : r.events) {
    const bool owner = h.acquired.hold != kNoHold ? e.hold == h.acquired.hold : e.process == h.acquired.process;
    if (owner && e.type == OperationType::invoke && e.index > h.acquired.index) proof = e;
  }
  return proof;
}

bool open(const DrawnOperation& o) { return !o.end || o.end->type == OperationType::info; }

// A row of the picture: what stands in each column.  A wide character takes two.
class PictureRow {
 public:
  explicit PictureRow(std::size_t columns) : cells_(columns, " ") {}

  void set(std::size_t at, char c) { cells_[at] = c; }
  bool has(std::size_t at, char c) const { return cells_[at].size() == 1 && cells_[at].front() == c; }
  // Text over what stands there, clipped to the row.
  void put(std::size_t at, std::string_view text) {
    for (const Character& c : characters_of(text)) {
      if (at + c.columns > cells_.size()) return;
      if (c.columns == 0 && at > 0) cells_[at - 1] += c.bytes;
      for (std::size_t i = 0; i < c.columns; ++i) cells_[at + i].clear();
      if (c.columns > 0) cells_[at] = c.bytes;
      at += c.columns;
    }
  }
  void put_in_the_middle(std::size_t from, std::size_t until, std::string_view text) {
    const std::size_t columns = columns_of(text) + 2;
    if (text.empty() || from + columns > until) return;
    put(from + (until - from - columns) / 2, fmt::format(" {} ", text));
  }
  std::string text() const {
    std::string all;
    for (const std::string& cell : cells_) all += cell;
    while (all.ends_with(' ')) all.pop_back();
    return all;
  }

 private:
  std::vector<std::string> cells_;
};

class Picture {
 public:
  Picture(const std::vector<DrawnOperation>& operations, const Naming& naming)
      : operations_(operations), naming_(naming) {
    for (const DrawnOperation& o : operations) {
      add(o.invoke);
      if (o.end) add(*o.end);
      if (o.takes && o.held_until) add(*o.held_until);
      label_ = std::max(label_, columns_of(o.lane));
    }
    std::size_t widest = kStep;
    for (const DrawnOperation& o : operations) widest = std::max(widest, columns_of(o.name) + 4);
    step_ = std::clamp(kWidth / std::max<std::size_t>(points_.size(), 1), kNarrowStep, widest);
    width_ = step_ * points_.size() + 2;
  }

  std::string draw() {
    std::string out = numbers("index", [](const OperationEvent& e) { return std::to_string(e.index); });
    const bool timed =
        std::all_of(points_.begin(), points_.end(), [](const auto& p) { return p.second.time != kNoTime; });
    if (timed) {
      out += numbers("ms", [&](const OperationEvent& e) {
        return fmt::format("{:.3f}", static_cast<double>(naming_.since_origin(e.time)) / 1e6);
      });
    }
    for (const Lane& lane : lanes()) {
      PictureRow row(width_);
      for (const DrawnOperation* const o : lane.operations) operation(row, *o);
      out += line(lane.label, row);
    }
    return out + marks();
  }

 private:
  struct Lane {
    std::string label;
    std::vector<const DrawnOperation*> operations;
    std::size_t busy_until = 0;  // column
  };

  void add(const OperationEvent& e) { points_.emplace(e.index, e); }

  std::size_t column(const OperationEvent& e) const {
    return step_ * static_cast<std::size_t>(std::distance(points_.begin(), points_.find(e.index)));
  }
  std::size_t end_of(const DrawnOperation& o) const {
    if (open(o)) return width_ - 1;
    if (!o.takes) return column(*o.end);
    return o.held_until ? column(*o.held_until) : width_ - 1;
  }

  std::string line(std::string_view label, const PictureRow& row) const {
    const std::string text = row.text();
    return text.empty() ? "" : fmt::format("  {}  {}\n", padded(label, label_), text);
  }

  // Uses as many rows as it takes for no number to touch the next.
  template <class Text>
  std::string numbers(std::string_view label, Text text) const {
    std::vector<PictureRow> rows;
    std::vector<std::size_t> free_from;
    for (const auto& [index, event] : points_) {
      const std::string number = text(event);
      const std::size_t at = column(event);
      std::size_t row = 0;
      while (row < rows.size() && free_from[row] > at) ++row;
      if (row == rows.size()) {
        rows.emplace_back(width_ + 24);
        free_from.push_back(0);
      }
      rows[row].put(at, number);
      free_from[row] = at + number.size() + 1;
    }
    std::string out;
    for (std::size_t i = 0; i < rows.size(); ++i) out += line(i == 0 ? label : "", rows[i]);
    return out;
  }

  // One lane each, in the order of their first operations; a further row where one would hide another.
  std::vector<Lane> lanes() const {
    std::vector<const DrawnOperation*> order;
    for (const DrawnOperation& o : operations_) order.push_back(&o);
    std::stable_sort(order.begin(), order.end(), [](auto* a, auto* b) { return a->invoke.index < b->invoke.index; });
    std::vector<Lane> all;
    for (const DrawnOperation* const o : order) {
      auto lane = std::find_if(all.begin(), all.end(),
                               [&](const Lane& l) { return l.label == o->lane && l.busy_until <= column(o->invoke); });
      if (lane == all.end()) lane = all.insert(all.end(), Lane{o->lane, {}, 0});
      lane->operations.push_back(o);
      lane->busy_until = end_of(*o);
    }
    return all;
  }

  void operation(PictureRow& row, const DrawnOperation& o) const {
    const std::size_t from = column(o.invoke);
    const std::size_t answered = open(o) ? width_ - 1 : column(*o.end);
    for (std::size_t i = from + 1; i < answered; ++i) {
      row.set(i, open(o) && (i - from) % 2 == 0 ? ' ' : '-');
    }
    if (!row.has(from, ']')) row.set(from, '|');
    const std::size_t room = o.takes ? std::min(answered, from + step_) : answered;
    if (from + columns_of(o.name) + 1 < room) row.put(from + 2, o.name);
    if (open(o)) {
      row.set(width_ - 1, '?');
      return;
    }
    if (!o.takes) {
      row.set(answered, o.end->type == OperationType::fail ? 'x' : '|');
      if (!o.note.empty()) row.put(answered + 2, o.note);
      return;
    }
    const std::size_t until = o.held_until ? column(*o.held_until) : width_ - 1;
    for (std::size_t i = answered; i < until; ++i) row.set(i, '=');
    row.set(answered, '[');
    row.set(until, o.held_until ? ']' : '>');
    row.put_in_the_middle(answered + 1, until, o.note);
  }

  std::string marks() const {
    std::size_t from = 0, until = width_, holds = 0;
    for (const DrawnOperation& o : operations_) {
      if (!o.takes) continue;
      ++holds;
      from = std::max(from, column(*o.end));
      until = std::min(until, end_of(o));
    }
    PictureRow row(width_ + 24);
    if (holds >= 2 && from < until) {
      for (std::size_t i = from; i <= until; ++i) row.set(i, '^');
      row.put(until + 2, holds == 2 ? "both hold" : fmt::format("all {} hold", holds));
      return line("", row);
    }
    for (const DrawnOperation& o : operations_) {  // an acquire for which a hold leaves no instant
      if (o.takes || !o.end || o.end->type != OperationType::ok || !o.name.starts_with("acquire")) continue;
      const bool within = std::any_of(operations_.begin(), operations_.end(), [&](const DrawnOperation& h) {
        return h.takes && column(*h.end) < column(o.invoke) && end_of(h) > column(*o.end);
      });
      if (!within) continue;
      for (std::size_t i = column(o.invoke); i <= column(*o.end); ++i) row.set(i, '^');
      row.put(column(*o.end) + 2, "held by another");
      return line("", row);
    }
    // A refusal that no drawn hold explains.
    for (const DrawnOperation& o : operations_) {
      if (!o.end || o.end->type != OperationType::fail || !o.name.starts_with("acquire")) continue;
      const bool held = std::any_of(operations_.begin(), operations_.end(), [&](const DrawnOperation& h) {
        return h.takes && column(*h.end) <= column(*o.end) && end_of(h) >= column(o.invoke);
      });
      if (held) continue;
      for (std::size_t i = column(o.invoke); i <= column(*o.end); ++i) row.set(i, '^');
      row.put(column(*o.end) + 2, "none holds");
      return line("", row);
    }
    return "";
  }

  const std::vector<DrawnOperation>& operations_;
  const Naming& naming_;
  std::map<std::uint32_t, OperationEvent> points_;  // key: index
  std::size_t label_ = 5, step_ = kStep, width_ = 0;
};

// Returns the part that is drawn.
std::string short_text(std::string_view text) {
  constexpr std::size_t kMost = 24;
  return printable(shorten(text, kMost));
}

}  // namespace

std::vector<DrawnOperation> drawn_operations(const CheckResult& r) {
  const auto name = [&](const OperationEvent& e) { return printable(r.tables.names.view(r.tables.functions[e.f])); };
  std::vector<DrawnOperation> all;
  if (r.minimal) {
    for (const PlacedOperation& o : r.minimal->operations)
      all.push_back({lane_of(r.naming, o.invoke), short_text(o.operation), o.invoke, o.end, false, std::nullopt, ""});
  }
  for (const WitnessHold& h : r.holds) {
    DrawnOperation o{lane_of(r.naming, h.acquired), name(h.acquire), h.acquire, h.acquired, true, std::nullopt, ""};
    if (ends_hold(h)) o.held_until = h.release;
    if (h.acquired.token != kNoToken) o.note = fmt::format("token {}", h.acquired.token);
    if (r.model == "lease-mutex" || r.model == "try-lease-mutex") {
      o.held_until = last_proof(r, h);
      o.takes = o.held_until.has_value();
    }
    if (r.model == "fencing-tokens") o.takes = false;  // its grants may overlap, and lapse
    if (o.takes && !o.held_until && !h.release) o.note += o.note.empty() ? "never released" : ", never released";
    all.push_back(o);
    if (h.release && r.model != "fencing-tokens")
      all.push_back(
          {lane_of(r.naming, h.acquired), name(*h.release), *h.release, h.release_ended, false, std::nullopt, ""});
  }
  // A completion belongs to the nearest invoke of its process before it.
  const auto drawn = [&](const OperationEvent& e) {
    return std::any_of(all.begin(), all.end(), [&](const DrawnOperation& o) {
      return o.invoke.index == e.index || (o.end && o.end->index == e.index);
    });
  };
  for (const OperationEvent& e : r.events) {
    if (drawn(e)) continue;
    const auto invoke = std::find_if(all.rbegin(), all.rend(), [&](const DrawnOperation& o) {
      return e.type != OperationType::invoke && o.invoke.process == e.process && !o.end && !o.takes;
    });
    if (invoke != all.rend()) {
      invoke->end = e;
    } else {
      all.push_back({lane_of(r.naming, e), name(e), e, std::nullopt, false, std::nullopt, ""});
      if (e.type != OperationType::invoke) all.back().end = e;
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.invoke.index < b.invoke.index; });
  return all;
}

std::string draw_operations(const std::vector<DrawnOperation>& operations, const Naming& naming) {
  return operations.empty() ? "" : Picture(operations, naming).draw();
}

}  // namespace picklock
