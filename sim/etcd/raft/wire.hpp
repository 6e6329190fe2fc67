// Raft's messages and records as bytes: LEB128 integers and counted blocks.  Decoding never trusts its input.
//
// Records are written to the disk.  Messages travel as values; their bytes are of digests and pictures.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/packing.hpp"
#include "sim/etcd/raft/types.hpp"

namespace picklock {

void encode(const RaftMessage& message, std::string& to);  // appends
std::optional<RaftMessage> decode_raft_message(std::string_view bytes);

// Records of the log: one for each part of an `unsaved`.
void encode(const RaftHardState& hard, std::string& to);
void encode(const RaftEntry& entry, std::string& to);
void encode(const RaftSnapshot& snapshot, std::string& to);
// …, in two parts: the second is the data, where it lies.
using RaftRecordHead = PackedHead<4>;
std::string_view encode_head(const RaftHardState& hard, RaftRecordHead& to);
std::string_view encode_head(const RaftEntry& entry, RaftRecordHead& to);
std::string_view encode_head(const RaftSnapshot& snapshot, RaftRecordHead& to);
// Puts a record, as it is met in the log, into `stored`; false if it is none of ours.
bool decode_raft_record(std::string_view bytes, RaftStored& stored);

}  // namespace picklock
