// Channels, select and tickers, as Go has them, between the tasks of one process.
//
//   GoChannel<bool> stop(host);            // make(chan bool): a send waits for a receiver
//   co_await stop.send(true);
//
//   GoTicker ticker(host, milliseconds(10));
//   GoReceive<bool> stopped(stop);
//   const std::size_t chosen = co_await go_select(host, {&ticker, &stopped});   // 0: a tick
//
// Promises: what a send gives reaches one receiver at most.  If several cases can go on at once,
//           select takes any (a draw), as Go does.  One that is given up leaves nothing in a channel.
// Does not: model what the scheduler of Go does between the goroutines of one process: the one that is
//           woken runs at that instant, in the order of waking.
// From:     The Go Programming Language Specification, "Channel types", "Select statements"; time.Ticker.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/task/combinators.hpp"
#include "sim/task/fields.hpp"
#include "sim/task/outcome.hpp"

namespace picklock {

// One select, or one send or receive, that waits.
struct GoSelection {
  explicit GoSelection(const Host& host) : woken(host, "a channel") {}
  void decide(std::size_t index) {
    chosen = index;
    woken.set();
  }
  Event woken;
  std::optional<std::size_t> chosen;
};

// A case of a select; it lives in the frame of the selecting task.
class GoCase {
 public:
  virtual bool can_go_on() const = 0;
  virtual void go_on() = 0;  // call it only if it can go on
  virtual void enlist(GoSelection&, std::size_t) {}
  virtual void withdraw(const GoSelection&) {}
  virtual std::optional<MonoTime> due() const { return std::nullopt; }  // instant at which time alone lets it go on

 protected:
  ~GoCase() = default;
};

// Waits until one of the cases goes on, and says which.
Task<std::size_t> go_select(Host host, std::vector<GoCase*> cases);

template <class T>
class GoChannel {
 public:
  // `capacity` 0: unbuffered.
  explicit GoChannel(const Host& host, std::size_t capacity = 0) : host_(host), capacity_(capacity) {}
  GoChannel(const GoChannel&) = delete;
  GoChannel& operator=(const GoChannel&) = delete;

  const Host& host() const { return host_; }

  Task<Nothing> send(T value);
  Task<std::optional<T>> receive();  // nothing: closed
  // A select with time.After beside it: nothing also if the patience ends first.  kForever: no limit.
  Task<std::optional<T>> receive_within(Duration patience);
  void close() {  // receivers go on with nothing; further sends are errors
    closed_ = true;
    while (!receivers_.empty()) take_first(receivers_);
  }
  std::size_t buffered() const { return buffer_.size(); }
  std::size_t senders_waiting() const { return senders_.size(); }

 private:
  template <class>
  friend class GoSend;
  template <class>
  friend class GoReceive;
  struct Waiting {
    GoSelection* selection;
    std::size_t index;
    std::optional<T>* value;  // sender: the value to send; receiver: where to put it
  };
  // A selection may wait in several channels; the first that decides it withdraws it from all only
  // when its task runs, so others must pass over it.
  static bool somebody(const std::deque<Waiting>& all) {
    return std::any_of(all.begin(), all.end(), [](const Waiting& w) { return !w.selection->chosen; });
  }
  static std::optional<T>* take_first(std::deque<Waiting>& all) {
    while (!all.empty()) {
      const Waiting first = all.front();
      all.pop_front();
      if (first.selection->chosen) continue;
      first.selection->decide(first.index);
      return first.value;
    }
    return nullptr;
  }
  static void withdraw(std::deque<Waiting>& all, const GoSelection& selection) {
    std::erase_if(all, [&](const Waiting& w) { return w.selection == &selection; });
  }

  Host host_;
  std::size_t capacity_;
  bool closed_ = false;
  std::deque<T> buffer_;
  std::deque<Waiting> senders_, receivers_;
};

template <class T>
class GoReceive final : public GoCase {
 public:
  explicit GoReceive(GoChannel<T>& channel) : channel_(channel) {}
  std::optional<T> value;  // set once it has been chosen; nothing: the channel is closed

  bool can_go_on() const override {
    return !channel_.buffer_.empty() || GoChannel<T>::somebody(channel_.senders_) || channel_.closed_;
  }
  void go_on() override {
    if (!channel_.buffer_.empty()) {
      value = std::move(channel_.buffer_.front());
      channel_.buffer_.pop_front();
      // A sender that waited for room has it now.
      if (auto* sent = GoChannel<T>::take_first(channel_.senders_)) channel_.buffer_.push_back(std::move(**sent));
    } else if (auto* sent = GoChannel<T>::take_first(channel_.senders_)) {
      value = std::move(*sent);
    }
  }
  void enlist(GoSelection& s, std::size_t index) override { channel_.receivers_.push_back({&s, index, &value}); }
  void withdraw(const GoSelection& s) override { GoChannel<T>::withdraw(channel_.receivers_, s); }

 private:
  GoChannel<T>& channel_;
};

template <class T>
class GoSend final : public GoCase {
 public:
  GoSend(GoChannel<T>& channel, T value) : channel_(channel), value_(std::move(value)) {}

  bool can_go_on() const override {
    return GoChannel<T>::somebody(channel_.receivers_) || channel_.buffer_.size() < channel_.capacity_;
  }
  void go_on() override {
    if (auto* receiver = GoChannel<T>::take_first(channel_.receivers_)) {
      *receiver = std::move(value_);
    } else {
      channel_.buffer_.push_back(std::move(*value_));
    }
  }
  void enlist(GoSelection& s, std::size_t index) override { channel_.senders_.push_back({&s, index, &value_}); }
  void withdraw(const GoSelection& s) override { GoChannel<T>::withdraw(channel_.senders_, s); }

 private:
  GoChannel<T>& channel_;
  std::optional<T> value_;
};

// Ticks every `period` (at least 1 ns) from now on; a receiver that is late finds one tick, not all.
class GoTicker final : public GoCase {
 public:
  GoTicker(const Host& host, Duration period) : host_(host), period_(period), next_(host.monotonic_now() + period) {}
  bool can_go_on() const override { return host_.monotonic_now() >= next_; }
  void go_on() override {
    const std::int64_t missed = (host_.monotonic_now() - next_).ns / period_.ns;
    next_ = next_ + period_ * (missed + 1);
  }
  std::optional<MonoTime> due() const override { return next_; }

 private:
  Host host_;
  Duration period_;
  MonoTime next_;
};

template <class T>
Task<Nothing> GoChannel<T>::send(T value) {
  GoSend<T> sending(*this, std::move(value));
  std::vector<GoCase*> cases(1, &sending);
  (void)co_await go_select(host_, std::move(cases));
  co_return Nothing{};
}

template <class T>
Task<std::optional<T>> GoChannel<T>::receive() {
  GoReceive<T> receiving(*this);
  std::vector<GoCase*> cases(1, &receiving);
  (void)co_await go_select(host_, std::move(cases));
  co_return std::move(receiving.value);
}

template <class T>
Task<std::optional<T>> GoChannel<T>::receive_within(Duration patience) {
  if (patience >= kForever) {
    auto received = co_await receive();
    co_return received;
  }
  auto in_time = co_await with_timeout(host_, receive(), patience);
  if (!in_time) co_return std::nullopt;
  co_return std::move(*in_time);
}

// The channel that a published Lock() gives back, on which it tells whether it has the lock.
enum class GoGet : std::uint8_t { per_call, unbuffered, buffered };
constexpr auto enum_names(GoGet) { return name_list("per-call", "unbuffered", "buffered"); }

class GoAnswers {
 public:
  using Channel = std::shared_ptr<GoChannel<bool>>;
  GoAnswers(const Host& host, GoGet get)
      : get_(get), of_object_(std::make_shared<GoChannel<bool>>(host, get == GoGet::buffered ? 1 : 0)) {}
  // Channel that the next Lock() gives back: its own, with room for the answer, or always the object's.
  Channel of_call() const {
    return get_ == GoGet::per_call ? std::make_shared<GoChannel<bool>>(of_object_->host(), 1) : of_object_;
  }

 private:
  GoGet get_;
  Channel of_object_;
};

}  // namespace picklock
