#include "tests/support/pretended_gpu/memory.hpp"

#include <c10/util/Exception.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>

#include "base/error.hpp"

namespace gausscse::pretended_gpu {

namespace {

constexpr std::size_t size_of_memory = std::size_t{2} << 30;
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t alignment = 512;

class Memory {
 public:
  Memory() {
    std::size_t size = size_of_memory + huge_page;
    void* begin = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (begin == MAP_FAILED) throw std::bad_alloc();
    begin_ = static_cast<char*>(std::align(huge_page, size_of_memory, begin, size));
    // Access changes the protection of every page that was ever used. With huge pages there are few.
    madvise(begin_, size_of_memory, MADV_HUGEPAGE);
    free_.emplace(0, size_of_memory);
  }

  void* allocate(std::size_t bytes) {
    const std::size_t size = (bytes + alignment - 1) / alignment * alignment;
    void* place = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (++requests_ == refused_request_ || (limit_ > 0 && held_ + bytes > limit_)) refuse(bytes);
      for (auto hole = free_.begin(); hole != free_.end() && !place; ++hole) {
        const auto [offset, there] = *hole;
        if (there < size) continue;
        free_.erase(hole);
        if (there > size) free_.emplace(offset + size, there - size);
        used_.emplace(begin_ + offset, Used{size, bytes});
        held_ += bytes;
        most_held_ = std::max(most_held_, held_);
        place = begin_ + offset;
        break;
      }
    }
    if (!place) throw std::bad_alloc();
    const Access access;
    std::memset(place, 0xFF, size);
    return place;
  }

  void release(void* place) {
    const std::lock_guard lock(mutex_);
    const auto used = used_.find(static_cast<char*>(place));
    auto offset = static_cast<std::size_t>(used->first - begin_);
    std::size_t size = used->second.size;
    held_ -= used->second.asked;
    used_.erase(used);
    auto next = free_.lower_bound(offset);
    if (next != free_.end() && next->first == offset + size) {
      size += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == offset) {
        offset = before->first;
        size += before->second;
        free_.erase(before);
      }
    }
    free_.emplace(offset, size);
  }

  bool is_allocated(const void* begin, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto* place = static_cast<const char*>(begin);
    const auto next = used_.upper_bound(const_cast<char*>(place));
    if (next == used_.begin()) return false;
    const auto& [first, used] = *std::prev(next);
    return place + bytes <= first + used.asked;
  }

  void open() {
    const std::lock_guard lock(mutex_);
    if (users_++ == 0) mprotect(begin_, size_of_memory, PROT_READ | PROT_WRITE);
  }

  void close() {
    const std::lock_guard lock(mutex_);
    if (--users_ == 0) mprotect(begin_, size_of_memory, PROT_NONE);
  }

  void limit(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    limit_ = bytes;
  }

  void refuse_request(std::int64_t number) {
    const std::lock_guard lock(mutex_);
    refused_request_ = number;
    requests_ = 0;
  }

  std::int64_t requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

  void forget_most_held() {
    const std::lock_guard lock(mutex_);
    most_held_ = held_;
  }

  std::size_t most_held() {
    const std::lock_guard lock(mutex_);
    return most_held_;
  }

  std::size_t held_at_refusal() {
    const std::lock_guard lock(mutex_);
    return held_at_refusal_;
  }

 private:
  /// Sizes are multiples of the alignment.
  struct Used {
    std::size_t size, asked;
  };

  [[noreturn]] void refuse(std::size_t bytes) {
    held_at_refusal_ = held_;
    C10_THROW_ERROR(OutOfMemoryError,
                    concat("CUDA out of memory. Tried to allocate ", bytes, " bytes. GPU 0 has a total capacity of ",
                           limit_, " bytes of which ", limit_ - held_, " bytes is free."));
  }

  std::mutex mutex_;
  char* begin_;
  int users_ = 0;
  std::map<std::size_t, std::size_t> free_;  ///< offset and size
  std::map<char*, Used> used_;
  std::size_t held_ = 0, most_held_ = 0, limit_ = 0, held_at_refusal_ = 0;
  std::int64_t requests_ = 0, refused_request_ = 0;
};

Memory& memory() {
  // Tensors of static storage give theirs back after main.
  static Memory& all = *new Memory;
  return all;
}

class Allocator final : public c10::DeviceAllocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    const c10::Device gpu(c10::DeviceType::CUDA, 0);
    if (bytes == 0) return {nullptr, gpu};
    void* place = memory().allocate(bytes);
    return {place, place, [](void* released) { memory().release(released); }, gpu};
  }

  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    const Access access;
    std::memcpy(to, from, bytes);
  }

  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t) override { ++counts().emptied_caches; }
  void recordStream(const c10::DataPtr&, c10::Stream) override {}
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex) override {
    c10::CachingDeviceAllocator::DeviceStats stats;
    stats.reserved_bytes[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)].peak =
        static_cast<std::int64_t>(memory().most_held());
    return stats;
  }
  void resetAccumulatedStats(c10::DeviceIndex) override {}
  void resetPeakStats(c10::DeviceIndex) override { memory().forget_most_held(); }
  std::pair<std::size_t, std::size_t> getMemoryInfo(c10::DeviceIndex) override { return {0, size_of_memory}; }
};

}  // namespace

Access::Access() {
  memory().open();
}

Access::~Access() {
  memory().close();
}

c10::DeviceAllocator& allocator() {
  static Allocator& one = *new Allocator;
  return one;
}

bool is_allocated(const void* begin, std::size_t bytes) {
  return memory().is_allocated(begin, bytes);
}

void limit_memory(std::size_t bytes) {
  memory().limit(bytes);
}

void refuse_request(std::int64_t number) {
  memory().refuse_request(number);
}

std::int64_t requests() {
  return memory().requests();
}

std::size_t bytes_held_at_refusal() {
  return memory().held_at_refusal();
}

Counts& counts() {
  static Counts all;
  return all;
}

}  // namespace gausscse::pretended_gpu
