#include "dist/communicator.hpp"

#include "base/error.hpp"
#include "dist/collective_tensors.hpp"

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
  void all_reduce_sum(at::Tensor data) override { type_of_collective({data}); }
  void all_gather(const at::Tensor& local, std::span<const std::int64_t> counts, at::Tensor out) override {
    copy(local, counts, out);
  }
  void reduce_scatter_sum(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) override {
    copy(data, counts, out);
  }
  void all_to_all(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) override {
    copy(data, counts, out);
  }
  void ring_shift(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) override {
    copy(data, counts, out);
  }
  void broadcast(at::Tensor data, int root) override {
    type_of_collective({data});
    GAUSSCSE_CHECK(root == 0, "the only rank is 0");
  }
  std::vector<std::string> all_gather_text(const std::string& text) override { return {text}; }

 private:
  static void copy(const at::Tensor& from, std::span<const std::int64_t> counts, const at::Tensor& to) {
    type_of_collective({from, to});
    GAUSSCSE_CHECK(counts.size() == 1 && counts[0] == from.numel(), "one count, of all elements");
    to.view(-1).copy_(from.view(-1));
  }
};

}  // namespace

std::unique_ptr<Communicator> make_self_communicator() {
  return std::make_unique<SelfCommunicator>();
}

}  // namespace gausscse
