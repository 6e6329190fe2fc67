#include "sim/zookeeper/client_requests.hpp"

#include <utility>

namespace picklock {

ZooClientRequest& ZooClientRequests::add(ZooExchange& e, World& world) {
  ZooClientRequest& r = requests_.extend();
  r.exchange = &e;
  r.op = e.request.op;
  r.xid = ++last_xid_;
  r.path.clear();
  if (e.watcher) r.path = e.request.path;
  r.request = std::move(e.request);
  r.request.xid = r.xid;
  r.watcher = e.watcher;
  r.name = next_segment_name(world);
  return r;
}

void ZooClientRequests::withdraw(ZooExchange& e) noexcept {
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i].exchange == &e) requests_[i].exchange = nullptr;  // it will still be sent and answered
  }
}

ZooClientRequest* ZooClientRequests::next() {
  return under_way_ == requests_.size() ? nullptr : &requests_[under_way_++];
}

ZooClientRequest* ZooClientRequests::answered(std::int32_t xid) {
  return under_way_ == 0 || requests_.front().xid != xid ? nullptr : &requests_.front();
}

void ZooClientRequests::take_out_answered() {
  requests_.front().watcher = {};
  requests_.drop_front();
  --under_way_;
}

void ZooClientRequests::fail_all(const Host& host, ZooCode code) {
  under_way_ = 0;
  for (; !requests_.empty(); requests_.drop_front()) {
    ZooClientRequest& r = requests_.front();
    r.watcher = {};
    if (r.exchange == nullptr) continue;
    r.exchange->reply.code = code;
    host.runtime().wake(r.exchange->wait);
  }
}

}  // namespace picklock
