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
      // Other ranks wait for its work: it comes before that of other streams where the device can choose.
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

std::optional<NcclElement> NcclCollectives::element_of(const TensorCall& call) const {
  const at::ScalarType type = type_of_collective(call);
  if (call.data.is_cpu()) return std::nullopt;
  GAUSSCSE_CHECK(call.data.device() == device_, "collectives take tensors of this rank's device, ", device_,
                 ", not of ", call.data.device());
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

std::shared_ptr<c10::Event> NcclCollectives::queue(const TensorCall& call, NcclElement element) {
  check_counts(call, rank_, size_);
  const std::int64_t all = call.data.numel();
  const bool in_place = !call.out.defined();
  void* out = (in_place ? call.data : call.out).mutable_data_ptr();
  const NcclCall plain{call.collective,
                       in_place ? out : call.data.const_data_ptr(),
                       out,
                       in_place ? std::span(&all, 1) : call.counts,
                       element,
                       call.root};
  const c10::DeviceGuard guard(device_);
  before_.record(current_stream(device_));
  before_.block(stream_);
  queue_on_nccl(*handle_, plain, static_cast<cudaStream_t>(stream_.native_handle()));
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

void NcclCollectives::run(const TensorCall& call) {
  const auto element = element_of(call);
  if (!element) return host_->run(call);
  const std::shared_ptr<c10::Event> end = queue(call, *element);
  const c10::DeviceGuard guard(device_);
  end->block(current_stream(device_));
}

std::unique_ptr<PendingCollective> NcclCollectives::begin(const TensorCall& call) {
  const auto element = element_of(call);
  if (!element) return host_->begin(call);
  return std::make_unique<PendingOnDevice>(call.data, queue(call, *element));
}

QueuedCollective NcclCollectives::take_queued() {
  return std::exchange(queued_, {});
}

void NcclCollectives::set_step(std::int64_t step) {
  if (in_step_ && step < 0) kernels_are_loaded_ = true;
  in_step_ = step >= 0;
}

}  // namespace gausscse::detail
