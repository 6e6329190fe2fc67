// The records of a history as sentences, each on its own: "lock: granted to a, until 100.1 ms".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "checker/history.hpp"
#include "reports/run/story.hpp"

namespace picklock {

std::string in_tenths(std::int64_t time);  // "100.1 ms"

// Empty for a record that is not told.
class RecordWords {
 public:
  // Both outlive it.
  RecordWords(const History& history, const StoryContext& context) : h_(history), context_(context) {}

  std::string client(HoldId hold) const;
  std::string operation(const OperationEvent& e) const;
  std::string belief(const BeliefEvent& e) const;
  // Tells why the hold before this one, which is still promised, does not hinder it.
  std::string in_spite_of(const GrantEvent& e, HoldId before, std::int64_t lease_until) const;
  std::string grant(const GrantEvent& e, std::int64_t lease_until) const;
  std::string effect(const EffectEvent& e) const;
  std::string process(const ProcessEvent& e) const;
  std::string phase(const PhaseEvent& e) const;

 private:
  // The word for a hold that others may share.
  std::string_view shared(HoldId hold) const;
  // The resource is the one that the probe read last.  A counter is compared with what clients were told.
  std::string final_read(const OperationEvent& read) const;
  // Adds the clock, the restart or the death that decided; nothing where no more is known.
  std::string caused(const GrantEvent& e, std::int64_t lease_until) const;
  // Its command; or that of the next owner at the same instant.
  std::string overwriter(const GrantEvent& e) const;
  // The majority that named a hold is gone: each server that ended it, when, and why.
  std::string outvoted(const GrantEvent& e, std::int64_t lease_until) const;
  std::string reason(const std::string& server, const OwnersSeen& seen, HoldId hold) const;
  // `until` is the end of the lease that ends.
  std::string ended(const GrantEvent& e, std::int64_t lease_until) const;

  const History& h_;
  const StoryContext& context_;
};

}  // namespace picklock
