// An outcome has three answers: yes, no, unknown.  A timeout is not a failure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace picklock {

// The reason for a missing value.
enum class Why : unsigned char {
  none,
  refused,        // the service said no
  error,          // the service answered with an error; nothing took effect
  not_connected,  // the request never left: no effect
  timed_out,      // no answer in time: it may have taken effect, or may yet
  disconnected    // the connection ended before the answer: it may have taken effect, or may yet
};

struct Nothing {  // the value of an answer that is only yes or no
  bool operator==(const Nothing&) const = default;
};

template <class T = Nothing>
class [[nodiscard]] Outcome {
 public:
  static Outcome of(T&& value) {
    Outcome o;
    o.value_.emplace(std::move(value));
    return o;
  }
  static Outcome of(const T& value) {
    Outcome o;
    o.value_.emplace(value);
    return o;
  }
  static Outcome refusal(Why why = Why::refused, std::string error = {}) {
    Outcome o;
    o.why_ = why;
    if (!error.empty()) o.error_ = std::make_shared<const std::string>(std::move(error));
    return o;
  }
  // The same refusal, or unknown answer, as of an outcome with another value.
  template <class Other>
  static Outcome as(const Outcome<Other>& answer) {
    Outcome o;
    o.why_ = answer.why_;
    o.error_ = answer.error_;
    return o;
  }
  static Outcome unknown_because(Why why) {
    Outcome o;
    o.why_ = why;
    return o;
  }

  bool yes() const { return value_.has_value(); }
  bool refused() const {  // definitely without effect
    return why_ == Why::refused || why_ == Why::error || why_ == Why::not_connected;
  }
  bool unknown() const { return why_ == Why::timed_out || why_ == Why::disconnected; }

  Why why() const { return why_; }
  const std::string& error() const {  // the service's own words
    static const std::string kNone;
    return error_ != nullptr ? *error_ : kNone;
  }
  const T& value() const { return *value_; }
  T& value() { return *value_; }
  T value_or(T other) const { return value_ ? *value_ : std::move(other); }

 private:
  template <class>
  friend class Outcome;

  std::optional<T> value_;
  Why why_ = Why::none;
  std::shared_ptr<const std::string> error_;  // null except for some errors
};

}  // namespace picklock
