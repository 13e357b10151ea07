#include "tests/dist/nccl/pretended_device.hpp"

#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <cstdint>
#include <utility>

#include "base/error.hpp"

namespace gausscse::pretended_device {

namespace {

constexpr c10::StreamId number_of_pool_stream = 5;

std::vector<std::string> lines;
bool events_done = true;
std::string events_failure;
int events_made = 0, events_there = 0;
int questions_before_done = 0;
/// As of a thread that has not chosen its device.
c10::Device current(at::kPrivateUse1, 1);

std::intptr_t number_of(void* event) {
  return reinterpret_cast<std::intptr_t>(event);
}

std::string at_another_device() {
  return current == device ? "" : ", at another device";
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return at::kPrivateUse1; }
  c10::Device exchangeDevice(c10::Device next) const override { return std::exchange(current, next); }
  c10::Device getDevice() const override { return current; }
  void setDevice(c10::Device next) const override { current = next; }
  void uncheckedSetDevice(c10::Device next) const noexcept override { current = next; }
  c10::DeviceIndex deviceCount() const noexcept override { return 2; }

  c10::Stream getStream(c10::Device) const override { return c10::Stream(c10::Stream::UNSAFE, device, 0); }
  c10::Stream getStreamFromGlobalPool(c10::Device, bool before_others) const override {
    log(concat("stream ", number_of_pool_stream, before_others ? ", before others" : ""));
    return c10::Stream(c10::Stream::UNSAFE, device, number_of_pool_stream);
  }
  c10::Stream exchangeStream(c10::Stream stream) const override { return stream; }
  void* getStreamNativeHandle(c10::Stream stream) const override {
    return reinterpret_cast<void*>(static_cast<std::intptr_t>(stream.id()));
  }

  void record(void** event, const c10::Stream& stream, c10::DeviceIndex, c10::EventFlag) const override {
    if (!*event) {
      *event = reinterpret_cast<void*>(static_cast<std::intptr_t>(++events_made));
      ++events_there;
    }
    log(concat("record ", number_of(*event), " on ", stream.id(), at_another_device()));
  }
  void block(void* event, const c10::Stream& stream) const override {
    log(concat(number_of(event), " blocks ", stream.id(), at_another_device()));
  }
  void synchronizeEvent(void* event) const override { log(concat("the host waits for ", number_of(event))); }
  bool queryEvent(void* event) const override {
    log(concat("the host asks for ", number_of(event), at_another_device()));
    TORCH_CHECK(events_failure.empty(), events_failure);
    return events_done && (questions_before_done == 0 || --questions_before_done == 0);
  }
  void destroyEvent(void*, c10::DeviceIndex) const noexcept override { --events_there; }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

}  // namespace

at::Tensor on_device(const at::Tensor& host) {
  c10::Storage storage(c10::Storage::use_byte_size_t(), host.nbytes(), c10::DataPtr(host.mutable_data_ptr(), device));
  at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(
      std::move(storage), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), host.dtype());
  tensor.unsafeGetTensorImpl()->set_sizes_contiguous(host.sizes());
  return tensor;
}

std::vector<std::string> take_log() {
  return std::exchange(lines, {});
}

void log(const std::string& text) {
  lines.push_back(text);
}

void set_events(bool done, const std::string& failure) {
  events_done = done;
  events_failure = failure;
}

void set_questions(int before_done) {
  questions_before_done = before_done;
}

bool is_current() {
  return current == device;
}

int events() {
  return events_there;
}

}  // namespace gausscse::pretended_device
