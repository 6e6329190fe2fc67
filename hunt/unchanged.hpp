// A visitor that leaves all fields alone: the base of those that change one kind.
#pragma once

#include "sim/task/fields.hpp"

namespace picklock {

class Unchanged : public FieldVisitor {
 public:
  virtual ~Unchanged() = default;
  void field(const FieldInfo&, bool&) override {}
  void field(const FieldInfo&, std::int64_t&) override {}
  void field(const FieldInfo&, Duration&) override {}
  void field(const FieldInfo&, std::optional<Duration>&) override {}
  void field(const FieldInfo&, Law&) override {}
  void field(const FieldInfo&, std::string&) override {}
  void choice(const FieldInfo&, std::span<const std::string_view>, std::size_t&) override {}
};

}  // namespace picklock
