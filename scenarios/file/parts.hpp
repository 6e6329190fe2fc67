// The parts of a scenario: each table of its file, as named fields.
//
// Reader, writer, --set, hash and the list of keys all walk over the same parts, so that what one of
// them knows the others know too.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "scenarios/file/scenario.hpp"

namespace picklock {

// Refers to something that has fields().
class AnyFields {
 public:
  template <class T>
  requires(!std::is_same_v<T, AnyFields>) explicit AnyFields(T& object)
      : object_(&object), visit_([](void* o, FieldVisitor& v) { static_cast<T*>(o)->fields(v); }) {}
  void fields(FieldVisitor& v) const { visit_(object_, v); }

 private:
  void* object_;
  void (*visit_)(void*, FieldVisitor&);
};

struct PartInfo {
  std::string_view path{};                        // "clients"; "" is the top level
  std::string_view what{};                        // "a client"
  bool array = false;                             // "clients[0]", "clients[1]", …
  std::span<const std::string_view> required{};   // keys that it needs to have a meaning
  std::string_view shorthand{};                   // `lock = "setnx"` is short for name = "setnx"
  std::string_view kind{};                        // the key that decides which other keys there are
  std::span<const std::string_view> spellings{};  // other names for the part
  std::string_view help{};

  std::string_view last_word() const { return path.substr(path.rfind('.') + 1); }  // "link" of "network.link"
  bool is_called(std::string_view key) const {
    return key == last_word() || std::find(spellings.begin(), spellings.end(), key) != spellings.end();
  }
};

// Parts in the order in which they are written.
std::span<const PartInfo> part_infos();
const PartInfo& part_info(std::string_view path);  // takes "clients", not "clients[0]"

struct ScenarioPart {
  const PartInfo& info;
  std::string path;       // "clients[0]", "expect.mutual-exclusion"
  AnyFields fields;       // the scenario's fields; may be changed
  AnyFields defaults;     // default fields of such a part; only its kind is kept
  std::string_view name;  // name that --set accepts for it: "clients.a"; or nothing
};

// Every part that the scenario has.  All are visited in the order of part_infos.
void for_each_part(Scenario& scenario, const std::function<void(const ScenarioPart&)>& visit);

// Options of a lock, workload or fault that does not say what kind it is are those of its default.
void fill_in_options(Scenario& scenario);

// Gives `to` what in `from` differs from the defaults of its kind, as far as `to` has fields of
// these names and types that may have these values.
void carry_over(AnyOptions from, AnyOptions from_defaults, AnyOptions& to);

std::span<const std::string_view> lock_names();
std::span<const std::string_view> workload_names();
std::span<const std::string_view> fault_names();
std::span<const std::string_view> property_names();
std::span<const std::string_view> sometimes_names();

}  // namespace picklock
