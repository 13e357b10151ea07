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

std::unique_ptr<PendingCollective> Collectives::begin_all_reduce_sum(at::Tensor data) {
  all_reduce_sum(std::move(data));
  return std::make_unique<DoneAlready>();
}

at::ScalarType type_of_collective(std::initializer_list<std::reference_wrapper<const at::Tensor>> tensors) {
  const at::Tensor& first = *tensors.begin();
  const at::ScalarType type = first.scalar_type();
  GAUSSCSE_CHECK(type == at::kFloat || type == at::kDouble, "collectives take float32 or float64, not ", type);
  for (const at::Tensor& tensor : tensors) {
    GAUSSCSE_CHECK(tensor.device() == first.device(), "one collective has one device, not ", first.device(), " and ",
                   tensor.device());
    GAUSSCSE_CHECK(tensor.is_contiguous(), "collectives take contiguous tensors");
    GAUSSCSE_CHECK(tensor.scalar_type() == type, "one collective has one type, not ", type, " and ",
                   tensor.scalar_type());
  }
  return type;
}

at::ScalarType type_of_host_collective(std::initializer_list<std::reference_wrapper<const at::Tensor>> tensors) {
  const at::ScalarType type = type_of_collective(tensors);
  const at::Tensor& first = *tensors.begin();
  GAUSSCSE_CHECK(first.is_cpu(), "this transport takes tensors of the CPU, not of ", first.device());
  return type;
}

void check_counts(std::span<const std::int64_t> counts, int rank, int size, std::int64_t own, std::int64_t all) {
  GAUSSCSE_CHECK(static_cast<int>(counts.size()) == size, "one count a rank");
  GAUSSCSE_CHECK(counts[static_cast<std::size_t>(rank)] == own, "this rank's count is that of its tensor");
  GAUSSCSE_CHECK(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) == all,
                 "the counts add up to the whole");
}

void check_ring_counts(std::span<const std::int64_t> counts, int rank, int size, std::int64_t sent,
                       std::int64_t received) {
  GAUSSCSE_CHECK(static_cast<int>(counts.size()) == size && counts[static_cast<std::size_t>(rank)] == sent &&
                     counts[static_cast<std::size_t>((rank + size - 1) % size)] == received,
                 "tensors have the counts of this rank and of the one before");
}

}  // namespace gausscse
