#include "dist/nccl/device_collectives.hpp"

#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <thread>

#include "base/error.hpp"
#include "dist/collectives.hpp"

namespace gausscse::detail {

namespace {

c10::Stream current_stream(at::Device device) {
  return c10::impl::VirtualGuardImpl(device.type()).getStream(device);
}

class PendingOnDevice final : public PendingCollective {
 public:
  PendingOnDevice(at::Tensor data, std::shared_ptr<c10::Event> end) : data_(std::move(data)), end_(std::move(end)) {}

  void wait() override {
    const c10::DeviceGuard guard(data_.device());
    end_->block(current_stream(data_.device()));
  }

 private:
  at::Tensor data_;  ///< its memory may not be given to others before
  std::shared_ptr<c10::Event> end_;
};

}  // namespace

NcclCollectives::NcclCollectives(std::unique_ptr<Collectives> host, int rank, int size, at::Device device,
                                 const std::string& id, NcclLimits limits)
    : host_(std::move(host)),
      rank_(rank),
      size_(size),
      device_(device),
      exceptions_at_start_(std::uncaught_exceptions()),
      // Its work is what other ranks wait for: before that of other streams where the device can choose.
      stream_(c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device, true)),
      before_(device.type()) {
  // NCCL takes the current device.
  const c10::DeviceGuard guard(device_);
  handle_ = std::make_unique<NcclHandle>(id, rank, size, limits);
}

NcclCollectives::~NcclCollectives() {
  if (std::uncaught_exceptions() > exceptions_at_start_) return;
  try {
    const c10::DeviceGuard guard(device_);
    handle_->finish();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gausscse: rank %d: %s\n", rank_, error.what());
  }
}

std::optional<NcclElement> NcclCollectives::element_of(
    std::initializer_list<std::reference_wrapper<const at::Tensor>> tensors) const {
  const at::ScalarType type = type_of_collective(tensors);
  const at::Tensor& first = *tensors.begin();
  if (first.is_cpu()) return std::nullopt;
  GAUSSCSE_CHECK(first.device() == device_, "collectives take tensors of this rank's device, ", device_, ", not of ",
                 first.device());
  return type == at::kFloat ? NcclElement{ncclFloat32, sizeof(float)} : NcclElement{ncclFloat64, sizeof(double)};
}

std::shared_ptr<c10::Event> NcclCollectives::unused_event() {
  // One that nobody asks after any more, as only this list holds it.
  if (!ends_.empty() && ends_.front().use_count() == 1) {
    std::atomic_thread_fence(std::memory_order_acquire);
    ends_.push_back(std::move(ends_.front()));
    ends_.pop_front();
  } else {
    ends_.push_back(std::make_shared<c10::Event>(device_.type()));
  }
  return ends_.back();
}

template <typename Calls>
std::shared_ptr<c10::Event> NcclCollectives::begin(const Calls& calls) {
  const c10::DeviceGuard guard(device_);
  before_.record(current_stream(device_));
  before_.block(stream_);
  calls(static_cast<cudaStream_t>(stream_.native_handle()));
  std::shared_ptr<c10::Event> end = unused_event();
  end->record(stream_);
  queued_.is_done = [end, &handle = *handle_, device = device_] {
    try {
      // A thread's first device is the first GPU, whose memory a question would take a part of.
      const c10::DeviceGuard guard_of_asking_thread(device);
      if (end->query()) return true;
    } catch (const c10::Error& error) {
      throw SystemError(concat("the GPU of rank ", handle.rank(), " failed: ", error.what_without_backtrace()));
    }
    handle.check();
    return false;
  };
  queued_.abort = [&handle = *handle_] { handle.abort(); };
  // Asked for instead of waited for, so that an error of NCCL is seen at once.
  if (!kernels_are_loaded_)
    while (!queued_.is_done()) std::this_thread::sleep_for(std::chrono::microseconds(20));
  return end;
}

template <typename Calls>
void NcclCollectives::queue(const Calls& calls) {
  const std::shared_ptr<c10::Event> end = begin(calls);
  const c10::DeviceGuard guard(device_);
  end->block(current_stream(device_));
}

void NcclCollectives::all_reduce_sum(at::Tensor data) {
  const auto element = element_of({data});
  if (!element) return host_->all_reduce_sum(std::move(data));
  queue([&](cudaStream_t stream) {
    nccl_all_reduce_sum(*handle_, data.mutable_data_ptr(), data.numel(), *element, stream);
  });
}

std::unique_ptr<PendingCollective> NcclCollectives::begin_all_reduce_sum(at::Tensor data) {
  const auto element = element_of({data});
  if (!element) return host_->begin_all_reduce_sum(std::move(data));
  std::shared_ptr<c10::Event> end = begin([&](cudaStream_t stream) {
    nccl_all_reduce_sum(*handle_, data.mutable_data_ptr(), data.numel(), *element, stream);
  });
  return std::make_unique<PendingOnDevice>(std::move(data), std::move(end));
}

void NcclCollectives::all_gather(const at::Tensor& local, std::span<const std::int64_t> counts, at::Tensor out) {
  const auto element = element_of({local, out});
  if (!element) return host_->all_gather(local, counts, std::move(out));
  check_counts(counts, rank_, size_, local.numel(), out.numel());
  queue([&](cudaStream_t stream) {
    nccl_all_gather(*handle_, local.const_data_ptr(), counts, out.mutable_data_ptr(), *element, stream);
  });
}

void NcclCollectives::reduce_scatter_sum(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) {
  const auto element = element_of({data, out});
  if (!element) return host_->reduce_scatter_sum(data, counts, std::move(out));
  check_counts(counts, rank_, size_, out.numel(), data.numel());
  queue([&](cudaStream_t stream) {
    nccl_reduce_scatter_sum(*handle_, data.const_data_ptr(), counts, out.mutable_data_ptr(), *element, stream);
  });
}

void NcclCollectives::all_to_all(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) {
  const auto element = element_of({data, out});
  if (!element) return host_->all_to_all(data, counts, std::move(out));
  GAUSSCSE_CHECK(data.numel() % size_ == 0, "as much for each rank");
  check_counts(counts, rank_, size_, data.numel() / size_, out.numel());
  queue([&](cudaStream_t stream) {
    nccl_all_to_all(*handle_, data.const_data_ptr(), counts, out.mutable_data_ptr(), *element, stream);
  });
}

void NcclCollectives::ring_shift(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) {
  const auto element = element_of({data, out});
  if (!element) return host_->ring_shift(data, counts, std::move(out));
  check_ring_counts(counts, rank_, size_, data.numel(), out.numel());
  queue([&](cudaStream_t stream) {
    nccl_ring_shift(*handle_, data.const_data_ptr(), counts, out.mutable_data_ptr(), *element, stream);
  });
}

void NcclCollectives::broadcast(at::Tensor data, int root) {
  const auto element = element_of({data});
  if (!element) return host_->broadcast(std::move(data), root);
  queue([&](cudaStream_t stream) {
    nccl_broadcast(*handle_, data.mutable_data_ptr(), data.numel(), root, *element, stream);
  });
}

QueuedCollective NcclCollectives::take_queued() {
  return std::exchange(queued_, {});
}

void NcclCollectives::set_step(std::int64_t step) {
  if (in_step_ && step < 0) kernels_are_loaded_ = true;
  in_step_ = step >= 0;
}

}  // namespace gausscse::detail
