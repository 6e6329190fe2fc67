#include "sim/etcd/raft/wire.hpp"

#include <utility>

namespace picklock {
namespace {

enum class Record : char { hard = 'h', entry = 'e', snapshot = 's' };

void put(std::string& to, std::uint64_t n) {
  for (; n >= 0x80; n >>= 7) to.push_back(static_cast<char>(0x80 | (n & 0x7f)));
  to.push_back(static_cast<char>(n));
}

void put(std::string& to, std::string_view block) {
  put(to, block.size());
  to.append(block);
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number() {
    std::uint64_t n = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      n |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return n;
    }
    good_ = false;
    return 0;
  }
  std::string block() {
    const std::uint64_t size = number();
    if (size > rest_.size()) good_ = false;
    if (!good_) return {};
    std::string out(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return out;
  }
  RaftEntry entry() {
    RaftEntry e;
    e.term = number();
    e.index = number();
    e.data = block();
    return e;
  }
  std::size_t left() const { return rest_.size(); }
  bool good() const { return good_; }
  bool good_and_done() const { return good_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool good_ = true;
};

void put_entry(std::string& to, const RaftEntry& e) {
  put(to, e.term);
  put(to, e.index);
  put(to, std::string_view(e.data));
}

// Which of the fields follow: most messages have few of them.
constexpr std::uint64_t has_index = 1, has_log_term = 2, has_commit = 4, has_hint = 8, has_context = 16, rejects = 32,
                        has_entries = 64, has_data = 128;

}  // namespace

void encode(const RaftMessage& m, std::string& to) {
  const std::uint64_t has = (m.index != 0 ? has_index : 0u) | (m.log_term != 0 ? has_log_term : 0u) |
                            (m.commit != 0 ? has_commit : 0u) | (m.hint != 0 ? has_hint : 0u) |
                            (m.context != 0 ? has_context : 0u) | (m.reject ? rejects : 0u) |
                            (!m.entries.empty() ? has_entries : 0u) | (!m.data.empty() ? has_data : 0u);
  to.push_back(static_cast<char>(m.kind));
  put(to, has);
  put(to, m.from);
  put(to, m.to);
  put(to, m.term);
  if (has & has_index) put(to, m.index);
  if (has & has_log_term) put(to, m.log_term);
  if (has & has_commit) put(to, m.commit);
  if (has & has_hint) put(to, m.hint);
  if (has & has_context) put(to, m.context);
  if (has & has_entries) {
    put(to, m.entries.size());
    for (const RaftEntry& e : m.entries) put_entry(to, e);
  }
  if (has & has_data) put(to, std::string_view(m.data));
}

std::optional<RaftMessage> decode_raft_message(std::string_view bytes) {
  if (bytes.empty() || static_cast<unsigned char>(bytes[0]) >= static_cast<unsigned>(RaftMessage::Kind::count_)) {
    return std::nullopt;
  }
  RaftMessage m;
  m.kind = static_cast<RaftMessage::Kind>(bytes[0]);
  Reader in(bytes.substr(1));
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
    if (count > in.left() / 3) return std::nullopt;  // an entry takes three bytes and more
    m.entries.reserve(count);
    for (std::uint64_t i = 0; i < count && in.good(); ++i) m.entries.push_back(in.entry());
  }
  if (has & has_data) m.data = in.block();
  if (!in.good_and_done()) return std::nullopt;
  return m;
}

void encode(const RaftHardState& hard, std::string& to) {
  to.push_back(static_cast<char>(Record::hard));
  put(to, hard.term);
  put(to, hard.vote);
  put(to, hard.commit);
}

void encode(const RaftEntry& entry, std::string& to) {
  to.push_back(static_cast<char>(Record::entry));
  put_entry(to, entry);
}

void encode(const RaftSnapshot& snapshot, std::string& to) {
  to.push_back(static_cast<char>(Record::snapshot));
  put_entry(to, {snapshot.term, snapshot.index, snapshot.data});
}

bool decode_raft_record(std::string_view bytes, RaftStored& stored) {
  if (bytes.empty()) return false;
  Reader in(bytes.substr(1));
  switch (static_cast<Record>(bytes[0])) {
    case Record::hard: {
      RaftHardState hard;
      hard.term = in.number();
      hard.vote = static_cast<RaftId>(in.number());
      hard.commit = in.number();
      if (!in.good_and_done()) return false;
      stored.hard = hard;
      return true;
    }
    case Record::entry: {
      RaftEntry e = in.entry();
      if (!in.good_and_done()) return false;
      stored.entries.push_back(std::move(e));
      return true;
    }
    case Record::snapshot: {
      RaftEntry s = in.entry();
      if (!in.good_and_done()) return false;
      stored.snapshot = {s.index, s.term, std::move(s.data)};
      stored.entries.clear();  // what was logged before it may contradict it
      return true;
    }
  }
  return false;
}

}  // namespace picklock
