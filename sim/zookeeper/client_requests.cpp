#include "sim/zookeeper/client_requests.hpp"

#include <utility>

#include "sim/zookeeper/wire.hpp"

namespace picklock {

void ZooClientRequests::add(ZooExchange& e, World& world) {
  ZooClientRequest& r = queued_.emplace_back();
  r.exchange = &e;
  r.op = e.request.op;
  r.xid = ++last_xid_;
  encode(e.request, r.xid, r.packed);
  r.path = std::move(e.request.path);
  r.watcher = e.watcher;
  r.name = next_segment_name(world);
}

void ZooClientRequests::withdraw(ZooExchange& e) noexcept {
  for (std::deque<ZooClientRequest>* const list : {&under_way_, &queued_}) {
    for (ZooClientRequest& r : *list) {
      if (r.exchange == &e) r.exchange = nullptr;  // it will be sent and answered all the same
    }
  }
}

ZooClientRequest* ZooClientRequests::next() {
  if (queued_.empty()) return nullptr;
  under_way_.push_back(std::move(queued_.front()));
  queued_.pop_front();
  return &under_way_.back();
}

std::optional<ZooClientRequest> ZooClientRequests::answered(std::int32_t xid) {
  if (under_way_.empty() || under_way_.front().xid != xid) return std::nullopt;
  std::optional<ZooClientRequest> r(std::move(under_way_.front()));
  under_way_.pop_front();
  return r;
}

void ZooClientRequests::fail_all(const Host& host, ZooCode code) {
  for (std::deque<ZooClientRequest>* const list : {&under_way_, &queued_}) {
    for (ZooClientRequest& r : std::exchange(*list, {})) {
      if (r.exchange == nullptr) continue;
      r.exchange->reply.code = code;
      host.runtime().wake(r.exchange->wait);
    }
  }
}

}  // namespace picklock
