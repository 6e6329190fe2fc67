#include "sim/lua/memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace picklock {

LuaMemory::~LuaMemory() {
  while (all_ != nullptr) {
    Link* const next = all_->after;
    std::free(all_);
    all_ = next;
  }
}

void* LuaMemory::resize(void* block, std::size_t before, std::size_t after) {
  if (block == nullptr) before = 0;  // 5.2 says there what kind of block is wanted
  if (after == 0) {
    if (before > 0) give_back(block, before);
    used_ -= before;
    return nullptr;
  }
  if (after > before && used_ - before + after > most_) return nullptr;
  const bool both_small = before > 0 && is_small(before) && is_small(after);
  void* moved = block;
  if (before > 0 && !is_small(before) && !is_small(after)) {
    moved = resize_large(block, after);
  } else if (!both_small || place_of(before) != place_of(after)) {
    moved = take(after);
    if (moved != nullptr && before > 0) {
      std::memcpy(moved, block, std::min(before, after));
      give_back(block, before);
    }
  }
  if (moved != nullptr) used_ += after - before;
  return moved;
}

void* LuaMemory::take(std::size_t size) { return is_small(size) ? take_small(size) : take_large(size); }

void* LuaMemory::take_small(std::size_t size) {
  Free*& first = free_[place_of(size)];
  if (first != nullptr) {
    Free* const found = first;
    first = found->next;
    return found;
  }
  const std::size_t whole = (place_of(size) + 1) * kGrain;
  if (static_cast<std::size_t>(end_ - rest_) < whole) {
    auto* const chunk = static_cast<std::byte*>(take_large(kChunk));
    if (chunk == nullptr) return nullptr;
    rest_ = chunk;
    end_ = chunk + kChunk;
  }
  void* const block = rest_;
  rest_ += whole;
  return block;
}

void* LuaMemory::take_large(std::size_t size) {
  void* const raw = std::malloc(sizeof(Link) + size);
  if (raw == nullptr) return nullptr;
  Link* const made = new (raw) Link{};
  link(made);
  return made + 1;
}

void LuaMemory::give_back(void* block, std::size_t size) {
  if (!is_small(size)) {
    Link* const gone = static_cast<Link*>(block) - 1;
    unlink(gone);
    std::free(gone);
    return;
  }
  Free*& first = free_[place_of(size)];
  first = new (block) Free{first};
}

void* LuaMemory::resize_large(void* block, std::size_t after) {
  Link* const old = static_cast<Link*>(block) - 1;
  unlink(old);
  void* const raw = std::realloc(static_cast<void*>(old), sizeof(Link) + after);
  Link* const now = raw != nullptr ? static_cast<Link*>(raw) : old;
  link(now);
  return raw != nullptr ? now + 1 : nullptr;
}

void LuaMemory::link(Link* made) {
  made->before = nullptr;
  made->after = all_;
  if (all_ != nullptr) all_->before = made;
  all_ = made;
}

void LuaMemory::unlink(Link* gone) {
  (gone->before != nullptr ? gone->before->after : all_) = gone->after;
  if (gone->after != nullptr) gone->after->before = gone->before;
}

}  // namespace picklock
