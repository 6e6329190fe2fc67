#include "algorithms/etcd/etcd_election.hpp"

#include <utility>

#include "algorithms/etcd/etcd_mutex.hpp"
#include "sim/task/combinators.hpp"

namespace picklock {

void EtcdElectionOptions::fields(FieldVisitor& v) {
  v.field({.name = "ttl", .help = "time to live of the session's lease, in whole seconds", .least = seconds(1).ns},
          ttl);
  v.field({.name = "retry", .help = "time between two campaigns after an error", .least = 1}, retry);
  v.field({.name = "campaign-error", .help = "whether a Campaign that ended with an error keeps its key"},
          campaign_error);
  v.field({.name = "resign", .help = "whether a Resign that failed can be called again"}, resign);
  v.field({.name = "resigns-again",
           .help = "pause before the application calls Resign again after an error; none: it does not",
           .least = 0},
          resigns_again);
}

EtcdElection::EtcdElection(const LockContext& context, const EtcdElectionOptions& options)
    : EtcdSessionLock(context, {.ttl = options.ttl, .pause = options.retry}),
      prefix_(std::string(context.name) + "/"),
      options_(options) {}

// Campaign
Task<Acquired> EtcdElection::lock(std::shared_ptr<EtcdSession> session, Duration patience) {
  my_key_ = etcd_key_of(prefix_, session->lease());
  EtcdTxn txn;
  txn.compares = {etcd_absent(my_key_)};
  txn.then = {EtcdPut(my_key_, "", session->lease())};
  txn.otherwise = {EtcdRange(my_key_)};
  const auto reply = co_await etcd_.txn(txn);
  if (!reply.yes()) {
    if (reply.why() == Why::error) drop_session();  // its lease is gone
    co_return etcd_failure<Hold>(reply);
  }
  const EtcdTxnReply& done = reply.value();
  leads_ = true;
  leader_revision_ = done.header.revision;
  if (!done.succeeded) leader_revision_ = std::get<EtcdRangeReply>(done.results[0]).kvs.at(0).create_revision;
  bool in_time = true;
  in_line_ = true;
  const auto waited = co_await wait_for_turn(patience, &in_time);
  in_line_ = false;
  if (!waited.yes()) {
    if (!in_time || options_.campaign_error == EtcdCampaignError::resigns) {
      const auto resigned = co_await resign();
      if (resigned.unknown()) co_return Acquired::unknown_because(resigned.why());
      co_return waited.unknown() ? Acquired::refusal() : etcd_failure<Hold>(waited);
    }
    leads_ = false;
    co_return Acquired::unknown_because(Why::disconnected);  // its key stays in the queue
  }
  Hold hold(my_key_);
  hold.token = leader_revision_;
  hold.deadline = session->deadline();
  co_return Acquired::of(std::move(hold));
}

Task<Outcome<>> EtcdElection::wait_for_turn(Duration patience, bool* in_time) {
  auto turn = etcd_wait_deletes(host_, etcd_, prefix_, leader_revision_ - 1, &header_);
  if (patience == kForever) {
    auto waited = co_await turn;
    co_return waited;
  }
  auto waited = co_await with_timeout(host_, std::move(turn), patience);
  *in_time = waited.has_value();
  co_return waited ? *waited : Outcome<>::refusal();
}

// Resign
Task<Outcome<>> EtcdElection::resign() {
  if (!leads_) co_return Outcome<>::of({});  // nil
  EtcdTxn txn;
  txn.compares = {etcd_created_at(my_key_, leader_revision_)};
  txn.then = {EtcdDelete(my_key_)};
  const auto reply = co_await etcd_.txn(txn);
  const bool remembers = !reply.yes() && options_.resign == EtcdResign::remembers;
  leads_ = remembers;
  if (!reply.yes()) co_return etcd_failure(reply);
  co_return Outcome<>::of({});  // Resign does not tell if there was anything to delete
}

Task<Outcome<>> EtcdElection::interrupted() {
  if (!std::exchange(in_line_, false)) co_return Outcome<>::refusal();  // its key, if there is one, stays
  const auto resigned = co_await resign();
  co_return resigned.unknown() ? resigned : Outcome<>::of({});
}

Task<Outcome<>> EtcdElection::unlock(Hold) {
  auto resigned = co_await resign();
  while (!resigned.yes() && options_.resigns_again) {
    co_await host_.sleep(*options_.resigns_again);
    auto again = co_await resign();
    resigned = std::move(again);
  }
  co_return resigned;
}

}  // namespace picklock
