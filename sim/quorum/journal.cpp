#include "sim/quorum/journal.hpp"

#include "base/hash.hpp"
#include "base/small_bytes.hpp"

namespace picklock {
namespace {

void put_u32(char* to, std::uint32_t n) {
  to[0] = static_cast<char>(n);
  to[1] = static_cast<char>(n >> 8);
  to[2] = static_cast<char>(n >> 16);
  to[3] = static_cast<char>(n >> 24);
}

std::uint32_t u32_at(std::string_view from, std::size_t at) {
  std::uint32_t n = 0;
  for (std::size_t i = 0; i < 4; ++i) n |= std::uint32_t{static_cast<unsigned char>(from[at + i])} << (8 * i);
  return n;
}

std::uint32_t checksum(std::string_view record) {
  const std::uint64_t h = mix(hash_bytes(record), record.size());
  return static_cast<std::uint32_t>(h ^ h >> 32);
}

}  // namespace

void Journal::frame(std::string& to, std::string_view begin, std::string_view rest) {
  const std::size_t at = to.size(), size = begin.size() + rest.size();
  to.resize(at + kHeader + size);
  char* const frame = to.data() + at;
  copy_short(frame + kHeader, begin.data(), begin.size());
  copy_short(frame + kHeader + begin.size(), rest.data(), rest.size());
  put_u32(frame, static_cast<std::uint32_t>(size));
  put_u32(frame + 4, checksum({frame + kHeader, size}));
}

std::size_t Journal::length_at(std::string_view all, std::size_t at) { return u32_at(all, at); }

std::size_t Journal::whole_frames(std::string_view all) {
  std::size_t at = 0;
  while (all.size() - at >= kHeader) {
    const std::size_t length = length_at(all, at);
    if (length > all.size() - at - kHeader) break;
    if (u32_at(all, at + 4) != checksum(all.substr(at + kHeader, length))) break;
    at += kHeader + length;
  }
  return at;
}

void Journal::open(World& world, NodeId node, std::string_view name) {
  world_ = &world;
  node_ = node;
  pending_.clear();
  Disk& disk = world.nodes.disk(node);
  file_ = disk.open(name);
  const std::string& all = disk.contents(file_);
  const std::size_t whole = whole_frames(all);
  if (whole != all.size()) disk.replace(file_, all.substr(0, whole));
}

DiskWrite Journal::write() {
  writing_.swap(pending_);
  pending_.clear();
  return DiskWrite(*world_, world_->host(node_), file_, writing_);
}

void Journal::replace() {
  world_->nodes.disk(node_).replace(file_, pending_);
  pending_.clear();
}

}  // namespace picklock
