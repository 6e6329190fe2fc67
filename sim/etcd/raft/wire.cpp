#include "sim/etcd/raft/wire.hpp"

#include <utility>

namespace picklock {
namespace {

enum class Record : std::uint8_t { hard = 'h', entry = 'e', snapshot = 's' };

RaftEntry unpack_entry(Unpacker& in) {
  RaftEntry e;
  e.term = in.number();
  e.index = in.number();
  e.data = in.text();
  return e;
}

// Mask of the fields that follow: most messages have few of them.
constexpr std::uint64_t has_index = 1, has_log_term = 2, has_commit = 4, has_hint = 8, has_context = 16, rejects = 32,
                        has_entries = 64, has_data = 128;

}  // namespace

void encode(const RaftMessage& m, std::string& to) {
  std::uint64_t has = m.reject ? rejects : 0;
  const auto note = [&has](std::uint64_t field, bool is_there) { has |= is_there ? field : 0; };
  note(has_index, m.index != 0);
  note(has_log_term, m.log_term != 0);
  note(has_commit, m.commit != 0);
  note(has_hint, m.hint != 0);
  note(has_context, m.context != 0);
  note(has_entries, !m.entries.empty());
  note(has_data, !m.data.empty());
  Packer out(to);
  out.byte(static_cast<std::uint8_t>(m.kind));
  for (const std::uint64_t n : {has, std::uint64_t{m.from}, std::uint64_t{m.to}, m.term}) out.number(n);
  for (const std::uint64_t n : {m.index, m.log_term, m.commit, m.hint, m.context}) {
    if (n != 0) out.number(n);
  }
  if (!m.entries.empty()) out.number(m.entries.size());
  for (const RaftEntry& e : m.entries) {
    out.number(e.term);
    out.number(e.index);
    out.text(e.data);
  }
  if (!m.data.empty()) out.text(m.data);
  out.finish();
}

std::optional<RaftMessage> decode_raft_message(std::string_view bytes) {
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
    for (std::uint64_t i = 0; i < count && in.good(); ++i) m.entries.push_back(unpack_entry(in));
  }
  if (has & has_data) m.data = in.text();
  if (!in.finished()) return std::nullopt;
  return m;
}

namespace {

std::string_view encode_head(Record kind, RaftTerm term, RaftIndex index, std::string_view data, RaftRecordHead& to) {
  to.byte(static_cast<std::uint8_t>(kind));
  to.number(term);
  to.number(index);
  to.number(data.size());
  return data;
}

template <class Part>
void encode_record(const Part& part, std::string& to) {
  RaftRecordHead head;
  const std::string_view rest = encode_head(part, head);
  to.append(head.view()).append(rest);
}

}  // namespace

std::string_view encode_head(const RaftHardState& hard, RaftRecordHead& to) {
  to.byte(static_cast<std::uint8_t>(Record::hard));
  to.number(hard.term);
  to.number(hard.vote);
  to.number(hard.commit);
  return {};
}
std::string_view encode_head(const RaftEntry& entry, RaftRecordHead& to) {
  return encode_head(Record::entry, entry.term, entry.index, entry.data, to);
}
std::string_view encode_head(const RaftSnapshot& snapshot, RaftRecordHead& to) {
  return encode_head(Record::snapshot, snapshot.term, snapshot.index, snapshot.data, to);
}

void encode(const RaftHardState& hard, std::string& to) { encode_record(hard, to); }
void encode(const RaftEntry& entry, std::string& to) { encode_record(entry, to); }
void encode(const RaftSnapshot& snapshot, std::string& to) { encode_record(snapshot, to); }

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
      RaftEntry e = unpack_entry(in);
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
      stored.entries.clear();  // entries logged before it may contradict it
      return true;
    }
  }
  return false;
}

}  // namespace picklock
