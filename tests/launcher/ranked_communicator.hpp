#pragma once

#include "base/error.hpp"
#include "dist/communicator.hpp"

namespace gausscse {

/// Says that it is one of several ranks, and can do nothing.
class RankedCommunicator : public Communicator {
 public:
  RankedCommunicator(int rank, int size) : rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int local_rank() const override { return rank_; }
  int local_size() const override { return size_; }
  const char* name() const override { return "none"; }

  void barrier() override { refuse(); }
  void local_barrier() override { refuse(); }
  void run(const TensorCall&) override { refuse(); }
  void broadcast_numbers(std::span<double>) override { refuse(); }
  std::vector<std::string> all_gather_text(const std::string&) override {
    refuse();
    return {};
  }

 private:
  static void refuse() { GAUSSCSE_CHECK(false, "there are no other ranks"); }

  int rank_, size_;
};

}  // namespace gausscse
