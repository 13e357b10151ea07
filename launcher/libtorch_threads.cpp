#include <ATen/Parallel.h>
#include <omp.h>

#include <atomic>

#include "launcher/libtorch_on_demand.hpp"

// The program's own at::get_num_threads and at::set_num_threads. The number is OpenMP's, which LibTorch shares. A new
// thread begins with the number that any thread set last.

namespace gausscse {

namespace {

std::atomic<int> last_number = 0;
thread_local int number_of_thread = 0;    ///< 0: this thread has not asked
thread_local int number_of_libtorch = 0;  ///< number that this thread gave LibTorch

}  // namespace

void set_threads_of_libtorch() {
  if (!libtorch_is_loaded()) return;
  static const auto set_number = reinterpret_cast<void (*)(int)>(find_in_libtorch("_ZN2at15set_num_threadsEi"));
  if (const int number = at::get_num_threads(); number != number_of_libtorch) {
    number_of_libtorch = number;
    set_number(number);
  }
}

}  // namespace gausscse

namespace at {

void set_num_threads(int number) {
  using namespace gausscse;
  last_number = number_of_thread = number;
  omp_set_num_threads(number);
  set_threads_of_libtorch();
}

int get_num_threads() {
  using namespace gausscse;
  if (number_of_thread == 0) {
    if (last_number > 0) omp_set_num_threads(last_number);
    number_of_thread = omp_get_max_threads();
  }
  return omp_get_max_threads();
}

}  // namespace at
