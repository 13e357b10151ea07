#pragma once

#include <atomic>
#include <exception>
#include <thread>

#include "tests/support/testing.hpp"

namespace gausscse {

/// Calls `job` with each number below `count`, `at_once` at a time: a job under mpiexec waits for most of its time. Its
/// expectations are checked on threads; an exception is a failure.
inline void run_jobs_at_once(std::size_t count, int at_once, const std::function<void(std::size_t)>& job) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        job(i);
      } catch (const std::exception& error) {
        ADD_FAILURE() << "job " << i << ": " << error.what();
      }
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < at_once; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace gausscse
