// Storage: the resource that a lock protects, as its clients see it.
//
// A resource holds a list of integers and a version that grows by one with each write.  Every
// request may carry a fencing token; whether it is looked at is the server's business (sim/storage).
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/task/exchange.hpp"

namespace picklock {

using ResourceId = std::uint32_t;

// The grant under which a request is made, as far as the storage may know it.
struct Fence {
  std::optional<std::int64_t> token;
  bool shared = false;  // a read hold: its token is compared with the largest of write holds only
};

struct Stored {
  std::uint64_t version = 0;  // 0: never written
  std::vector<std::int64_t> items;
  std::int64_t number() const { return items.empty() ? 0 : items.front(); }
};

namespace storage_wire {

enum class Verb : std::uint8_t { read, write, append, compare_and_set };
enum class Answer : std::uint8_t { done, fenced, conflict, malformed };

struct Request {  // followed by the items
  std::uint64_t read_version = 0;
  std::int64_t token = 0;
  ResourceId resource = 0;
  Verb verb = Verb::read;
  std::uint8_t has_token = 0;
  std::uint8_t shared = 0;
  std::uint8_t depends_on_read = 0;
};
struct Reply {  // followed by the items
  std::uint64_t version = 0;
  std::uint64_t answer = 0;
};
static_assert(std::has_unique_object_representations_v<Request>);
static_assert(std::has_unique_object_representations_v<Reply>);

}  // namespace storage_wire

class Storage {
 public:
  explicit Storage(Channel& channel) : channel_(&channel) {}

  // Verbs.  A request whose token is too old is refused with Why::refused.
  auto read(ResourceId resource, Fence fence) const;
  // Replaces the contents by what the caller computed from version `read_version`.
  auto write(ResourceId resource, std::span<const std::int64_t> items, std::uint64_t read_version, Fence fence) const;
  // Adds one item at the end, whatever is there.
  auto append(ResourceId resource, std::int64_t item, Fence fence) const;
  // Replaces the contents only if the version still is `read_version`; otherwise Why::refused.
  auto compare_and_set(ResourceId resource, std::span<const std::int64_t> items, std::uint64_t read_version,
                       Fence fence) const;

  class Verb;

 private:
  Channel* channel_;
};

class [[nodiscard]] Storage::Verb : public ExchangeAwaiter {
 public:
  Verb(Channel& channel, const storage_wire::Request& head, std::span<const std::int64_t> items = {})
      : ExchangeAwaiter(channel, head.verb == storage_wire::Verb::read ? mark::reads : mark::writes) {
    exchange_.request = Payload(channel.host().arena(), sizeof head + items.size_bytes());
    std::memcpy(exchange_.request.data(), &head, sizeof head);
    if (!items.empty()) std::memcpy(exchange_.request.data() + sizeof head, items.data(), items.size_bytes());
  }
  void await_suspend(std::coroutine_handle<> me) { send(me); }
  Outcome<Stored> await_resume() {
    if (!replied()) {
      return exchange_.state == Exchange::State::not_connected ? Outcome<Stored>::refusal(Why::not_connected)
                                                               : Outcome<Stored>::unknown_because(why_not());
    }
    storage_wire::Reply head;
    const std::string_view bytes = reply();
    if (bytes.size() < sizeof head) return Outcome<Stored>::refusal(Why::error, "malformed reply");
    std::memcpy(&head, bytes.data(), sizeof head);
    switch (static_cast<storage_wire::Answer>(head.answer)) {
      case storage_wire::Answer::done:
        break;
      case storage_wire::Answer::fenced:
        return Outcome<Stored>::refusal(Why::refused, "token is older than the newest seen");
      case storage_wire::Answer::conflict:
        return Outcome<Stored>::refusal(Why::refused, "version has changed");
      case storage_wire::Answer::malformed:
        return Outcome<Stored>::refusal(Why::error, "malformed request");
    }
    std::vector<std::int64_t> items((bytes.size() - sizeof head) / sizeof(std::int64_t));
    if (!items.empty()) std::memcpy(items.data(), bytes.data() + sizeof head, items.size() * sizeof(std::int64_t));
    return Outcome<Stored>::of({head.version, std::move(items)});
  }
};

namespace detail {

inline storage_wire::Request storage_request(storage_wire::Verb verb, ResourceId resource, std::uint64_t read_version,
                                             const Fence& fence) {
  storage_wire::Request head;
  head.read_version = read_version;
  head.token = fence.token.value_or(0);
  head.resource = resource;
  head.verb = verb;
  head.has_token = fence.token.has_value();
  head.shared = fence.shared;
  head.depends_on_read = verb == storage_wire::Verb::write || verb == storage_wire::Verb::compare_and_set;
  return head;
}

}  // namespace detail

inline auto Storage::read(ResourceId resource, Fence fence) const {
  return Verb(*channel_, detail::storage_request(storage_wire::Verb::read, resource, 0, fence));
}
inline auto Storage::write(ResourceId resource, std::span<const std::int64_t> items, std::uint64_t read_version,
                           Fence fence) const {
  return Verb(*channel_, detail::storage_request(storage_wire::Verb::write, resource, read_version, fence), items);
}
inline auto Storage::append(ResourceId resource, std::int64_t item, Fence fence) const {
  return Verb(*channel_, detail::storage_request(storage_wire::Verb::append, resource, 0, fence), {&item, 1});
}
inline auto Storage::compare_and_set(ResourceId resource, std::span<const std::int64_t> items,
                                     std::uint64_t read_version, Fence fence) const {
  return Verb(*channel_, detail::storage_request(storage_wire::Verb::compare_and_set, resource, read_version, fence),
              items);
}

}  // namespace picklock
