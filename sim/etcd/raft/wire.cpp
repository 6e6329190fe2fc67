#include "sim/etcd/raft/wire.hpp"

#include <utility>

namespace picklock {
namespace {

enum class Record : std::uint8_t { hard = 'h', entry = 'e', snapshot = 's' };

RaftData data_of(std::string_view bytes, RaftDataPool* pool) {
  return pool == nullptr || bytes.empty() ? RaftData(bytes) : pool->share(bytes);
}

void pack(Packer& out, const RaftEntry& e) {
  out.number(e.term);
  out.number(e.index);
  out.text(e.data);
}

RaftEntry unpack_entry(Unpacker& in, RaftDataPool* pool) {
  RaftEntry e;
  e.term = in.number();
  e.index = in.number();
  e.data = data_of(in.text(), pool);
  return e;
}

// Which of the fields follow: most messages have few of them.
constexpr std::uint64_t has_index = 1, has_log_term = 2, has_commit = 4, has_hint = 8, has_context = 16, rejects = 32,
                        has_entries = 64, has_data = 128;

}  // namespace

void encode_head(const RaftMessage& m, RaftHeadBytes& head) {
  const std::uint64_t has = (m.index != 0 ? has_index : 0u) | (m.log_term != 0 ? has_log_term : 0u) |
                            (m.commit != 0 ? has_commit : 0u) | (m.hint != 0 ? has_hint : 0u) |
                            (m.context != 0 ? has_context : 0u) | (m.reject ? rejects : 0u) |
                            (!m.entries.empty() ? has_entries : 0u) | (!m.data.empty() ? has_data : 0u);
  head.byte(static_cast<std::uint8_t>(m.kind));
  head.number(has);
  head.number(m.from);
  head.number(m.to);
  head.number(m.term);
  if (has & has_index) head.number(m.index);
  if (has & has_log_term) head.number(m.log_term);
  if (has & has_commit) head.number(m.commit);
  if (has & has_hint) head.number(m.hint);
  if (has & has_context) head.number(m.context);
}

void encode(const RaftMessage& m, std::string& to) {
  RaftHeadBytes head;
  encode_head(m, head);
  Packer out(to);
  out.head(head);
  if (!m.entries.empty()) {
    out.number(m.entries.size());
    for (const RaftEntry& e : m.entries) pack(out, e);
  }
  if (!m.data.empty()) out.text(m.data);
  out.finish();
}

std::optional<RaftMessage> decode_raft_message(std::string_view bytes, RaftDataPool* pool) {
  RaftMessage m;
  Unpacker in(bytes);
  m.kind = static_cast<RaftMessage::Kind>(in.byte_up_to(static_cast<std::uint8_t>(RaftMessage::Kind::count_) - 1));
  const std::uint64_t has = in.number();
  m.from = static_cast<RaftId>(in.number());
  m.to = static_cast<RaftId>(in.number());
  m.term = in.number();
  if (has & has_index) m.index = in.number();
  if (has & has_log_term) m.log_term = in.number();
  if (has & has_commit) m.commit = in.number();
  if (has & has_hint) m.hint = in.number();
  if (has & has_context) m.context = in.number();
  m.reject = (has & rejects) != 0;
  if (has & has_entries) {
    const std::uint64_t count = in.number();
    if (count > in.rest().size() / 3) return std::nullopt;  // an entry takes three bytes and more
    m.entries.reserve(count);
    for (std::uint64_t i = 0; i < count && in.good(); ++i) m.entries.push_back(unpack_entry(in, pool));
  }
  if (has & has_data) m.data = data_of(in.text(), pool);
  if (!in.finished()) return std::nullopt;
  return m;
}

void encode(const RaftHardState& hard, std::string& to) {
  Packer out(to);
  out.byte(static_cast<std::uint8_t>(Record::hard));
  out.number(hard.term);
  out.number(hard.vote);
  out.number(hard.commit);
  out.finish();
}

void encode(const RaftEntry& entry, std::string& to) {
  Packer out(to);
  out.byte(static_cast<std::uint8_t>(Record::entry));
  pack(out, entry);
  out.finish();
}

void encode(const RaftSnapshot& snapshot, std::string& to) {
  Packer out(to);
  out.byte(static_cast<std::uint8_t>(Record::snapshot));
  out.number(snapshot.term);
  out.number(snapshot.index);
  out.text(snapshot.data);
  out.finish();
}

bool decode_raft_record(std::string_view bytes, RaftStored& stored) {
  Unpacker in(bytes);
  switch (static_cast<Record>(in.byte())) {
    case Record::hard: {
      RaftHardState hard;
      hard.term = in.number();
      hard.vote = static_cast<RaftId>(in.number());
      hard.commit = in.number();
      if (!in.finished()) return false;
      stored.hard = hard;
      return true;
    }
    case Record::entry: {
      RaftEntry e = unpack_entry(in, nullptr);
      if (!in.finished()) return false;
      stored.entries.push_back(std::move(e));
      return true;
    }
    case Record::snapshot: {
      RaftSnapshot s;
      s.term = in.number();
      s.index = in.number();
      s.data = in.text();
      if (!in.finished()) return false;
      stored.snapshot = std::move(s);
      stored.entries.clear();  // what was logged before it may contradict it
      return true;
    }
  }
  return false;
}

}  // namespace picklock
