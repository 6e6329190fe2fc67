#include "sim/task/zookeeper.hpp"

#include <array>

namespace picklock {
namespace {

const Mark kExists = command_mark("exists"), kMulti = command_mark("multi");

class [[nodiscard]] ZooAsk {
 public:
  ZooAsk(ZooHandle& handle, ZooExchange& exchange) : handle_(handle), exchange_(exchange) {}
  ZooAsk(const ZooAsk&) = delete;
  ZooAsk& operator=(const ZooAsk&) = delete;
  ~ZooAsk() {
    if (exchange_.wait != 0) handle_.withdraw(exchange_);
  }
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> me) {
    exchange_.waiter = me;
    handle_.submit(exchange_);
  }
  void await_resume() { handle_.withdraw(exchange_); }

 private:
  ZooHandle& handle_;
  ZooExchange& exchange_;
};

template <class T>
using Decode = T (*)(ZooAnswer&&);

// One verb between its two preemption points.
template <class T>
Task<ZooOutcome<T>> ask(Host host, ZooHandle* handle, ZooCall request, ZooWatcher watcher, Decode<T> decode) {
  const Mark m = mark_of(request.op);
  request.watch = static_cast<bool>(watcher);
  ZooExchange exchange(request);
  exchange.watcher = std::move(watcher);
  co_await host.pass(m, MarkSide::before);
  co_await ZooAsk(*handle, exchange);
  co_await host.pass(m, MarkSide::after);
  const ZooCode code = exchange.reply.code;
  if (code == ZooCode::ok) co_return ZooOutcome<T>::of(decode(std::move(exchange.reply)));
  if (!exchange.answered && exchange.sent && code == ZooCode::session_expired) {
    co_return ZooOutcome<T>::expired_under_way();
  }
  co_return ZooOutcome<T>::failed(code, exchange.sent);
}

Nothing to_nothing(ZooAnswer&&) { return {}; }
ZooStat to_stat(ZooAnswer&& reply) { return reply.stat; }
ZooCreated to_created(ZooAnswer&& reply) { return {std::move(reply.path), reply.stat}; }
ZooData to_data(ZooAnswer&& reply) { return {std::move(reply.data), reply.stat}; }
ZooChildren to_children(ZooAnswer&& reply) { return {std::move(reply.children), reply.stat}; }
std::vector<ZooAnswer> to_parts(ZooAnswer&& reply) { return std::move(reply.parts); }

ZooCall request_of(ZooOp op, std::string&& path, std::int32_t version = kZooAnyVersion) {
  ZooCall r;
  r.op = op;
  r.path = std::move(path);
  r.version = version;
  return r;
}

ZooCall request_of(ZooOp op, std::string&& path, std::string&& data, std::int32_t version = kZooAnyVersion) {
  ZooCall r = request_of(op, std::move(path), version);
  r.data = std::move(data);
  return r;
}

ZooCall create_of(std::string&& path, std::string&& data, ZooMode mode) {
  ZooCall r = request_of(ZooOp::create, std::move(path), std::move(data));
  r.mode = mode;
  return r;
}

}  // namespace

Mark mark_of(ZooOp op) {
  switch (op) {
    case ZooOp::create:
      return mark::zoo_create;
    case ZooOp::remove:
      return mark::zoo_delete;
    case ZooOp::exists:
      return kExists;
    case ZooOp::get_data:
      return mark::zoo_get_data;
    case ZooOp::set_data:
      return mark::zoo_set_data;
    case ZooOp::get_children:
      return mark::zoo_get_children;
    case ZooOp::sync:
      return mark::zoo_sync;
    case ZooOp::multi:
      return kMulti;
    case ZooOp::close_session:
      return mark::zoo_close;
    default:
      return mark::none;
  }
}

std::string_view to_string(ZooState state) {
  constexpr std::array<std::string_view, 4> kNames = {"disconnected", "connected", "expired", "closed"};
  return kNames[static_cast<std::size_t>(state)];
}

std::optional<ZooEvent> ZooWatcher::take() const {
  if (queue_->events.empty()) return std::nullopt;
  ZooEvent event = std::move(queue_->events.front());
  queue_->events.pop_front();
  if (queue_->events.empty()) queue_->arrived.clear();
  return event;
}

void ZooWatcher::forget() const {
  queue_->events.clear();
  queue_->arrived.clear();
}

void ZooWatcher::push(ZooEvent event) const {
  queue_->events.push_back(std::move(event));
  queue_->arrived.set();
}

Task<ZooEvent> ZooWatcher::next_of(Host, ZooWatcher watcher) {
  for (;;) {
    if (auto event = watcher.take()) co_return std::move(*event);
    co_await watcher.arrived().wait();
  }
}

Task<ZooOutcome<ZooCreated>> ZooKeeper::create(std::string path, std::string data, ZooMode mode) const {
  ZooCall r = create_of(std::move(path), std::move(data), mode);
  return ask<ZooCreated>(host(), handle_, std::move(r), {}, to_created);
}
Task<ZooOutcome<>> ZooKeeper::remove(std::string path, std::int32_t version) const {
  return ask<Nothing>(host(), handle_, request_of(ZooOp::remove, std::move(path), version), {}, to_nothing);
}
Task<ZooOutcome<ZooStat>> ZooKeeper::exists(std::string path, ZooWatcher watcher) const {
  return ask<ZooStat>(host(), handle_, request_of(ZooOp::exists, std::move(path)), std::move(watcher), to_stat);
}
Task<ZooOutcome<ZooData>> ZooKeeper::get_data(std::string path, ZooWatcher watcher) const {
  return ask<ZooData>(host(), handle_, request_of(ZooOp::get_data, std::move(path)), std::move(watcher), to_data);
}
Task<ZooOutcome<ZooChildren>> ZooKeeper::get_children(std::string path, ZooWatcher watcher) const {
  return ask<ZooChildren>(host(), handle_, request_of(ZooOp::get_children, std::move(path)), std::move(watcher),
                          to_children);
}
Task<ZooOutcome<ZooStat>> ZooKeeper::set_data(std::string path, std::string data, std::int32_t version) const {
  ZooCall r = request_of(ZooOp::set_data, std::move(path), std::move(data), version);
  return ask<ZooStat>(host(), handle_, std::move(r), {}, to_stat);
}
Task<ZooOutcome<std::vector<ZooAnswer>>> ZooKeeper::multi(std::vector<ZooCall> parts) const {
  ZooCall r;
  r.op = ZooOp::multi;
  r.parts = std::move(parts);
  return ask<std::vector<ZooAnswer>>(host(), handle_, std::move(r), {}, to_parts);
}
Task<ZooOutcome<>> ZooKeeper::sync(std::string path) const {
  return ask<Nothing>(host(), handle_, request_of(ZooOp::sync, std::move(path)), {}, to_nothing);
}
Task<ZooOutcome<>> ZooKeeper::close() const {
  return ask<Nothing>(host(), handle_, request_of(ZooOp::close_session, {}), {}, to_nothing);
}

ZooCall ZooKeeper::create_part(std::string path, std::string data, ZooMode mode) {
  return create_of(std::move(path), std::move(data), mode);
}
ZooCall ZooKeeper::remove_part(std::string path, std::int32_t version) {
  return request_of(ZooOp::remove, std::move(path), version);
}
ZooCall ZooKeeper::set_data_part(std::string path, std::string data, std::int32_t version) {
  return request_of(ZooOp::set_data, std::move(path), std::move(data), version);
}
ZooCall ZooKeeper::check_part(std::string path, std::int32_t version) {
  return request_of(ZooOp::check, std::move(path), version);
}

}  // namespace picklock
