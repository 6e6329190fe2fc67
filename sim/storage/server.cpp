#include "sim/storage/server.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace picklock {
namespace {

constexpr std::string_view kLogName = "storage.log";
constexpr std::int64_t kNoTokenYet = std::numeric_limits<std::int64_t>::min();
constexpr std::size_t kMostItems = 1 << 16;

using storage_wire::Answer;
using storage_wire::Verb;

struct Resource {
  std::uint64_t version = 0;
  std::int64_t newest_token = kNoTokenYet;  // newest token of a write hold
  std::vector<std::int64_t> items;
};

// One line of the log, followed by the items.
struct LogEntry {
  std::uint64_t version = 0;
  std::int64_t newest_token = 0;
  std::uint32_t resource = 0;
  std::uint32_t items = 0;
};
static_assert(std::has_unique_object_representations_v<LogEntry>);

class Shelf {  // all resources; volatile, rebuilt from the log
 public:
  Resource& at(ResourceId id) {
    if (id >= resources_.size()) resources_.resize(id + std::size_t{1});
    return resources_[id];
  }
  std::size_t size() const { return resources_.size(); }

  static std::string entry(ResourceId id, const Resource& r) {
    const LogEntry head{r.version, r.newest_token, id, static_cast<std::uint32_t>(r.items.size())};
    const std::size_t items = r.items.size() * sizeof(std::int64_t);
    std::string bytes;
    bytes.reserve(sizeof head + items);
    bytes.append(reinterpret_cast<const char*>(&head), sizeof head);
    bytes.append(reinterpret_cast<const char*>(r.items.data()), items);
    return bytes;
  }
  void load(std::string_view log) {
    LogEntry head;
    while (log.size() >= sizeof head) {
      std::memcpy(&head, log.data(), sizeof head);
      log.remove_prefix(sizeof head);
      const std::size_t bytes = head.items * sizeof(std::int64_t);
      if (log.size() < bytes) return;  // cut off by a crash: never acknowledged
      Resource& r = at(head.resource);
      r.version = head.version;
      r.newest_token = head.newest_token;
      r.items.resize(head.items);
      if (bytes != 0) std::memcpy(r.items.data(), log.data(), bytes);
      log.remove_prefix(bytes);
    }
  }

 private:
  std::vector<Resource> resources_;
};

// The check-and-set of unique tokens: the last reader may write.
bool admit_by_claim(const storage_wire::Request& request, Resource& r) {
  if (!request.has_token) return r.newest_token == kNoTokenYet;
  if (request.verb != Verb::read) return request.token == r.newest_token;
  if (!request.shared) r.newest_token = request.token;
  return true;
}

// May this request pass? Remembers its token if so.
bool admit(const StorageOptions& options, const storage_wire::Request& request, Resource& r) {
  if (options.fence == FenceMode::claims) return admit_by_claim(request, r);
  const bool guarded = options.fence == FenceMode::reads_and_writes ||
                       (options.fence == FenceMode::writes && request.verb != Verb::read);
  if (!guarded) return true;
  if (!request.has_token) return r.newest_token == kNoTokenYet;
  if (request.token < r.newest_token) return false;
  if (options.strict && !request.shared && request.token == r.newest_token) return false;
  if (!request.shared) r.newest_token = std::max(r.newest_token, request.token);
  return true;
}

struct Parsed {
  storage_wire::Request head;
  std::string_view items;
  bool valid = false;
};

Parsed parse(std::string_view bytes) {
  Parsed p;
  if (bytes.size() < sizeof p.head || (bytes.size() - sizeof p.head) % sizeof(std::int64_t) != 0) return p;
  std::memcpy(&p.head, bytes.data(), sizeof p.head);
  p.items = bytes.substr(sizeof p.head);
  constexpr ResourceId kMostResources = 1 << 16;
  p.valid = p.head.verb <= Verb::compare_and_set && p.head.resource < kMostResources &&
            p.items.size() / sizeof(std::int64_t) <= kMostItems;
  return p;
}

void apply(const Parsed& p, Resource& r) {
  const std::size_t before = p.head.verb == Verb::append ? r.items.size() : 0;
  r.items.resize(before + p.items.size() / sizeof(std::int64_t));
  if (!p.items.empty()) std::memcpy(r.items.data() + before, p.items.data(), p.items.size());
  ++r.version;
}

void answer(const Service& service, const Message& request, Answer how, const Resource& r, bool with_items) {
  const storage_wire::Reply head{r.version, static_cast<std::uint64_t>(how)};
  const std::size_t items = with_items ? r.items.size() * sizeof(std::int64_t) : 0;
  Payload bytes(service.world().tasks.arena(), sizeof head + items);
  std::memcpy(bytes.data(), &head, sizeof head);
  if (items != 0) std::memcpy(bytes.data() + sizeof head, r.items.data(), items);
  service.reply(request, std::move(bytes));
}

Task<void> serve(Service service, const StorageOptions* options) {
  World& world = service.world();
  Disk& disk = world.nodes.disk(service.node());
  const FileId log = disk.open(kLogName);
  Shelf shelf;
  shelf.load(disk.contents(log));
  if (shelf.size() != 0) {
    world.record(trace::storage_recovered, service.node(), static_cast<std::uint32_t>(shelf.size()));
  }
  Inbox inbox(service);
  for (;;) {
    const Message request = co_await inbox.receive();
    if (request.kind != SegmentKind::data) continue;
    co_await service.compute();
    const Parsed p = parse(request.body.view());
    if (!p.valid) {
      answer(service, request, Answer::malformed, {}, false);
      continue;
    }
    Resource& r = shelf.at(p.head.resource);
    const std::int64_t token_before = r.newest_token;
    const bool admitted = admit(*options, p.head, r);
    const bool is_write = p.head.verb != Verb::read;
    const bool conflict = admitted && p.head.verb == Verb::compare_and_set && p.head.read_version != r.version;
    if (admitted && is_write && !conflict) apply(p, r);
    using namespace trace;
    const std::uint64_t flags = (is_write ? kStorageWrite : 0) | (admitted && !conflict ? 0 : kStorageRefused) |
                                (p.head.has_token ? kStorageHasToken : 0) |
                                (p.head.depends_on_read ? kStorageDependsOnRead : 0);
    world.record(storage_request, service.node(), p.head.resource, static_cast<std::uint64_t>(p.head.token), flags);
    world.record(storage_effect, service.node(), request.operation.hold, r.version, p.head.read_version);
    const bool changed = (admitted && is_write && !conflict) || r.newest_token != token_before;
    if (changed) {
      const std::string entry = Shelf::entry(p.head.resource, r);
      if (options->durable) {
        co_await DiskWrite(world, service.host(), log, entry);
        co_await DiskSync(world, service.host(), log);
      } else {
        disk.append(log, entry);
      }
    }
    const Answer how = !admitted ? Answer::fenced : conflict ? Answer::conflict : Answer::done;
    answer(service, request, how, r, how == Answer::done && !is_write);
  }
}

}  // namespace

void StorageServer::boot(World& world, NodeId node) {
  world.tasks.start(node, "main", serve(Service(world, node), &options_));
}

std::uint64_t StorageServer::fingerprint(const World& world, NodeId node) const {
  (void)world, (void)node;  // the disk has all that matters, and is counted there
  return static_cast<std::uint64_t>(options_.fence);
}

std::span<const TraceKindInfo> trace::storage_kinds() {
  static constexpr std::array<TraceKindInfo, 3> kKinds = {
      {{storage_request, "storage-request", "resource", "token", "flags"},
       {storage_effect, "storage-effect", "hold", "version", "read version"},
       {storage_recovered, "storage-recovered", "resources", "", ""}}};
  return kKinds;
}

}  // namespace picklock
