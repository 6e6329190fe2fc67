// The tables of a scenario that belong to services, such as [redis] and [etcd], as typed values.
//
//   scenario.services.of<EtcdSpec>().server.election = milliseconds(200);
//
// A table of which the scenario says nothing has its defaults and takes no room.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "sim/task/fields.hpp"

namespace picklock {

// One table of the file, of one service.
struct ServiceTable {
  std::string_view name;  // "redis": the file says [redis]
  std::string_view help;  // a sentence
  std::unique_ptr<Options> (*default_options)();
};

// The name of the table that holds a T: specialise it beside the type.
template <class T>
inline constexpr std::string_view kServiceTable = {};

template <class T>
constexpr ServiceTable service_table(std::string_view help) {
  return {kServiceTable<T>, help, []() -> std::unique_ptr<Options> { return std::make_unique<OptionsOf<T>>(); }};
}

class ServiceSettings {
 public:
  template <class T>
  const T& of() const {
    static_assert(!kServiceTable<T>.empty(), "no service has a table of this type");
    static const T kUnsaid;
    const auto found = tables_.find(kServiceTable<T>);
    return found == tables_.end() ? kUnsaid : found->second.template as<T>();
  }
  template <class T>
  T& of() {
    static_assert(!kServiceTable<T>.empty(), "no service has a table of this type");
    auto found = tables_.find(kServiceTable<T>);
    if (found == tables_.end()) found = tables_.emplace(kServiceTable<T>, AnyOptions::of(T{})).first;
    return found->second.template as<T>();
  }
  // The table of this name; made with its defaults if nothing was said of it.
  AnyOptions& table(const ServiceTable& table);

  bool operator==(const ServiceSettings& other) const;  // true: the same values in all tables, given or default

 private:
  bool says_what(const ServiceSettings& other) const;

  std::map<std::string, AnyOptions, std::less<>> tables_;  // tables made so far
};

}  // namespace picklock
