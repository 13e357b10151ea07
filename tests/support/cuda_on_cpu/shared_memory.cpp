#include "tests/support/cuda_on_cpu/shared_memory.hpp"

#include <algorithm>

namespace cuda_on_cpu {

namespace {

constexpr int warp_size = 32;

bool ordered(int before, Moment then, int thread, Moment now) {
  return before == thread || then.block_meetings < now.block_meetings ||
         (before / warp_size == thread / warp_size && then.warp_meetings < now.warp_meetings);
}

[[noreturn]] void unordered(const std::string& what, int thread) {
  throw KernelError("shared memory: thread " + std::to_string(thread) + " " + what +
                    ", and no barrier orders the two; on a GPU either may come first");
}

}  // namespace

void AccessRecord::read(int thread, Moment now) {
  if (writer_ == nobody)
    throw KernelError("shared memory: thread " + std::to_string(thread) + " reads an element that was never written");
  if (!ordered(writer_, written_, thread, now))
    unordered("reads an element that thread " + std::to_string(writer_) + " wrote", thread);
  const int warp = thread / warp_size;
  if (reader_ == nobody || reader_ == thread || read_.block_meetings < now.block_meetings) {
    reader_ = thread;
  } else {
    reader_ = reader_ != several_warps && reading_warp_ == warp ? several_of_a_warp : several_warps;
  }
  reading_warp_ = warp;
  read_ = now;
}

void AccessRecord::write(int thread, Moment now) {
  if (writer_ != nobody && !ordered(writer_, written_, thread, now))
    unordered("writes an element that thread " + std::to_string(writer_) + " wrote", thread);
  const bool behind_the_block = read_.block_meetings < now.block_meetings;
  const bool behind_the_warp =
      reader_ != several_warps && reading_warp_ == thread / warp_size && read_.warp_meetings < now.warp_meetings;
  if (reader_ != nobody && reader_ != thread && !behind_the_block && !behind_the_warp)
    unordered("writes an element that another thread read", thread);
  writer_ = thread;
  written_ = now;
  reader_ = nobody;
}

SharedArrayMemory::SharedArrayMemory(std::size_t first_byte, std::size_t count, std::size_t size)
    : offset(first_byte), element_size(size), bytes(std::make_unique<std::byte[]>(count * size)), records(count) {
  std::fill_n(bytes.get(), count * size, std::byte{0xFF});
}

SharedArrayMemory& SharedMemory::array(std::size_t number, std::size_t offset, std::size_t count,
                                       std::size_t element_size) {
  if (offset + count * element_size > limit_)
    throw KernelError("shared memory: an array of " + std::to_string(count * element_size) + " bytes at byte " +
                      std::to_string(offset) + ", where the launch asked for " + std::to_string(limit_));
  if (number == arrays_.size()) arrays_.push_back(std::make_unique<SharedArrayMemory>(offset, count, element_size));
  SharedArrayMemory& found = *arrays_.at(number);
  if (found.records.size() != count || found.element_size != element_size)
    throw KernelError("shared memory: array " + std::to_string(number) + " has " + std::to_string(count) +
                      " elements for one thread, " + std::to_string(found.records.size()) + " for another");
  return found;
}

}  // namespace cuda_on_cpu
