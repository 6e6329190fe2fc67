// State that all locks of one process share: a library's client, its registry of subscriptions, its
// watchdog.
//
//   auto& redisson = context.process->get<RedissonClient>(context.host);
//
// One object of each type for each process; made at its first use, gone when the process dies.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace picklock {

class ProcessLocals {
 public:
  // `arguments` are used if the object is made now.
  template <class T, class... Args>
  T& get(Args&&... arguments) {
    for (const Entry& e : entries_) {
      if (e.type == &kTag<T>) return static_cast<Holder<T>&>(*e.object).value;
    }
    auto made = std::make_unique<Holder<T>>(std::forward<Args>(arguments)...);
    T& value = made->value;
    entries_.push_back({&kTag<T>, std::move(made)});
    return value;
  }
  void clear() {
    while (!entries_.empty()) entries_.pop_back();
  }
  ProcessLocals() = default;
  ProcessLocals(const ProcessLocals&) = delete;
  ProcessLocals& operator=(const ProcessLocals&) = delete;
  ~ProcessLocals() { clear(); }

 private:
  struct Base {
    virtual ~Base() = default;
  };
  template <class T>
  struct Holder final : Base {
    template <class... Args>
    explicit Holder(Args&&... arguments) : value(std::forward<Args>(arguments)...) {}
    T value;
  };
  struct Entry {
    const void* type;
    std::unique_ptr<Base> object;
  };
  template <class T>
  static constexpr char kTag = 0;
  std::vector<Entry> entries_;
};

}  // namespace picklock
