#include "sim/zookeeper/client_requests.hpp"

#include <utility>

#include "sim/zookeeper/wire.hpp"

namespace picklock {

std::string_view ZooClientRequests::add(ZooExchange& e, World& world) {
  ZooClientRequest& r = requests_.emplace_back();
  r.exchange = &e;
  r.op = e.request.op;
  r.xid = ++last_xid_;
  packed_.clear();
  encode(e.request, r.xid, packed_);
  if (e.watcher) r.path = std::move(e.request.path);
  r.watcher = e.watcher;
  r.name = next_segment_name(world);
  return packed_;
}

void ZooClientRequests::withdraw(ZooExchange& e) noexcept {
  for (ZooClientRequest& r : requests_) {
    if (r.exchange == &e) r.exchange = nullptr;  // it will be sent and answered all the same
  }
}

ZooClientRequest* ZooClientRequests::next() {
  return under_way_ == requests_.size() ? nullptr : &requests_[under_way_++];
}

ZooClientRequest* ZooClientRequests::answered(std::int32_t xid) {
  return under_way_ == 0 || requests_.front().xid != xid ? nullptr : &requests_.front();
}

void ZooClientRequests::take_out_answered() {
  requests_.pop_front();
  --under_way_;
}

void ZooClientRequests::fail_all(const Host& host, ZooCode code) {
  under_way_ = 0;
  for (ZooClientRequest& r : std::exchange(requests_, {})) {
    if (r.exchange == nullptr) continue;
    r.exchange->reply.code = code;
    host.runtime().wake(r.exchange->wait);
  }
}

}  // namespace picklock
