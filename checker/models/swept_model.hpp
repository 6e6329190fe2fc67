// A model that judges in one pass, and whose state is one value: it is kept as bytes while its lock rests.
//
// Self has state(archive, self), and may have forget_unused(), which is called before its state is written, and doubt(), which
// says in a sentence why nothing is decided, or nothing.
#pragma once

#include <string>
#include <utility>

#include "checker/models/kept_state.hpp"
#include "checker/models/model.hpp"

namespace picklock {

template <class Self>
class SweptModel : public Model {
 public:
  [[nodiscard]] bool keep(StateWriter& to) final {
    if (violated()) return false;
    if constexpr (requires(Self & s) { s.forget_unused(); }) self().forget_unused();
    Self::state(to, self());
    return true;
  }
  void restore(StateReader& from) final { Self::state(from, self()); }

  ModelResult finish(std::uint32_t) final {
    if constexpr (requires(const Self& s) { s.doubt(); }) {
      const std::string doubt = violated() ? "" : self().doubt();
      if (!doubt.empty()) {
        result_.verdict = Verdict::undecided;
        result_.explanation = doubt;
      }
    }
    return std::move(result_);
  }

 protected:
  [[nodiscard]] bool violated() const { return result_.verdict == Verdict::violated; }
  ModelResult result_;

 private:
  Self& self() { return static_cast<Self&>(*this); }
};

}  // namespace picklock
