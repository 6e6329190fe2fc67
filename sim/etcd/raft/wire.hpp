// Raft's messages and records as bytes: LEB128 integers and counted blocks.  Decoding never trusts its input.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/packing.hpp"
#include "sim/etcd/raft/types.hpp"

namespace picklock {

void encode(const RaftMessage& message, std::string& to);  // appends
// A message that carries nothing consists of these bytes alone.
using RaftHeadBytes = PackedHead<10>;
void encode_head(const RaftMessage& message, RaftHeadBytes& to);
// What it carries is shared with all that `pool` knows of; null: with nobody.
std::optional<RaftMessage> decode_raft_message(std::string_view bytes, RaftDataPool* pool = nullptr);

// Records of the log: one for each part of an `unsaved`.
void encode(const RaftHardState& hard, std::string& to);
void encode(const RaftEntry& entry, std::string& to);
void encode(const RaftSnapshot& snapshot, std::string& to);
// Puts a record, as it is met in the log, into `stored`; false if it is none of ours.
bool decode_raft_record(std::string_view bytes, RaftStored& stored);

}  // namespace picklock
