#include "model/tensor/parallel.hpp"

#include <omp.h>

#include <atomic>

namespace at {

namespace {

std::atomic<int> last_number = 0;
thread_local bool has_number = false;

}  // namespace

void set_num_threads(int number) {
  last_number = number;
  has_number = true;
  omp_set_num_threads(number);
}

int get_num_threads() {
  if (!has_number && last_number > 0) omp_set_num_threads(last_number);
  has_number = true;
  return omp_get_max_threads();
}

}  // namespace at
