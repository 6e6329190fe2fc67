#include <algorithm>

#include "sim/etcd/client.hpp"

namespace picklock {
namespace {

constexpr Duration kReopen = milliseconds(100);

}  // namespace

std::shared_ptr<EtcdWatch> EtcdClient::watch(EtcdWatchCreate what) {
  const std::int64_t id = ++watches_.last_id;
  what.id = id;
  const auto watch = std::make_shared<EtcdWatch>(host_, what);
  watch->notify_cancel(&watches_.change);
  watches_.by_id[id] = {watch, what.revision, 0, 0};
  if (!std::exchange(watches_.running, true)) host_.spawn("watch", run_watches(host_, this));
  watches_.change.notify();
  return watch;
}

// One stream after the other; each asks for all watches that there are, and then hears.
Task<void> EtcdClient::run_watches(Host host, EtcdClient* self) {
  for (;;) {
    while (self->watches_.by_id.empty()) co_await self->watches_.change.wait();
    const std::optional<std::size_t> endpoint = self->pick();
    if (!endpoint) {
      co_await host.sleep(kReopen);
      continue;
    }
    const std::uint64_t stream = ++self->watches_.stream;
    Channel& channel = *self->endpoints_[*endpoint].channel;
    self->watches_.broken = false;
    self->watches_.endpoint = endpoint;
    while (!self->watches_.broken) {
      Payload event;
      while (channel.take_push(event)) {
        self->endpoints_[*endpoint].heard = host.monotonic_now();
        self->hear_event(event);
      }
      self->drop_closed(*endpoint);
      if (self->lost_watches(channel)) break;
      for (auto& [id, w] : self->watches_.by_id) {
        if (w.stream == stream) continue;
        w.stream = stream;
        w.connection = 0;
        host.spawn("watch", open_watch(host, self, id, *endpoint, stream));
      }
      co_await self->watches_.change.wait();
    }
    self->watches_.endpoint.reset();
    for (auto& [id, w] : self->watches_.by_id) w.stream = 0;
    co_await host.sleep(milliseconds(1));
  }
}

Task<void> EtcdClient::open_watch(Host, EtcdClient* self, std::int64_t id, std::size_t endpoint, std::uint64_t stream) {
  auto found = self->watches_.by_id.find(id);
  if (found == self->watches_.by_id.end()) co_return;
  EtcdWatchCreate what = found->second.watch->what();
  if (found->second.next != 0) what.revision = found->second.next;
  EtcdRequest request = std::move(what);
  const InUse in_flight = self->use(endpoint);
  static const Mark kMark = command_mark("watch");
  const auto answer = co_await EtcdVerb(*self->endpoints_[endpoint].channel, kMark, request);
  if (answer.why() == Why::not_connected) self->went_down(endpoint);
  if (!answer.yes()) {
    self->break_watches(stream);
    co_return;
  }
  self->heard_from(endpoint);
  found = self->watches_.by_id.find(id);
  if (found == self->watches_.by_id.end() || found->second.stream != stream) co_return;
  found->second.connection = self->endpoints_[endpoint].channel->connections_opened();
  if (answer.value().error != EtcdError::none) {
    EtcdWatchReply end;
    end.id = id;
    end.cancelled = true;
    end.error = answer.value().error;
    self->dispatch(std::move(end));
    co_return;
  }
  // A watch that began "now" is resumed from here, even if it never hears anything.
  if (found->second.next == 0) found->second.next = answer.value().header().revision + 1;
}

Task<void> EtcdClient::close_watch(Host, EtcdClient* self, std::int64_t id, std::size_t endpoint) {
  EtcdRequest request = EtcdWatchCancel{id};
  (void)co_await EtcdVerb(*self->endpoints_[endpoint].channel, mark::none, request);
}

void EtcdClient::break_watches(std::uint64_t stream) {
  if (watches_.stream != stream) return;
  watches_.broken = true;
  watches_.change.notify();
}

// Watches end with the connection on which they were granted.
bool EtcdClient::lost_watches(const Channel& channel) const {
  return std::any_of(watches_.by_id.begin(), watches_.by_id.end(), [&](const auto& each) {
    const Watching& w = each.second;
    return w.stream == watches_.stream && w.connection != 0 &&
           (!channel.connected() || w.connection != channel.connections_opened());
  });
}

void EtcdClient::drop_closed(std::size_t endpoint) {
  for (auto it = watches_.by_id.begin(); it != watches_.by_id.end();) {
    const auto& [id, w] = *it;
    const bool forgotten = w.watch.use_count() == 1;  // its reader is gone
    if (!w.watch->is_closed() && !forgotten) {
      ++it;
      continue;
    }
    if (w.stream == watches_.stream && endpoints_[endpoint].channel->connected()) {
      host_.spawn("watch", close_watch(host_, this, id, endpoint));
    }
    w.watch->notify_cancel(nullptr);
    it = watches_.by_id.erase(it);
  }
}

void EtcdClient::hear_event(Payload& event) {
  auto* const reply = event.get<EtcdReply>();
  auto* const heard = reply != nullptr ? std::get_if<EtcdWatchReply>(&reply->body) : nullptr;
  if (heard != nullptr) dispatch(std::move(*heard));
}

void EtcdClient::dispatch(EtcdWatchReply reply) {
  const auto found = watches_.by_id.find(reply.id);
  if (found == watches_.by_id.end()) return;
  Watching& w = found->second;
  std::erase_if(reply.events, [&](const EtcdEvent& e) { return e.kv.mod_revision < w.next; });
  if (reply.cancelled) {
    w.watch->offer(std::move(reply));
    w.watch->notify_cancel(nullptr);
    w.watch->close();
    watches_.by_id.erase(found);
    return;
  }
  w.next = std::max(w.next, reply.header.revision + 1);
  if (!reply.events.empty()) w.watch->offer(std::move(reply));
}

}  // namespace picklock
