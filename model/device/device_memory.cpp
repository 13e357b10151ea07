#include "model/device/device_memory.hpp"

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/util/Exception.h>

#include <new>
#include <string_view>

namespace gausscse::ops {

bool is_memory_refused(const std::exception& error) {
  const std::string_view text = error.what();
  const auto says = [&](std::string_view words) { return text.find(words) != std::string_view::npos; };
  return dynamic_cast<const std::bad_alloc*>(&error) || dynamic_cast<const c10::OutOfMemoryError*>(&error) ||
         says("can't allocate memory") || says("out of memory");
}

void release_cached_memory(at::Device device) {
  if (!device.is_cpu()) c10::getDeviceAllocator(device.type())->emptyCache();
}

DeviceMemory device_memory(at::Device device) {
  if (device.is_cpu()) return {};
  c10::DeviceAllocator& allocator = *c10::getDeviceAllocator(device.type());
  constexpr auto of_all_pools = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  return {.most_taken = allocator.getDeviceStats(device.index()).reserved_bytes[of_all_pools].peak,
          .total = static_cast<std::int64_t>(allocator.getMemoryInfo(device.index()).second)};
}

}  // namespace gausscse::ops
