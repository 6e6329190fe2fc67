// The memory of the program: small blocks come from lists of their thread, by size, in a dozen instructions.
//
// A campaign makes and drops the same texts and lists in every run, a tenth of its instructions with the allocator of
// the C library.  Blocks of up to 512 bytes lie in pages of one size each, within a stretch of addresses that is
// reserved at the start; so a block without its size finds its list again.  A thread that frees more than it makes
// hands blocks on to the others, and so does one that ends.  Larger blocks, and everything if no addresses can be
// reserved, are the C library's.
//
// Part of the program alone, and not of the libraries.  A build with sanitizers keeps their allocator.
#include "base/sanitizer.hpp"

#if defined(__SANITIZE_THREAD__)
#define PICKLOCK_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PICKLOCK_TSAN 1
#endif
#endif

#if !PICKLOCK_ASAN && !defined(PICKLOCK_TSAN) && defined(__linux__)

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>

namespace picklock {
namespace {

constexpr std::size_t kGrain = 16, kLargest = 512, kClasses = kLargest / kGrain + 1;
constexpr std::size_t kPage = 16 * 1024, kPages = 256 * 1024;  // 4 GB of addresses, of which few are used
constexpr std::uint32_t kMostKept = 4096;                      // blocks of one size that a thread keeps for itself

struct Free {
  Free* next;
  Free* next_bundle;  // among those that were handed on: of the first of a bundle
};
static_assert(sizeof(Free) <= kGrain);

struct List {
  Free* first;
  std::uint32_t size;
};

// Zero before anything runs, and never destroyed: other objects are made earlier and destroyed later.
constinit thread_local std::array<List, kClasses> mine{};
constinit std::byte* stretch = nullptr;
constinit std::array<std::uint8_t, kPages> class_of_page{};

// All threads share these.
constinit std::mutex shared;
constinit std::array<Free*, kClasses> handed_on{};
constinit std::size_t pages_used = 0;
constinit bool reserved = false;

constexpr std::size_t class_of(std::size_t bytes) { return (bytes + kGrain - 1) / kGrain; }

[[gnu::noinline, gnu::cold]] void hand_on(std::size_t size_class) noexcept {
  List& list = mine[size_class];
  if (list.first == nullptr) return;
  const std::lock_guard lock(shared);
  list.first->next_bundle = handed_on[size_class];
  handed_on[size_class] = list.first;
  list = {};
}

// Hands on what an ended thread had kept.
struct LastWill {
  ~LastWill() {
    for (std::size_t c = 0; c < kClasses; ++c) hand_on(c);
  }
};

bool reserve() {
  if (reserved) return stretch != nullptr;
  reserved = true;
  void* const got =
      mmap(nullptr, kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got != MAP_FAILED) stretch = static_cast<std::byte*>(got);
  return stretch != nullptr;
}

// Takes over a bundle of another thread, or a fresh page.  Null: the C library has to help.
void* refill(std::size_t size_class) {
  thread_local const LastWill will;
  (void)will;
  List& list = mine[size_class];
  const std::lock_guard lock(shared);
  if (Free* const bundle = handed_on[size_class]; bundle != nullptr) {
    handed_on[size_class] = bundle->next_bundle;
    for (Free* f = bundle->next; f != nullptr; f = f->next) ++list.size;
    list.first = bundle->next;
    return bundle;
  }
  if (!reserve() || pages_used == kPages) return nullptr;
  std::byte* const page = stretch + pages_used * kPage;
  class_of_page[pages_used++] = static_cast<std::uint8_t>(size_class);
  const std::size_t bytes = size_class * kGrain, blocks = kPage / bytes;
  for (std::size_t i = blocks; --i > 0;) list.first = new (page + i * bytes) Free{list.first, nullptr};
  list.size = static_cast<std::uint32_t>(blocks - 1);
  return page;
}

[[gnu::noinline]] void* allocate_slowly(std::size_t bytes) {
  const std::size_t size_class = class_of(bytes);
  void* block = bytes != 0 && bytes <= kLargest ? refill(size_class) : nullptr;
  // The block is as large as its size class: its owner may give it to a list of blocks.
  const std::size_t whole = bytes <= kLargest ? std::max<std::size_t>(size_class, 1) * kGrain : bytes;
  while (block == nullptr && (block = std::malloc(whole)) == nullptr) {
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
  return block;
}

inline void* allocate(std::size_t bytes) {
  if (bytes <= kLargest) [[likely]] {
    List& list = mine[class_of(bytes)];
    if (Free* const block = list.first; block != nullptr) [[likely]] {
      list.first = block->next;
      --list.size;
      return block;
    }
  }
  return allocate_slowly(bytes);
}

inline void keep(void* block, std::size_t size_class) noexcept {
  List& list = mine[size_class];
  static_cast<Free*>(block)->next = list.first;
  list.first = static_cast<Free*>(block);
  if (++list.size == kMostKept) [[unlikely]]
    return hand_on(size_class);
}

inline void release(void* block) noexcept {
  const auto offset = static_cast<std::size_t>(static_cast<std::byte*>(block) - stretch);
  if (offset >= kPages * kPage || stretch == nullptr) return std::free(block);
  keep(block, class_of_page[offset / kPage]);
}
// The known size saves the look-up of the page.
inline void release(void* block, std::size_t bytes) noexcept {
  if (bytes - 1 >= kLargest || block == nullptr) return release(block);
  keep(block, class_of(bytes));
}

}  // namespace
}  // namespace picklock

void* operator new(std::size_t bytes) { return picklock::allocate(bytes); }
void* operator new[](std::size_t bytes) { return picklock::allocate(bytes); }
void operator delete(void* block) noexcept { picklock::release(block); }
void operator delete[](void* block) noexcept { picklock::release(block); }
void operator delete(void* block, std::size_t bytes) noexcept { picklock::release(block, bytes); }
void operator delete[](void* block, std::size_t bytes) noexcept { picklock::release(block, bytes); }

#endif
