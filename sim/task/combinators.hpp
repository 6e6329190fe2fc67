// Combinators wait for several things: a timeout, the first of some tasks, all of them, an event.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "sim/task/host.hpp"

namespace picklock {

namespace detail {

// Runs `task` to its first suspension, before its parent waits for it; true if it has finished.
template <class T>
bool start(Runtime& runtime, const Task<T>& task) {
  auto& promise = task.handle().promise();
  promise.runtime = &runtime;
  promise.continuation = std::noop_coroutine();
  runtime.run(task.handle());
  return task.done();
}

// Gives tasks up in their order.  The end of a container differs between standard libraries, and it would show:
// places that tasks free are taken again by the next.
template <class T>
void cancel_in_order(std::vector<Task<T>>& tasks) {
  for (Task<T>& task : tasks) task.cancel();
  tasks.clear();
}

}  // namespace detail

// with_timeout(host, task, d): the task's value, or nothing if it takes longer than `d` of the
// node's monotonic time; then it has been cancelled.  A tie is a timeout: its timer is armed first.
template <class T>
class [[nodiscard]] WithTimeout {
 public:
  WithTimeout(const Host& host, Task<T> task, MonoTime due) : host_(host), task_(std::move(task)), due_(due) {}
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> parent) {
    Runtime& runtime = host_.runtime();
    timer_.set(runtime, runtime.wait_until(host_.node(), parent, due_, "timeout"));
    auto& promise = task_.handle().promise();
    promise.runtime = &runtime;
    promise.continuation = parent;
    runtime.next = task_.handle();
  }
  std::optional<T> await_resume() {
    timer_.reset();
    if (task_.done()) return task_.handle().promise().take();
    task_.cancel();
    return std::nullopt;
  }

 private:
  Host host_;
  OwnedWait timer_;
  Task<T> task_;
  MonoTime due_;
};

template <class T>
auto with_timeout(const Host& host, Task<T> task, Duration d) {
  return WithTimeout<T>(host, std::move(task), host.monotonic_now() + d);
}

// first_of(host, tasks): which task finished first, and its value; the others are cancelled.
template <class T>
class [[nodiscard]] FirstOf {
 public:
  FirstOf(const Host& host, std::vector<Task<T>> tasks) : host_(host), tasks_(std::move(tasks)) {}
  FirstOf(FirstOf&&) noexcept = default;
  ~FirstOf() { detail::cancel_in_order(tasks_); }
  bool await_ready() const { return false; }
  bool await_suspend(std::coroutine_handle<> parent) {
    // The parent may be resumed only after every task has been started.
    for (const auto& task : tasks_) {
      if (detail::start(host_.runtime(), task)) return false;
    }
    for (const auto& task : tasks_) task.handle().promise().continuation = parent;
    return true;
  }
  std::pair<std::size_t, T> await_resume() {
    std::size_t i = 0;
    while (!tasks_[i].done()) ++i;
    std::pair<std::size_t, T> result{i, tasks_[i].handle().promise().take()};
    detail::cancel_in_order(tasks_);
    return result;
  }

 private:
  Host host_;
  std::vector<Task<T>> tasks_;
};

template <class T>
auto first_of(const Host& host, std::vector<Task<T>> tasks) {
  return FirstOf<T>(host, std::move(tasks));
}

// all_of(host, tasks): the values of all tasks, in their order, once the last has finished.
template <class T>
class [[nodiscard]] AllOf {
 public:
  AllOf(const Host& host, std::vector<Task<T>> tasks) : host_(host), tasks_(std::move(tasks)) {}
  AllOf(AllOf&&) noexcept = default;
  ~AllOf() { detail::cancel_in_order(tasks_); }
  bool await_ready() const { return tasks_.empty(); }
  bool await_suspend(std::coroutine_handle<> parent) {
    for (const auto& task : tasks_) {
      if (!detail::start(host_.runtime(), task)) ++still_running_;
    }
    for (const auto& task : tasks_) {
      if (task.done()) continue;
      task.handle().promise().continuation = parent;
      task.handle().promise().still_running = &still_running_;
    }
    return still_running_ > 0;
  }
  std::vector<T> await_resume() {
    std::vector<T> values;
    values.reserve(tasks_.size());
    for (const auto& task : tasks_) values.push_back(task.handle().promise().take());
    detail::cancel_in_order(tasks_);
    return values;
  }

 private:
  Host host_;
  std::vector<Task<T>> tasks_;
  std::uint32_t still_running_ = 0;
};

template <class T>
auto all_of(const Host& host, std::vector<Task<T>> tasks) {
  return AllOf<T>(host, std::move(tasks));
}

// An event that tasks of one node wait for.  It stays set until cleared.
class Event {
 public:
  Event(const Host& host, const char* name) : host_(host), name_(name) {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() {
    for (Waiter* w = first_; w != nullptr; w = w->next_) w->event_ = nullptr;
  }

  bool is_set() const { return set_; }
  void clear() { set_ = false; }
  void set() {  // every waiter goes on at this instant, in the order in which they came
    set_ = true;
    notify();
  }
  void notify() {  // wakes those who wait now, and stays clear
    for (Waiter* w = first_; w != nullptr; w = w->next_) host_.runtime().wake(w->wait_.id());
    while (first_ != nullptr) unlink(*first_);
  }

  class [[nodiscard]] Waiter {
   public:
    explicit Waiter(Event& event) : event_(&event) {}
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter() {
      if (event_ != nullptr && linked_) event_->unlink(*this);
    }
    bool await_ready() const { return event_->set_; }
    void await_suspend(std::coroutine_handle<> me) {
      Runtime& runtime = event_->host_.runtime();
      wait_.set(runtime, runtime.wait(event_->host_.node(), me, event_->name_));
      event_->link(*this);
    }
    void await_resume() {}

   private:
    friend class Event;
    Event* event_;
    Waiter *previous_ = nullptr, *next_ = nullptr;
    bool linked_ = false;
    OwnedWait wait_;
  };
  Waiter wait() { return Waiter(*this); }

 private:
  void link(Waiter& w) {
    w.linked_ = true;
    w.previous_ = last_;
    (last_ != nullptr ? last_->next_ : first_) = &w;
    last_ = &w;
  }
  void unlink(Waiter& w) {
    (w.previous_ != nullptr ? w.previous_->next_ : first_) = w.next_;
    (w.next_ != nullptr ? w.next_->previous_ : last_) = w.previous_;
    w.linked_ = false;
    w.previous_ = w.next_ = nullptr;
  }

  Host host_;
  const char* name_;
  Waiter *first_ = nullptr, *last_ = nullptr;
  bool set_ = false;
};

}  // namespace picklock
