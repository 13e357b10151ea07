#include "dist/collectives.hpp"

#include "base/error.hpp"

namespace gausscse {

namespace {

class SelfCollectives : public Collectives {
 public:
  const char* name() const override { return "self"; }

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

 private:
  static void copy(const at::Tensor& from, std::span<const std::int64_t> counts, const at::Tensor& to) {
    type_of_collective({from, to});
    GAUSSCSE_CHECK(counts.size() == 1 && counts[0] == from.numel(), "one count, of all elements");
    to.view(-1).copy_(from.view(-1));
  }
};

}  // namespace

std::unique_ptr<Collectives> make_self_collectives() {
  return std::make_unique<SelfCollectives>();
}

}  // namespace gausscse
