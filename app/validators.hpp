// Checks of single words of the command line: each gives what is wrong with the word, or nothing.
#pragma once

#include <optional>
#include <string>

#include "campaigns/campaign.hpp"
#include "campaigns/sweep.hpp"

namespace picklock {

std::string not_a_seed(const std::string& text);
std::string not_seeds(const std::string& text);  // problem with a range or a number of seeds
std::string not_a_property(const std::string& text);
std::string not_a_fault(const std::string& text);
std::string not_an_event(const std::string& text);  // problem with an event, a verb, or "none"
std::string not_instants(const std::string& text);  // problem with FROM..UNTIL
std::string not_an_assumption(const std::string& text);
std::string not_a_lock_name(const std::string& text);  // the problem with the name of a new lock
std::string not_a_share(const std::string& text);      // problem with a share between 0 and 1
std::string not_a_shard(const std::string& text);      // problem with a shard: 3/40
std::string not_a_claim(const std::string& text);      // problem with a claim: P<1e-4
std::string empty(const std::string& text);

// "1..1000", both ends included; "1000" for the same. Empty if it has another form, or no text.
std::optional<SeedRange> parse_seeds(const std::string& text);
// "3/40". Empty if it has another form, or lies outside of 1/N to N/N.
std::optional<Shard> parse_shard(const std::string& text);

}  // namespace picklock
