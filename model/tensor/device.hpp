#pragma once

#include <utility>

#include "model/tensor/tensor.hpp"

/// Streams, events and guards of GPUs, for builds that have none: nothing waits, as everything is done when a call
/// returns.
namespace c10 {

class OutOfMemoryError : public at::Error {
  using at::Error::Error;
};

class Stream {};

class Event {
 public:
  explicit Event(DeviceType) {}
  void record(const Stream&) {}
  void block(const Stream&) const {}
  void synchronize() const {}
};

struct DeviceGuard {
  explicit DeviceGuard(Device) {}
};
struct StreamGuard {
  explicit StreamGuard(Stream) {}
};

namespace impl {

class VirtualGuardImpl {
 public:
  explicit VirtualGuardImpl(DeviceType) {}
  Stream getStream(Device) const { return {}; }
  Stream getStreamFromGlobalPool(Device, bool = false) const { return {}; }
  void recordDataPtrOnStream(const void*, Stream) const {}
};

}  // namespace impl

namespace CachingAllocator {

enum class StatType { AGGREGATE };
struct DeviceStats {
  struct Stat {
    std::int64_t peak = 0;
  };
  Stat reserved_bytes[1];
};

}  // namespace CachingAllocator

/// Memory of a GPU: none.
struct DeviceAllocator {
  void emptyCache() {}
  CachingAllocator::DeviceStats getDeviceStats(DeviceIndex) { return {}; }
  std::pair<std::size_t, std::size_t> getMemoryInfo(DeviceIndex) { return {}; }
};
inline DeviceAllocator* getDeviceAllocator(DeviceType) {
  static DeviceAllocator none;
  return &none;
}

}  // namespace c10

/// Version of LibTorch: there is none.
#define TORCH_VERSION ""

namespace at {

/// State of LibTorch that GPUs share.
struct Context {
  bool hasCUDA() const { return false; }
};
inline Context globalContext() {
  return {};
}

/// Has no effect, as there is no autograd.
struct AutoDispatchBelowADInplaceOrView {
  AutoDispatchBelowADInplaceOrView() {}
};

}  // namespace at
