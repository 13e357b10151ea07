#pragma once

/// Number of threads that a thread's loops take, OpenMP's. A new thread begins with the number that any thread set
/// last.
namespace at {

int get_num_threads();
void set_num_threads(int number);

}  // namespace at
