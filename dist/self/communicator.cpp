#include "dist/communicator.hpp"

#include "base/error.hpp"

namespace gausscse {

namespace {

class SelfCommunicator : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  int local_rank() const override { return 0; }
  int local_size() const override { return 1; }
  const char* name() const override { return "self"; }

  void barrier() override {}
  void local_barrier() override {}
  void all_reduce_sum(at::Tensor) override {}
  void all_gather(const at::Tensor& local, std::span<const std::int64_t> counts, at::Tensor out) override {
    GAUSSCSE_CHECK(counts.size() == 1 && counts[0] == local.numel(), "one count, of all elements");
    out.view(-1).copy_(local.view(-1));
  }
  void reduce_scatter_sum(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) override {
    GAUSSCSE_CHECK(counts.size() == 1 && counts[0] == data.numel(), "one count, of all elements");
    out.view(-1).copy_(data.view(-1));
  }
  void all_to_all(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) override {
    GAUSSCSE_CHECK(counts.size() == 1 && counts[0] == data.numel(), "one count, of all elements");
    out.view(-1).copy_(data.view(-1));
  }
  void broadcast(at::Tensor, int root) override { GAUSSCSE_CHECK(root == 0, "the only rank is 0"); }
  std::vector<std::string> all_gather_text(const std::string& text) override { return {text}; }
};

}  // namespace

std::unique_ptr<Communicator> make_self_communicator() {
  return std::make_unique<SelfCommunicator>();
}

}  // namespace gausscse
