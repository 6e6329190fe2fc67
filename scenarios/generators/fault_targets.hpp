// Targets of a fault: fills the text fields of faults, which call the same thing by the same name.
//
// Self chooses: choose_node() a machine of the space, choose_task(node) one of its tasks or none, choose_link(from, to) the ends of
// a direction, empty: any, and choose_groups() the sides of a partition.
#pragma once

#include <string>

#include "faults/fault_space.hpp"
#include "sim/task/fields.hpp"

namespace picklock {

template <class Self>
class FaultTargets {
 public:
  void operator()(const FieldInfo& f, std::string& v) {
    Self& self = static_cast<Self&>(*this);
    if (f.name == "node") {
      node_ = &self.choose_node();
      v = node_->name;
    } else if (f.name == "task") {
      v = node_ != nullptr ? self.choose_task(*node_) : "";
    } else if (f.name == "from") {
      from_.clear();
      to_.clear();
      self.choose_link(from_, to_);
      v = from_;
    } else if (f.name == "to") {
      v = to_;
    } else if (f.name == "between") {
      v = self.choose_groups();
    }
  }

 private:
  const FaultSpace::Node* node_ = nullptr;  // node in the fault's field before this one
  std::string from_, to_;
};

}  // namespace picklock
