#include "reports/run/scene_perfetto.hpp"

#include <nlohmann/json.hpp>

namespace picklock {

std::string scene_perfetto(const Scene& scene) {
  using nlohmann::ordered_json;
  constexpr const char* kBarNames[kBarKinds] = {"waits",
                                                "believes that it holds",
                                                "believes, and waits for a lock",
                                                "still promised to ",
                                                "owned by ",
                                                "overdue: ",
                                                "names ",
                                                "leads: ",
                                                "clock: ",
                                                "stopped",
                                                "stopped, believing",
                                                "dead",
                                                "the fault lasts",
                                                "both in"};
  constexpr const char* kMarkNames[] = {"read", "write", "read refused", "write refused", "the fault strikes"};
  const auto microseconds = [](std::int64_t ns) { return static_cast<double>(ns) / 1e3; };
  ordered_json events = ordered_json::array();
  events.push_back({{"name", "process_name"}, {"ph", "M"}, {"pid", 1}, {"tid", 0}, {"args", {{"name", scene.title}}}});
  for (std::size_t i = 0; i < scene.rows.size(); ++i) {
    const SceneRow& row = scene.rows[i];
    const std::size_t thread = i + 1;
    events.push_back(
        {{"name", "thread_name"}, {"ph", "M"}, {"pid", 1}, {"tid", thread}, {"args", {{"name", row.label}}}});
    events.push_back(
        {{"name", "thread_sort_index"}, {"ph", "M"}, {"pid", 1}, {"tid", thread}, {"args", {{"sort_index", thread}}}});
    for (const Bar& b : row.bars) {
      events.push_back({{"name", kBarNames[static_cast<int>(b.kind)] + b.text},
                        {"ph", "X"},
                        {"pid", 1},
                        {"tid", thread},
                        {"ts", microseconds(b.from)},
                        {"dur", microseconds(b.until - b.from)}});
    }
    for (const SceneMark& m : row.marks) {
      events.push_back({{"name", kMarkNames[static_cast<int>(m.kind)]},
                        {"ph", "i"},
                        {"s", "t"},
                        {"pid", 1},
                        {"tid", thread},
                        {"ts", microseconds(m.time)}});
    }
  }
  const ordered_json document = {{"displayTimeUnit", "ms"}, {"traceEvents", events}};
  return document.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace picklock
