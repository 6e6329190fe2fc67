#include "checker/models/mutex_ownerless.hpp"

#include <utility>

#include "checker/models/owned_lock.hpp"
#include "checker/models/semaphore_ownerless.hpp"

namespace picklock {
namespace {

// A mutex that may be taken at first, or not: both are judged side by side, and one that holds is enough.
class EitherFirst final : public Model {
 public:
  EitherFirst(std::unique_ptr<Model> taken, std::unique_ptr<Model> untaken)
      : taken_(std::move(taken)), untaken_(std::move(untaken)) {}

  void invoked(const OperationEvent& invoke, std::size_t role) override {
    for (Model* const each : both()) each->invoked(invoke, role);
  }
  void returned(const OperationEvent& invoke, const OperationEvent& end, std::size_t role) override {
    for (Model* const each : both()) each->returned(invoke, end, role);
  }
  void outlived(const OperationEvent& crashed, std::size_t role) override {
    for (Model* const each : both()) each->outlived(crashed, role);
  }
  // The later of two violations counts: what shows up to there has another explanation.
  ModelResult finish(std::uint32_t turn) override {
    ModelResult first = taken_->finish(turn), second = untaken_->finish(turn);
    const auto violated = [](const ModelResult& r) { return r.verdict == Verdict::violated; };
    if (violated(first) != violated(second)) return violated(first) ? second : first;
    if (!violated(first)) return first;
    return first.events.back().index > second.events.back().index ? first : second;
  }
  [[nodiscard]] std::size_t memory() const override { return sizeof *this + taken_->memory() + untaken_->memory(); }

 private:
  [[nodiscard]] std::array<Model*, 2> both() const { return {taken_.get(), untaken_.get()}; }

  std::unique_ptr<Model> taken_, untaken_;
};

}  // namespace

std::unique_ptr<Model> make_mutex_ownerless(const ModelContext& context) {
  ModelContext one = context;
  one.parameter = 1;
  if (!unknown_first(context)) return make_semaphore_ownerless(one);
  const auto with = [&](std::string_view free) {
    one.initial = free;
    return make_semaphore_ownerless(one);
  };
  return std::make_unique<EitherFirst>(with("0"), with("1"));
}

}  // namespace picklock
