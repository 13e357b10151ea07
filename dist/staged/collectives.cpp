#include "dist/staged/collectives.hpp"

#include <ATen/Context.h>
#include <ATen/ops/empty.h>

#include <string>

#include "base/error.hpp"
#include "dist/collectives.hpp"

namespace gausscse {

namespace {

/// Host memory that is kept from call to call, and grows where it is too small.
class HostBuffer {
 public:
  /// Returns memory for a tensor like `like`, in one dimension.
  at::Tensor like(const at::Tensor& like) {
    const auto bytes = static_cast<std::int64_t>(like.nbytes());
    // Only pinned memory is copied by the GPU itself.
    const bool pinned = like.is_cuda() && at::globalContext().hasCUDA();
    if (!memory_.defined() || memory_.numel() < bytes || pinned_ != pinned) {
      pinned_ = pinned;
      memory_ = at::Tensor();
      memory_ = at::empty({bytes}, at::TensorOptions(at::kByte).pinned_memory(pinned));
    }
    return memory_.narrow(0, 0, bytes).view(like.scalar_type());
  }

  at::Tensor copy_of(const at::Tensor& tensor) {
    at::Tensor copy = like(tensor);
    copy.copy_(tensor.view(-1));
    return copy;
  }

 private:
  at::Tensor memory_;
  bool pinned_ = false;
};

class StagedCollectives : public Collectives {
 public:
  StagedCollectives(std::unique_ptr<Collectives> host, std::function<bool(const at::Tensor&)> must_be_staged)
      : host_(std::move(host)), must_be_staged_(std::move(must_be_staged)), name_(concat(host_->name(), ", staged")) {}

  const char* name() const override { return name_.c_str(); }

  void run(const TensorCall& call) override {
    type_of_collective(call);
    const bool is_staged = must_be_staged_(call.data);
    GAUSSCSE_CHECK(!call.out.defined() || must_be_staged_(call.out) == is_staged,
                   "tensors of one collective are on one device");
    if (!is_staged) return host_->run(call);
    TensorCall there = call;
    there.data = sent_.copy_of(call.data);
    if (call.out.defined()) there.out = received_.like(call.out);
    host_->run(there);
    const at::Tensor &changed = call.out.defined() ? call.out : call.data,
                     &result = call.out.defined() ? there.out : there.data;
    changed.view(-1).copy_(result);
  }

 private:
  std::unique_ptr<Collectives> host_;
  std::function<bool(const at::Tensor&)> must_be_staged_;
  std::string name_;
  HostBuffer sent_, received_;
};

}  // namespace

std::unique_ptr<Collectives> make_staged_collectives(std::unique_ptr<Collectives> host) {
  return make_staged_collectives(std::move(host), [](const at::Tensor& tensor) { return !tensor.is_cpu(); });
}

std::unique_ptr<Collectives> make_staged_collectives(std::unique_ptr<Collectives> host,
                                                     std::function<bool(const at::Tensor&)> must_be_staged) {
  return std::make_unique<StagedCollectives>(std::move(host), std::move(must_be_staged));
}

}  // namespace gausscse
