// Static libraries of a system may be compiled for programs, which reach data of the C library directly; a shared object
// cannot. The linker's --wrap gives them these variables instead (cmake/python_libraries.cmake).
#include <stdio.h>

extern FILE *__real_stdout, *__real_stderr;
#pragma GCC visibility push(hidden)
FILE *__wrap_stdout, *__wrap_stderr;
// Always 0: counters of shared pointers are then always safe for threads.
char __wrap___libc_single_threaded;
#pragma GCC visibility pop

__attribute__((constructor)) static void set_streams(void) {
  __wrap_stdout = __real_stdout;
  __wrap_stderr = __real_stderr;
}
