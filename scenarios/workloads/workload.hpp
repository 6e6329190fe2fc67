// Workloads: what clients do with a lock, and what they do to the resource it protects.
//
// Every client does the same: think, acquire, work in its critical section, release.  A workload is
// the critical section.  `hold` is work, not a timer: a pause prolongs it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/lock.hpp"
#include "scenarios/recording/journal.hpp"
#include "sim/storage/storage.hpp"
#include "sim/task/fields.hpp"

namespace picklock {

struct WorkloadSpec {
  std::string kind = "counter";
  AnyOptions options;  // options of that kind
  bool operator==(const WorkloadSpec&) const = default;
};

// The stores in which a process finds the resources.
struct Stores {
  Storage storage;
  // A workload that keeps them in the lock's own service reaches them as the locks of the process do:
  Reach reach = {};
  ProcessLocals* process = nullptr;
};

// One client's hold, as its critical section sees it.  Lives for one critical section.
struct Section {
  World& world;
  Host host;
  Stores stores;
  const Hold& hold;
  std::uint32_t hold_id;
  std::int32_t process;
  Law work;                         // length of the work in a section
  std::string_view lock_name = {};  // name of the lock that protects the resources
  ResourceId first_resource = 0;    // first resource of this lock; a body counts its resources from 0
  bool reader = false;              // true: the lock is held beside other readers
  bool swallows_errors = false;     // Lock::swallows_errors

  Fence fence() const { return Fence{hold.token, reader}; }
};

// The body of a critical section.  It records its own operations (read, write, append) through the
// functions below, so that every request to the resource stands in the history.
class Workload {
 public:
  virtual ~Workload() = default;
  virtual Task<void> run(Section& section) = 0;
  // Reads a resource as it stands.
  virtual Task<Outcome<Stored>> look(Host host, Stores stores, ResourceId resource, Fence fence) const;
};

// The place of resources that are kept in the lock's own service, beside the lock.
struct KeptIn {
  std::string_view service;           // LockKind::service
  std::string (*key_of)(ResourceId);  // key of a resource at the service
};

struct WorkloadKind {
  std::string_view name;
  std::string_view summary;
  bool sells_seats;               // every acknowledged write to a resource is the sale of a seat
  std::optional<KeptIn> kept_in;  // place in the lock's service; none: the resources are in the storage
  std::unique_ptr<Options> (*default_options)();
  // A workload may be used by all clients of a run at once: it keeps no state of its own.
  std::unique_ptr<Workload> (*make)(const Options&);
};

std::span<const WorkloadKind> workload_kinds();
const WorkloadKind* find_workload_kind(std::string_view name);

// The section of a reader: it reads twice, with the work between.
Task<void> read_only_section(Section& section);

// Workloads that send their requests themselves call this: a request stands in the history when it begins and ends.
void record_operation(const Section& s, Function f, OperationEnd end, ResourceId resource, std::int64_t value);
void record_end(const Section& s, Function f, ResourceId resource, const Outcome<Stored>& outcome, std::int64_t value);
// A value that tells in whose hold it was written.
std::int64_t unique_item(const Section& s, std::int64_t n);

// A request to the resource on behalf of a hold: it stands in the history when it begins and ends.
class [[nodiscard]] RecordedRequest {
 public:
  // `make` gives the request; `value`: what it writes.
  template <class Make>
  RecordedRequest(Section& section, Function f, ResourceId resource, std::int64_t value, Make&& make)
      : section_(section), verb_(make()), value_(value), resource_(resource), function_(f) {}

  bool await_ready() const { return verb_.await_ready(); }
  void await_suspend(std::coroutine_handle<> me) {
    record_operation(section_, function_, OperationEnd::invoked, resource_, value_);
    verb_.await_suspend(me);
  }
  Outcome<Stored> await_resume() {
    Outcome<Stored> outcome = verb_.await_resume();
    const bool has_read = function_ == Function::read && outcome.yes();
    record_end(section_, function_, resource_, outcome, has_read ? outcome.value().number() : value_);
    return outcome;
  }

 private:
  Section& section_;
  Storage::Verb verb_;
  std::int64_t value_;
  ResourceId resource_;
  Function function_;
};

inline RecordedRequest recorded_read(Section& s, ResourceId resource) {
  return RecordedRequest(s, Function::read, resource, kNoValue,
                         [&] { return s.stores.storage.read(s.first_resource + resource, s.fence()); });
}
inline RecordedRequest recorded_write(Section& s, ResourceId resource, std::span<const std::int64_t> items,
                                      std::uint64_t read_version) {
  return RecordedRequest(s, Function::write, resource, items.empty() ? kNoValue : items.back(), [&] {
    return s.stores.storage.write(s.first_resource + resource, items, read_version, s.fence());
  });
}
inline RecordedRequest recorded_append(Section& s, ResourceId resource, std::int64_t item) {
  return RecordedRequest(s, Function::append, resource, item,
                         [&] { return s.stores.storage.append(s.first_resource + resource, item, s.fence()); });
}

}  // namespace picklock
