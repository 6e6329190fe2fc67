#include "reports/check/page_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "checker/graph/holds.hpp"
#include "checker/models/words.hpp"

namespace picklock {
namespace {

using nlohmann::json;

struct Call {
  OperationEvent invoke;
  const OperationEvent* end = nullptr;
};

class Columns {
 public:
  Columns(const CheckResult& result, const History& history) : result_(result), h_(history) {}

  json make() {
    pair_up();
    timed_ = std::all_of(h_.operations.begin(), h_.operations.end(),
                         [](const OperationEvent& e) { return e.time != kNoTime; });
    for (const OperationEvent& e : h_.operations) {
      base_ = std::min(base_, when(e));
      last_ = std::max(last_, when(e));
    }
    json out = {{"unit", timed_ ? "ns" : "index"}, {"base", base_}, {"end", last_ - base_}};
    out["ops"] = operations();
    out["lanes"] = lanes_;
    out["functions"] = json::array();
    for (const NameId f : h_.functions) out["functions"].push_back(h_.names.view(f));
    out["holds"] = holds();
    explanation(out);
    out["texts"] = texts_;
    return out;
  }

 private:
  std::int64_t when(const OperationEvent& e) const { return timed_ ? result_.naming.since_origin(e.time) : e.index; }

  void pair_up() {
    std::map<std::int32_t, std::size_t> open;  // key: process
    for (const OperationEvent& e : h_.operations) {
      if (e.process < 0) continue;
      const auto& members = result_.members;
      const bool drawn = members.empty() || e.type != OperationType::invoke ||
                         std::binary_search(members.begin(), members.end(), e.index);
      if (!drawn) {
        open.erase(e.process);
        continue;
      }
      if (e.type == OperationType::invoke) {
        open[e.process] = calls_.size();
        calls_.push_back({e, nullptr});
      } else if (const auto found = open.find(e.process); found != open.end()) {
        calls_[found->second].end = &e;
        open.erase(found);
      }
    }
  }

  int text(const std::string& words) {
    const auto [found, fresh] = text_ids_.emplace(words, static_cast<int>(texts_.size()));
    if (fresh) texts_.push_back(words);
    return found->second;
  }
  int text_of(Value value) { return value.is_nil() ? -1 : text(h_.values.edn(value)); }

  std::size_t lane(const OperationEvent& e) {
    const auto [found, fresh] = lane_ids_.emplace(e.process, lanes_.size());
    if (fresh) {
      const bool named = e.hold != kNoHold && e.hold < h_.holds.size() && h_.holds[e.hold].client != kNoName;
      const std::string process = process_name(result_.naming, e.process);
      const bool again = result_.naming.owners.size() > 0 || result_.naming.processes.size() > 0;
      lanes_.push_back(named && !again ? fmt::format("{} ({})", h_.names.view(h_.holds[e.hold].client), process)
                                       : process);
    }
    return found->second;
  }

  json operations() {
    // Lanes from the smallest process up, clients first.
    std::vector<OperationEvent> firsts;
    for (const Call& c : calls_) firsts.push_back(c.invoke);
    std::stable_sort(firsts.begin(), firsts.end(), [](const auto& a, const auto& b) { return a.process < b.process; });
    for (const OperationEvent& e : firsts) lane(e);
    json c = json::object();
    for (const char* const name :
         {"lane", "f", "from", "to", "end", "invoked", "ended", "value", "answer", "token", "object", "hold"}) {
      c[name] = json::array();
    }
    for (const Call& call : calls_) {
      const OperationEvent& i = call.invoke;
      const OperationEvent* const e = call.end;
      c["lane"].push_back(lane(i));
      c["f"].push_back(i.f);
      c["from"].push_back(when(i) - base_);
      c["to"].push_back(e == nullptr || e->type == OperationType::info ? -1 : when(*e) - base_);
      c["end"].push_back(e == nullptr ? 0 : static_cast<int>(e->type));
      c["invoked"].push_back(i.index);
      c["ended"].push_back(e == nullptr ? json(-1) : json(e->index));
      c["value"].push_back(text_of(i.value));
      c["answer"].push_back(e == nullptr || e->value == i.value ? -1 : text_of(e->value));
      const std::int64_t token = e != nullptr && e->token != kNoToken ? e->token : i.token;
      c["token"].push_back(token == kNoToken ? -1 : text(std::to_string(token)));
      c["object"].push_back(i.object == kNoName ? -1 : text(std::string(h_.names.view(i.object))));
      c["hold"].push_back(i.hold);
    }
    return c;
  }

  json holds() {
    json all = json::array();
    if (result_.model == "fencing-tokens") return all;  // its grants may overlap, and lapse
    HoldEnds ends = HoldEnds::when_released;
    if (result_.model == "lease-mutex" || result_.model == "try-lease-mutex") ends = HoldEnds::when_last_proved;
    if (result_.model.find("ownerless") != std::string::npos) ends = HoldEnds::when_anyone_releases;
    for (const WitnessHold& h : holds_in(h_, ends)) {
      all.push_back({lane(h.acquire), when(h.acquired) - base_, h.release ? json(when(*h.release) - base_) : json(-1),
                     h.acquire.index});
    }
    return all;
  }

  void explanation(json& out) {
    out["witness"] = json::array();
    for (const OperationEvent& e : result_.events) out["witness"].push_back(e.index);
    for (const WitnessHold& h : result_.holds) out["witness"].push_back(h.acquired.index);
    out["placed"] = json::array();
    out["stuck"] = -1;
    out["omitted"] = 0;
    out["initial"] = "";
    if (!result_.partial) return;
    const PartialLinearization& p = *result_.partial;
    for (const PlacedOperation& o : p.placed) {
      out["placed"].push_back({{"index", o.invoke.index}, {"operation", o.operation}, {"state", o.state}});
    }
    out["stuck"] = p.stuck.invoke.index;
    out["omitted"] = p.omitted;
    out["initial"] = p.initial;
  }

  const CheckResult& result_;
  const History& h_;
  std::vector<Call> calls_;
  bool timed_ = false;
  std::int64_t base_ = 0, last_ = 0;
  std::vector<std::string> lanes_, texts_;
  std::map<std::int32_t, std::size_t> lane_ids_;
  std::map<std::string, int> text_ids_;
};

}  // namespace

std::string page_data(const CheckResult& result, const History& history) {
  return Columns(result, history).make().dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace picklock
