#include "launcher/libtorch_on_demand.hpp"

#include <dlfcn.h>

#include <atomic>
#include <string_view>

#include "base/error.hpp"
#include "base/process.hpp"

// A command loads LibTorch only if it calls it, as this takes most of a short command's time. For that, the program has
// a function of its own under the name of each function of LibTorch that it calls:
//
//     at::_ops::mm::call -> Entry.function = first_call     load LibTorch, find the function, set Entry.function
//                                          = LibTorch's     from the second call on
//
// cmake/libtorch_on_demand.cmake makes the list of these names from the program's object files.
// functions_without_libtorch.cpp replaces some entries by the program's functions, which load LibTorch only for
// arguments that they do not know. A function that the program defines under LibTorch's name has no entry.

/// The table, by the names that the linker gives the ends of its section.
extern "C" gausscse::LibtorchEntry __start_libtorch_entries[], __stop_libtorch_entries[];

namespace gausscse {

namespace {

std::atomic<bool> is_loaded = false;

[[noreturn]] void refuse_libtorch() {
  const char* given = dlerror();
  const std::string_view problem = given ? given : "the system gives no reason";
  const bool lacks_memory = problem.find("failed to map segment") != std::string_view::npos;
  throw SystemError(concat("LibTorch cannot be loaded on host ", host_name(), ": ", problem, ": ",
                           lacks_memory ? "raise the limit on address space (ulimit -v), or give the ranks more memory"
                                        : "install the program again with its folder lib/gausscse, or name the folder "
                                          "of LibTorch 2.11.0's libraries in LD_LIBRARY_PATH"));
}

void* load_libtorch() {
  void* const library = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_LOCAL);
  if (!library) refuse_libtorch();
  is_loaded = true;
  return library;
}

}  // namespace

LibtorchEntry* find_libtorch_entry(std::string_view begin_of_name) {
  for (LibtorchEntry* entry = __start_libtorch_entries; entry != __stop_libtorch_entries; ++entry)
    if (std::string_view(entry->name).starts_with(begin_of_name)) return entry;
  return nullptr;
}

void* find_in_libtorch(const char* name) {
  static void* const library = load_libtorch();
  void* const function = dlsym(library, name);
  if (!function) refuse_libtorch();
  return function;
}

bool libtorch_is_loaded() {
  return is_loaded;
}

/// Sets the function of an entry. Throws SystemError, through the caller of LibTorch's function, if there is none.
extern "C" [[gnu::used, gnu::visibility("hidden")]] void gausscse_find_in_libtorch(LibtorchEntry* entry) {
  void* const function = find_in_libtorch(entry->name);
  set_threads_of_libtorch();
  __atomic_store_n(&entry->function, function, __ATOMIC_RELEASE);
}

}  // namespace gausscse

// first_call gets the entry in r11. It keeps the registers that may have arguments, and jumps to LibTorch's function
// with the stack as it was. The unwinder reads the .cfi lines when an exception passes. Functions are weak: one that
// the program defines is called in place of it.
asm(R"(
  .macro libtorch_function name
  .pushsection .text
  .weak \name
  .hidden \name
  .type \name, @function
\name:
  jmp *entry\@(%rip)
find\@:
  leaq entry\@(%rip), %r11
  jmp first_call
  .size \name, . - \name
  .popsection
  .pushsection libtorch_entries, "aw"
  .balign 8
entry\@:
  .quad find\@, name\@
  .popsection
  .pushsection .rodata
name\@:
  .asciz "\name"
  .popsection
  .endm

  .pushsection .text
  .type first_call, @function
first_call:
  .cfi_startproc
  .irp register, rdi, rsi, rdx, rcx, r8, r9, r11
  pushq %\register
  .cfi_adjust_cfa_offset 8
  .endr
  subq $128, %rsp
  .cfi_adjust_cfa_offset 128
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7
  movups %xmm\number, 16*\number(%rsp)
  .endr
  movq %r11, %rdi
  call gausscse_find_in_libtorch
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7
  movups 16*\number(%rsp), %xmm\number
  .endr
  addq $128, %rsp
  .cfi_adjust_cfa_offset -128
  .irp register, r11, r9, r8, rcx, rdx, rsi, rdi
  popq %\register
  .cfi_adjust_cfa_offset -8
  .endr
  jmp *(%r11)
  .cfi_endproc
  .size first_call, . - first_call
  .popsection
)"
#include "libtorch_functions.inc"
);
