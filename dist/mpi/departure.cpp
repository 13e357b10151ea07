#include "dist/mpi/departure.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <random>
#include <thread>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "dist/mpi/communicator_handle.hpp"

namespace gausscse::detail {

namespace {

constexpr auto between_looks = std::chrono::milliseconds(1);

/// The first rank of a node sends where its memory is: its process, the open file in that, and a number that stands at
/// the memory's beginning, by which the others know that it is this memory.
using Whereabouts = std::array<std::int64_t, 3>;

/// Returns null where the file cannot be mapped.
void* map_shared(int file, std::size_t bytes) {
  void* memory = file < 0 ? MAP_FAILED : ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

Departure::Departure() {
  const CommunicatorHandle world = CommunicatorHandle::of_all_ranks(), node = world.of_this_node();
  const int size = node.size();
  local_rank_ = node.rank();
  if (size == 1) return;
  Whereabouts whereabouts{};
  bytes_ = sizeof(std::int64_t) + static_cast<std::size_t>(size) * sizeof(Cell);
  FileDescriptor file;
  if (local_rank_ == 0) {
    file = FileDescriptor(::memfd_create("gausscse", MFD_CLOEXEC));
    if (file.get() >= 0 && ::ftruncate(file.get(), static_cast<off_t>(bytes_)) == 0)
      memory_ = map_shared(file.get(), bytes_);
    std::random_device random;
    whereabouts = {::getpid(), file.get(), (std::int64_t{random()} << 31) ^ std::int64_t{random()}};
    if (memory_) std::memcpy(memory_, &whereabouts[2], sizeof whereabouts[2]);
  }
  GAUSSCSE_MPI_CHECK(MPI_Bcast(whereabouts.data(), static_cast<int>(whereabouts.size()), MPI_INT64_T, 0, node.get()));
  if (local_rank_ != 0) {
    const std::string path = concat("/proc/", whereabouts[0], "/fd/", whereabouts[1]);
    file = FileDescriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (file.get() >= 0 && ::lseek(file.get(), 0, SEEK_END) == static_cast<off_t>(bytes_))
      memory_ = map_shared(file.get(), bytes_);
  }
  const bool is_mapped = memory_ && std::memcmp(memory_, &whereabouts[2], sizeof whereabouts[2]) == 0;
  constexpr int without_memory = -1;
  const int rank = is_mapped ? world.rank() : without_memory;
  std::vector<int> ranks(static_cast<std::size_t>(size));
  GAUSSCSE_MPI_CHECK(MPI_Allgather(&rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, node.get()));
  if (std::find(ranks.begin(), ranks.end(), without_memory) != ranks.end()) return;
  stages_ = reinterpret_cast<Cell*>(static_cast<char*>(memory_) + sizeof(std::int64_t));
  ranks_ = std::move(ranks);
}

Departure::~Departure() {
  if (memory_) ::munmap(memory_, bytes_);
}

void Departure::reach(Stage stage) {
  if (!ranks_.empty()) stages_[local_rank_] = stage;
}

void Departure::wait() const {
  const auto is_out = [](const Cell& stage) { return stage == out; };
  while (!std::all_of(stages_, stages_ + ranks_.size(), is_out)) std::this_thread::sleep_for(between_looks);
}

std::string Departure::who_is_behind() const {
  std::string text;
  for (std::size_t other = 0; other < ranks_.size(); ++other) {
    const std::uint32_t stage = stages_[other];
    if (stage < stages_[local_rank_])
      text += concat(text.empty() ? "" : ", ", "rank ", ranks_[other],
                     stage == running ? " of this node has not reached it" : " of this node is still in it");
  }
  return text;
}

}  // namespace gausscse::detail
