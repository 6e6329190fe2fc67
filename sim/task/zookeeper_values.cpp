#include "sim/task/zookeeper_values.hpp"

#include <array>

namespace picklock {

std::string_view to_string(ZooCode code) {
  switch (code) {
    case ZooCode::ok:
      return "OK";
    case ZooCode::runtime_inconsistency:
      return "RuntimeInconsistency";
    case ZooCode::connection_loss:
      return "ConnectionLoss";
    case ZooCode::operation_timeout:
      return "OperationTimeout";
    case ZooCode::bad_arguments:
      return "BadArguments";
    case ZooCode::no_node:
      return "NoNode";
    case ZooCode::bad_version:
      return "BadVersion";
    case ZooCode::no_children_for_ephemerals:
      return "NoChildrenForEphemerals";
    case ZooCode::node_exists:
      return "NodeExists";
    case ZooCode::not_empty:
      return "NotEmpty";
    case ZooCode::session_expired:
      return "SessionExpired";
    case ZooCode::session_moved:
      return "SessionMoved";
  }
  return "unknown";
}

std::string_view to_string(ZooEventType type) {
  constexpr std::array<std::string_view, 5> kNames = {"none", "created", "deleted", "data-changed", "children-changed"};
  return kNames[static_cast<std::size_t>(type)];
}

}  // namespace picklock
