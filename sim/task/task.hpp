// Task<T>: a coroutine that starts when awaited and gives back a T.
//
// Tasks are resumed by the runtime's trampoline, never by symmetric transfer, which g++ 12 and
// clang 14 do not compile into a dependable tail call.  Destroying a task destroys everything below
// it: destructors run, timers and requests are withdrawn, nothing is sent any more.
//
// Frames come from the arena of the Host that is found among the coroutine's parameters, or in the
// object whose member it is (`host()`).  Spell tasks so that both compilers agree: one `co_await` a
// line, its result named; parameters by value; no capturing lambda coroutines.
#pragma once

#include <coroutine>
#include <cstdlib>
#include <optional>
#include <type_traits>
#include <utility>

#include "sim/task/runtime.hpp"

namespace picklock {

template <class T>
concept KnowsHost = requires(T& x) {
  x.host().arena();
};

template <class First, class... Rest>
decltype(auto) host_among(First& first, Rest&... rest) {
  if constexpr (KnowsHost<First>) {
    return first.host();
  } else {
    return host_among(rest...);
  }
}

struct PromiseBase {
  std::coroutine_handle<> self;            // set when spawned as a root
  std::coroutine_handle<> continuation;    // the task that waits for this one; null for a root
  std::uint32_t* still_running = nullptr;  // set by all_of: the last to finish resumes the continuation
  Runtime* runtime = nullptr;
  std::uint32_t root = 0;  // the runtime's own number of a root

  // Inlined at every level, or g++ would take the pair for a mismatched one.
  template <class... Parameters>
  [[gnu::always_inline]] static void* operator new(std::size_t bytes, Parameters&... parameters) {
    static_assert((KnowsHost<std::remove_cvref_t<Parameters>> || ...),
                  "a task needs a Host among its parameters, or to be a member of a class with host()");
    return host_among(parameters...).arena().allocate(bytes);
  }
  static void operator delete(void* frame, std::size_t bytes) { Arena::release(frame, bytes); }

  std::suspend_always initial_suspend() noexcept { return {}; }
  [[noreturn]] void unhandled_exception() noexcept { std::abort(); }

  struct Final {
    bool await_ready() noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> done) noexcept {
      PromiseBase& p = done.promise();
      if (p.still_running != nullptr && --*p.still_running > 0) return;
      p.runtime->next = p.continuation;
      if (!p.continuation) p.runtime->root_finished(p);
    }
    void await_resume() noexcept {}
  };
  Final final_suspend() noexcept { return {}; }
};

template <class T>
class [[nodiscard]] Task;

namespace detail {

template <class T>
struct Promise : PromiseBase {
  std::optional<T> value;
  Task<T> get_return_object() noexcept;
  template <class U>
  void return_value(U&& u) {
    value.emplace(std::forward<U>(u));
  }
  T take() { return std::move(*value); }
};

template <>
struct Promise<void> : PromiseBase {
  Task<void> get_return_object() noexcept;
  void return_void() noexcept {}
  void take() noexcept {}
};

}  // namespace detail

template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  Task() = default;
  explicit Task(Handle handle) noexcept : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      cancel();
      handle_ = std::exchange(other.handle_, {});
    }
    return *this;
  }
  ~Task() { cancel(); }

  bool done() const { return handle_.done(); }
  void cancel() noexcept {
    if (handle_) std::exchange(handle_, {}).destroy();
  }
  Handle handle() const { return handle_; }
  Handle release() noexcept { return std::exchange(handle_, {}); }

  struct Awaiter {
    Handle handle;
    explicit Awaiter(Handle h) : handle(h) {}
    bool await_ready() const noexcept { return false; }
    template <class Parent>
    void await_suspend(std::coroutine_handle<Parent> parent) noexcept {
      Runtime* const runtime = parent.promise().runtime;
      handle.promise().runtime = runtime;
      handle.promise().continuation = parent;
      runtime->next = handle;
    }
    T await_resume() { return handle.promise().take(); }
  };
  Awaiter operator co_await() const& noexcept { return Awaiter{handle_}; }

 private:
  Handle handle_;
};

template <class T>
Task<T> detail::Promise<T>::get_return_object() noexcept {
  return Task<T>{std::coroutine_handle<Promise<T>>::from_promise(*this)};
}
inline Task<void> detail::Promise<void>::get_return_object() noexcept {
  return Task<void>{std::coroutine_handle<Promise<void>>::from_promise(*this)};
}

}  // namespace picklock
