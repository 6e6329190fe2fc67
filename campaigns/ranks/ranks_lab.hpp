// Ranks within one process, for tests: each is a thread. A rank can die, as by kill -9: it sends and hears nothing more.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "campaigns/ranks/ranks.hpp"

namespace picklock::testing {

class RanksLab {
 public:
  explicit RanksLab(std::size_t size) {
    for (std::size_t rank = 0; rank < size; ++rank) ranks_.push_back(std::make_unique<One>(*this, rank));
  }

  Ranks& operator[](std::size_t rank) { return *ranks_[rank]; }
  std::size_t size() const { return ranks_.size(); }
  // The rank dies after it has sent `messages` more messages.
  void dies(std::size_t rank, std::size_t messages) { ranks_[rank]->left_ = messages; }
  std::size_t messages() const {
    const std::lock_guard guard(mutex_);
    return messages_;
  }

 private:
  class One : public Ranks {
   public:
    One(RanksLab& lab, std::size_t rank) : lab_(lab), rank_(rank) {}
    std::size_t rank() const override { return rank_; }
    std::size_t size() const override { return lab_.size(); }
    void send(std::size_t to, const std::string& message) override {
      const std::lock_guard guard(lab_.mutex_);
      if (left_ == 0) return;
      --left_;
      ++lab_.messages_;
      lab_.ranks_[to]->arrived_.push_back({rank_, message});
    }
    std::optional<Received> receive() override {
      const std::lock_guard guard(lab_.mutex_);
      if (left_ == 0 || arrived_.empty()) return std::nullopt;
      Received first = std::move(arrived_.front());
      arrived_.pop_front();
      return first;
    }

   private:
    friend class RanksLab;
    RanksLab& lab_;
    std::size_t rank_;
    std::size_t left_ = SIZE_MAX;
    std::deque<Received> arrived_;
  };

  mutable std::mutex mutex_;
  std::size_t messages_ = 0;
  std::vector<std::unique_ptr<One>> ranks_;
};

}  // namespace picklock::testing
