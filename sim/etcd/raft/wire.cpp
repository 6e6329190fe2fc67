#include "sim/etcd/raft/wire.hpp"

#include <utility>

#include "base/varint.hpp"

namespace picklock {
namespace {

enum class Record : std::uint8_t { hard = 'h', entry = 'e', snapshot = 's' };

RaftData data_of(std::string_view bytes, RaftDataPool* pool) {
  return pool == nullptr || bytes.empty() ? RaftData(bytes) : pool->share(bytes);
}

constexpr std::size_t kMostOfNumber = 10;

char* put_text(char* to, std::string_view text) {
  to = put_varint(to, text.size());
  copy_short(to, text.data(), text.size());
  return to + text.size();
}

std::size_t most_of(const RaftEntry& e) { return 3 * kMostOfNumber + e.data.view().size(); }
char* put(char* to, const RaftEntry& e) {
  to = put_varint(to, e.term);
  to = put_varint(to, e.index);
  return put_text(to, e.data);
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

[[gnu::always_inline]] inline char* put_head(char* to, const RaftMessageHead& m, std::uint64_t carried) {
  std::uint64_t has = carried | (m.reject ? rejects : 0);
  *to++ = static_cast<char>(m.kind);
  static_assert(has_data == 0x80, "it alone takes a second byte");
  char* const place = to;  // of `has`, which is known at the end
  to += carried < has_data ? 1 : 2;
  to = put_varint(to, m.from);
  to = put_varint(to, m.to);
  to = put_varint(to, m.term);
  const auto add = [&has, &to](std::uint64_t field, std::uint64_t n) {
    if (n == 0) return;
    has |= field;
    to = put_varint(to, n);
  };
  add(has_index, m.index);
  add(has_log_term, m.log_term);
  add(has_commit, m.commit);
  add(has_hint, m.hint);
  add(has_context, m.context);
  put_varint(place, has);
  return to;
}

}  // namespace

void encode_whole(const RaftMessageHead& m, RaftHeadBytes& head) {
  head.size = static_cast<std::size_t>(put_head(head.bytes, m, 0) - head.bytes);
}

void encode(const RaftMessage& m, std::string& to) {
  const std::size_t before = to.size();
  std::size_t most = sizeof(RaftHeadBytes::bytes) + 2 * kMostOfNumber + m.data.view().size();
  for (const RaftEntry& e : m.entries) most += most_of(e);
  to.resize(before + most);
  char* end = to.data() + before;
  end = put_head(end, m, (m.entries.empty() ? 0 : has_entries) | (m.data.empty() ? 0 : has_data));
  if (!m.entries.empty()) {
    end = put_varint(end, m.entries.size());
    for (const RaftEntry& e : m.entries) end = put(end, e);
  }
  if (!m.data.empty()) end = put_text(end, m.data);
  to.resize(static_cast<std::size_t>(end - to.data()));
}

bool decode(std::string_view bytes, RaftMessage& m, RaftDataPool* pool) {
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
    if (count > in.rest().size() / 3) return false;  // an entry takes three bytes and more
    m.entries.reserve(count);
    for (std::uint64_t i = 0; i < count && in.good(); ++i) m.entries.push_back(unpack_entry(in, pool));
  }
  if (has & has_data) m.data = data_of(in.text(), pool);
  return in.finished();
}

std::optional<RaftMessage> decode_raft_message(std::string_view bytes) {
  std::optional<RaftMessage> m(std::in_place);
  if (!decode(bytes, *m, nullptr)) m.reset();
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
