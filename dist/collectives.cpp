#include "dist/collectives.hpp"

#include <utility>

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

}  // namespace gausscse
