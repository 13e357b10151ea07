#include "dist/collectives.hpp"

#include <numeric>
#include <utility>

#include "base/error.hpp"

namespace gausscse {

namespace {

class DoneAlready final : public PendingCollective {
 public:
  void wait() override {}
};

}  // namespace

std::int64_t TensorCall::elements() const {
  return out.defined() ? std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) : data.numel();
}

std::unique_ptr<PendingCollective> Collectives::begin(const TensorCall& call) {
  run(call);
  return std::make_unique<DoneAlready>();
}

at::ScalarType type_of_collective(const TensorCall& call) {
  const at::ScalarType type = call.data.scalar_type();
  GAUSSCSE_CHECK(type == at::kFloat || type == at::kDouble, "collectives take float32 or float64, not ", type);
  for (const at::Tensor* tensor : {&call.data, &call.out}) {
    if (!tensor->defined()) continue;
    GAUSSCSE_CHECK(tensor->device() == call.data.device(), "one collective has one device, not ", call.data.device(),
                   " and ", tensor->device());
    GAUSSCSE_CHECK(tensor->is_contiguous(), "collectives take contiguous tensors");
    GAUSSCSE_CHECK(tensor->scalar_type() == type, "one collective has one type, not ", type, " and ",
                   tensor->scalar_type());
  }
  return type;
}

void check_counts(const TensorCall& call, int rank, int size) {
  if (!call.out.defined()) return;
  GAUSSCSE_CHECK(static_cast<int>(call.counts.size()) == size, "one count a rank");
  const auto count_of = [&](int of) { return call.counts[static_cast<std::size_t>(of)]; };
  std::int64_t given = count_of(rank), taken = call.elements();
  if (call.collective == Collective::reduce_scatter_sum) std::swap(given, taken);
  if (call.collective == Collective::all_to_all) given *= size;
  if (call.collective == Collective::ring_shift) taken = count_of((rank + size - 1) % size);
  GAUSSCSE_CHECK(call.data.numel() == given && call.out.numel() == taken, "tensors have the elements of their counts");
}

}  // namespace gausscse
