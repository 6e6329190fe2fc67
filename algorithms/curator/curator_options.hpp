// Options of all of Curator's locks, and the versions that they come from.
//
// From: CuratorFrameworkFactory, the policies of org.apache.curator.retry, ConnectionStateManager of Apache
// Curator 5.9.
#pragma once

#include <optional>

#include "sim/task/fields.hpp"

namespace picklock {

// Reaction of the application when the client reports a change of its connection.  The locks do nothing by
// themselves: an application that wants to know must listen (Curator's Tech Note 14 and "Errors" page).
enum class CuratorReaction : std::uint8_t {
  ignores,
  stops_at_suspended,  // the holder is no longer sure of its hold: it stops
  stops_at_lost        // it goes on until the session is given up
};
constexpr auto enum_names(CuratorReaction) { return name_list("ignores", "stops-at-suspended", "stops-at-lost"); }

// Node that a repeated protected create takes for its own.
enum class CuratorFoundNode : std::uint8_t {
  own_session,  // since 4.1.1: one of an older session is deleted, and a new one created
  any_session   // CURATOR-498: one that is about to vanish, or has vanished already
};
constexpr auto enum_names(CuratorFoundNode) { return name_list("own-session", "any-session"); }

// Clock that measures how long a call has waited: for a lock, for a connection, from SUSPENDED
// to LOST.  Once asleep it sleeps by the monotonic clock, as wait(millis) does.
enum class CuratorClock : std::uint8_t {
  wall,      // System.currentTimeMillis(): a step of it lengthens or shortens the wait
  monotonic  // System.nanoTime(), a repair
};
constexpr auto enum_names(CuratorClock) { return name_list("wall", "monotonic"); }

// Times at which a failed call is tried again, and their number.
enum class CuratorRetry : std::uint8_t {
  exponential,  // ExponentialBackoffRetry: after `retry_base` times 1 to 2^(n+1)-1 at random; Bounded…: `retry_most`
  n_times,      // RetryNTimes: after `retry_base`, `retries` times
  forever       // RetryForever: after `retry_base`, without end: a call returns with an answer or not at all
};
constexpr auto enum_names(CuratorRetry) { return name_list("exponential", "n-times", "forever"); }

// A protected create that is tried again looks for its node first, and does so within a retry loop of its own.
enum class CuratorRetryLoops : std::uint8_t {
  shared,  // since 5.0 (CURATOR-559) the thread has one: a finished search ends it for the create too; after one
  // more failure the create gives back no path, and the node that it made is never searched for
  nested  // until 4.x: each has a loop of its own
};
constexpr auto enum_names(CuratorRetryLoops) { return name_list("shared", "nested"); }

struct CuratorOptions {
  // --- of the client
  Duration session = seconds(60);     // session asked for; a server grants 2 to 20 of its ticks
  Duration connection = seconds(15);  // longest wait of a call for a connection
  CuratorRetry retry_policy = CuratorRetry::exponential;
  Duration retry_base = seconds(1);
  std::int64_t retries = 3;
  std::optional<Duration> retry_most = {};  // limit of exponential pauses; none: unlimited
  std::int64_t expiration_percent = 100;    // percent of the negotiated timeout from SUSPENDED to LOST; 0: never LOST
  // --- of the application
  CuratorReaction reaction = CuratorReaction::ignores;
  // --- of its history
  CuratorFoundNode found_node = CuratorFoundNode::own_session;
  bool find_and_delete = true;     // CURATOR-45, CURATOR-79: of a create that failed without an answer
  bool background_deletes = true;  // delete().guaranteed(): a failed delete is tried again until it succeeds
  CuratorClock clock = CuratorClock::wall;
  CuratorRetryLoops retry_loops = CuratorRetryLoops::shared;

  void fields(FieldVisitor& v);
};

}  // namespace picklock
