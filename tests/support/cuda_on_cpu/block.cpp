#include "tests/support/cuda_on_cpu/block.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace cuda_on_cpu {

namespace {

thread_local Block* block_of_this_os_thread = nullptr;

/// Names the block of this OS thread for as long as it runs.
struct CurrentBlock {
  explicit CurrentBlock(Block* block) { block_of_this_os_thread = block; }
  ~CurrentBlock() { block_of_this_os_thread = nullptr; }
  CurrentBlock(const CurrentBlock&) = delete;
  CurrentBlock& operator=(const CurrentBlock&) = delete;
};

}  // namespace

// Not inlined: a compiler may keep the address of a thread_local variable over a change of stacks.
__attribute__((noinline)) Block& Block::current() {
  if (!block_of_this_os_thread) throw KernelError("code of a kernel runs outside of a launch");
  return *block_of_this_os_thread;
}

void Block::run(const BlockPlace& place, std::size_t shared_bytes, const std::function<void()>& kernel,
                std::mt19937& random) {
  const std::size_t count = place.block.x;
  if (count == 0 || count > largest || count % warp_size != 0 || place.block.y != 1 || place.block.z != 1)
    throw KernelError("a block has " + std::to_string(count) + " threads: whole warps of 32 are wanted, up to 1024");
  place_ = place;
  while (fibers_.size() < count) fibers_.push_back(std::make_unique<Fiber>());
  threads_.assign(count, {});
  shared_ = std::make_unique<SharedMemory>(shared_bytes);
  block_meetings_ = 0;
  warp_meetings_.assign(count / warp_size, 0);
  gathered_.assign(count / warp_size, {});
  thrown_ = nullptr;
  for (std::size_t t = 0; t < count; ++t) {
    fibers_[t]->begin([this, &kernel] {
      try {
        kernel();
      } catch (...) {
        thrown_ = std::current_exception();
      }
    });
  }

  const CurrentBlock current_block(this);
  const auto has_left = [](const Thread& thread) { return thread.state == State::left; };
  while (!std::all_of(threads_.begin(), threads_.end(), has_left)) {
    run_ready_threads(random);
    bool met = false;
    for (std::size_t warp = 0; warp < warp_meetings_.size(); ++warp) met = meet_in_warp(warp) || met;
    if (!met) met = meet_in_block();
    if (!met && !std::all_of(threads_.begin(), threads_.end(), has_left)) refuse("its threads wait for each other");
  }
}

void Block::run_ready_threads(std::mt19937& random) {
  std::vector<int> order;
  for (int t = 0; t < count(); ++t)
    if (threads_[static_cast<std::size_t>(t)].state == State::ready) order.push_back(t);
  std::shuffle(order.begin(), order.end(), random);
  for (const int t : order) {
    running_ = t;
    if (fibers_[static_cast<std::size_t>(t)]->resume()) threads_[static_cast<std::size_t>(t)].state = State::left;
    running_ = -1;
    if (thrown_) std::rethrow_exception(thrown_);
  }
}

Moment Block::now() const {
  return {block_meetings_, warp_meetings_[static_cast<std::size_t>(running_) / warp_size]};
}

void Block::wait(State state, unsigned mask, const Place& site) {
  Thread& thread = threads_[static_cast<std::size_t>(running_)];
  thread.state = state;
  thread.mask = mask;
  thread.site = site;
  fibers_[static_cast<std::size_t>(running_)]->suspend();
}

void Block::meet_block(const Place& site) {
  wait(State::at_block_barrier, 0, site);
}

void Block::meet_warp(unsigned mask, const Place& site) {
  if (mask != 0xFFFFFFFFu) throw KernelError("__syncwarp at " + site.text() + ": all lanes are wanted");
  wait(State::at_warp_barrier, mask, site);
}

std::uint64_t Block::exchange(unsigned mask, const Exchange& exchange, const Place& site) {
  Thread& thread = threads_[static_cast<std::size_t>(running_)];
  const unsigned lane = static_cast<unsigned>(running_) % warp_size;
  if ((mask >> lane & 1u) == 0)
    throw KernelError("a shuffle at " + site.text() + ": lane " + std::to_string(lane) + " is not in its own mask");
  if ((mask >> exchange.from & 1u) == 0)
    throw KernelError("a shuffle at " + site.text() + ": lane " + std::to_string(lane) + " reads lane " +
                      std::to_string(exchange.from) + ", which is not in the mask");
  thread.exchange = exchange;
  wait(State::in_exchange, mask, site);
  return thread.received;
}

const OfLanes& Block::gather(unsigned mask, std::uint64_t bits, int argument, const Place& site) {
  exchange(mask, {bits, static_cast<int>(static_cast<unsigned>(running_) % warp_size), argument}, site);
  return gathered_[static_cast<std::size_t>(running_) / warp_size];
}

bool Block::meet_in_warp(std::size_t warp) {
  Thread* const lanes = &threads_[warp * warp_size];
  // Lanes that wait for each other: those of one mask, at one place of the source.
  for (unsigned first = 0; first < warp_size; ++first) {
    const State state = lanes[first].state;
    if (state != State::in_exchange && state != State::at_warp_barrier) continue;
    const unsigned mask = lanes[first].mask;
    bool complete = true;
    for (unsigned lane = 0; lane < warp_size && complete; ++lane) {
      if ((mask >> lane & 1u) == 0) continue;
      complete = lanes[lane].state == state && lanes[lane].mask == mask && lanes[lane].site == lanes[first].site &&
                 lanes[lane].exchange.argument == lanes[first].exchange.argument;
    }
    if (!complete) continue;
    gathered_[warp].fill(0);
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      if ((mask >> lane & 1u) == 0) continue;
      gathered_[warp][lane] = lanes[lane].exchange.bits;
      lanes[lane].received = lanes[lanes[lane].exchange.from].exchange.bits;
      lanes[lane].state = State::ready;
    }
    if (state == State::at_warp_barrier) ++warp_meetings_[warp];
    return true;
  }
  return false;
}

bool Block::meet_in_block() {
  const auto waits = [&](const Thread& thread) {
    return thread.state == State::at_block_barrier && thread.site == threads_.front().site;
  };
  if (!std::all_of(threads_.begin(), threads_.end(), waits)) return false;
  for (Thread& thread : threads_) thread.state = State::ready;
  ++block_meetings_;
  return true;
}

void Block::refuse(const std::string& why) const {
  std::map<std::string, int> places;
  for (const Thread& thread : threads_) {
    switch (thread.state) {
      case State::ready:
        break;
      case State::left:
        ++places["have left the kernel"];
        break;
      case State::at_block_barrier:
        ++places["wait at __syncthreads, " + thread.site.text()];
        break;
      case State::at_warp_barrier:
        ++places["wait at __syncwarp, " + thread.site.text()];
        break;
      case State::in_exchange:
        ++places["wait in a shuffle, " + thread.site.text()];
        break;
    }
  }
  std::string text = "block (" + std::to_string(place_.index.x) + ", " + std::to_string(place_.index.y) + "): " + why;
  for (const auto& [place, threads] : places) text += "; " + std::to_string(threads) + " " + place;
  throw KernelError(text);
}

}  // namespace cuda_on_cpu
