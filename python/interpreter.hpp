#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace gausscse {

namespace nb = nanobind;

/// Exception of a computation whose interpreter ends. No caller sees it: the thread then sleeps in ~WithoutInterpreter.
class InterpreterEnds final : public std::exception {};

/// Calls that compute without Python's lock, of all threads, and the end of the interpreter.
///
/// A thread that takes Python's lock when the interpreter has begun to end is ended in the middle of its C++ functions,
/// which aborts the process. So the interpreter calls `end` before (by atexit): no call begins any more, those under
/// way end soon, and their threads sleep until the process is gone.
///
/// A process that was forked has the memory of the first one but not its threads, which a computation would wait for.
class ComputingCalls {
 public:
  /// Counts a call; the caller holds Python's lock. Throws std::runtime_error in a process that was forked after the
  /// first call, and on the thread that has called `end`.
  void begin() {
    pid_t first = 0;
    if (!process_.compare_exchange_strong(first, ::getpid()) && first != ::getpid())
      throw std::runtime_error(
          "gausscse cannot compute in this process, not even with a new model: it was forked after a model was opened, "
          "and has none of the threads that compute: start processes by multiprocessing.get_context(\"spawn\") or "
          "\"forkserver\", or fork first, and open the models in each process");
    const std::lock_guard<std::mutex> lock(mutex_);
    if (is_ending_ && ending_ == std::this_thread::get_id())
      throw std::runtime_error("the interpreter ends, and gausscse computes no more: compute before");
    ++count_;
  }

  /// Takes Python's lock again for a call that has computed. If the interpreter ends, it never returns.
  void take_interpreter(PyThreadState* state) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      if (is_ending_) {
        uncount();
        lock.unlock();
        for (;;) ::pause();
      }
    }
    PyEval_RestoreThread(state);
    const std::lock_guard<std::mutex> lock(mutex_);
    uncount();
  }

  /// Ends the calls under way and waits for them. The caller holds Python's lock.
  void end() {
    if (process_ != 0 && process_ != ::getpid()) return;
    const nb::gil_scoped_release unlocked;
    std::unique_lock<std::mutex> lock(mutex_);
    ending_ = std::this_thread::get_id();
    is_ending_ = true;
    changed_.wait(lock, [&] { return count_ == 0; });
  }

  bool is_ending() const { return is_ending_; }

 private:
  void uncount() {
    --count_;
    changed_.notify_all();
  }

  std::atomic<pid_t> process_ = 0;  ///< process of the first call
  std::atomic<bool> is_ending_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t count_ = 0;
  std::thread::id ending_;  ///< thread that called `end`
};

inline ComputingCalls computing_calls;

/// Call that computes without Python's lock while it lives.
class WithoutInterpreter {
 public:
  WithoutInterpreter() {
    computing_calls.begin();
    state_ = PyEval_SaveThread();
  }
  WithoutInterpreter(const WithoutInterpreter&) = delete;
  WithoutInterpreter& operator=(const WithoutInterpreter&) = delete;
  ~WithoutInterpreter() { computing_calls.take_interpreter(state_); }

 private:
  PyThreadState* state_;
};

/// Held by the one call that computes.
inline std::mutex one_call;

/// Ends the computation that calls it, if the interpreter ends.
inline void end_with_interpreter() {
  if (computing_calls.is_ending()) throw InterpreterEnds();
}

/// Ends the computation that calls it, by Ctrl-C or if the interpreter ends. Computations call it often; it waits for
/// Python's lock some times a second.
inline void watch_for_interrupts() {
  end_with_interpreter();
  static std::chrono::steady_clock::time_point last;
  constexpr std::chrono::milliseconds between(50);
  const auto now = std::chrono::steady_clock::now();
  if (now - last < between) return;
  last = now;
  const nb::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

/// Returns the result of `compute`. It runs without Python's lock, and no other call of a model runs meanwhile, as the
/// threads of LibTorch are a setting of the process.
template <typename Compute>
auto alone(const Compute& compute) {
  const WithoutInterpreter unlocked;
  const std::lock_guard<std::mutex> only(one_call);
  end_with_interpreter();
  return compute();
}

}  // namespace gausscse
