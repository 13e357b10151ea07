#include "model/parallel_tasks.hpp"

#include <ATen/Parallel.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>

#include "base/process.hpp"

namespace gausscse {

namespace {

/// One thread for LibTorch and its libraries while it lives.
class OneLibraryThread {
 public:
  OneLibraryThread() : before_(at::get_num_threads()) { at::set_num_threads(1); }
  OneLibraryThread(const OneLibraryThread&) = delete;
  OneLibraryThread& operator=(const OneLibraryThread&) = delete;
  ~OneLibraryThread() { at::set_num_threads(before_); }

 private:
  int before_;
};

}  // namespace

void run_tasks(std::int64_t count, int threads, const std::function<void(std::int64_t, int)>& task) {
  const OneLibraryThread one_thread;
  std::exception_ptr failure;
  std::atomic<bool> failed = false;
#pragma omp parallel num_threads(std::max(1, threads))
  {
    // MKL keeps the number for each thread.
    at::set_num_threads(1);
#pragma omp for schedule(dynamic, 1)
    for (std::int64_t i = 0; i < count; ++i) {
      if (failed) continue;
      // Nothing may be thrown out of a parallel region.
      try {
        task(i, omp_get_thread_num());
        count_work();
      } catch (...) {
#pragma omp critical
        failure = std::current_exception();
        failed = true;
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace gausscse
