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

  void all_reduce_sum(at::Tensor data) override {
    in_place(data, [&](const at::Tensor& there) { host_->all_reduce_sum(there); });
  }
  void all_gather(const at::Tensor& local, std::span<const std::int64_t> counts, at::Tensor out) override {
    from_to(local, out, [&](const at::Tensor& in, const at::Tensor& there) { host_->all_gather(in, counts, there); });
  }
  void reduce_scatter_sum(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) override {
    from_to(data, out,
            [&](const at::Tensor& in, const at::Tensor& there) { host_->reduce_scatter_sum(in, counts, there); });
  }
  void all_to_all(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) override {
    from_to(data, out, [&](const at::Tensor& in, const at::Tensor& there) { host_->all_to_all(in, counts, there); });
  }
  void ring_shift(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) override {
    from_to(data, out, [&](const at::Tensor& in, const at::Tensor& there) { host_->ring_shift(in, counts, there); });
  }
  void broadcast(at::Tensor data, int root) override {
    in_place(data, [&](const at::Tensor& there) { host_->broadcast(there, root); });
  }

 private:
  template <typename Call>
  void in_place(const at::Tensor& data, const Call& call) {
    type_of_collective({data});
    if (!must_be_staged_(data)) return call(data);
    const at::Tensor there = sent_.copy_of(data);
    call(there);
    data.view(-1).copy_(there);
  }

  template <typename Call>
  void from_to(const at::Tensor& from, const at::Tensor& to, const Call& call) {
    type_of_collective({from, to});
    const bool staged = must_be_staged_(from);
    GAUSSCSE_CHECK(must_be_staged_(to) == staged, "tensors of one collective are on one device");
    if (!staged) return call(from, to);
    const at::Tensor in = sent_.copy_of(from), there = received_.like(to);
    call(in, there);
    to.view(-1).copy_(there);
  }

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
