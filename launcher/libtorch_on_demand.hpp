#pragma once

#include <string_view>

namespace gausscse {

/// An entry of the table of LibTorch's functions; the assembly code of libtorch_on_demand.cpp knows its layout.
struct LibtorchEntry {
  void* function;    ///< function that calls go to
  const char* name;  ///< as LibTorch exports it
};

/// Returns the entry of the function whose name begins so, or null if the program does not call it.
LibtorchEntry* find_libtorch_entry(std::string_view begin_of_name);

/// Returns a function of LibTorch; loads LibTorch first if it is not loaded. Throws SystemError if the system does not
/// find it.
void* find_in_libtorch(const char* name);
bool libtorch_is_loaded();

/// Gives LibTorch this thread's number of threads, if it is loaded and does not have it. Bits of its matmuls depend on
/// the number, which MKL keeps for each thread.
void set_threads_of_libtorch();

}  // namespace gausscse
