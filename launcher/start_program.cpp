#include "launcher/start_program.hpp"

#include <dlfcn.h>

#include <string_view>

#include "base/error.hpp"
#include "base/process.hpp"

namespace gausscse {

namespace {

[[noreturn]] void refuse(const char* remedy) {
  const char* given = dlerror();
  const std::string_view reason = given ? given : "the system gives no reason";
  const bool lacks_memory = reason.find("failed to map segment") != std::string_view::npos;
  throw SystemError(
      concat("LibTorch or a library beside it cannot be loaded on host ", host_name(), ": ", reason, ": ",
             lacks_memory ? "raise the limit on address space (ulimit -v), or give the ranks more memory" : remedy));
}

}  // namespace

int start_program(const char* program, const char* build, const char* remedy, int argc, char** argv) {
  // Global, as MPI's own parts look for its symbols there.
  void* loaded = dlopen(program, RTLD_NOW | RTLD_GLOBAL);
  if (!loaded) refuse(remedy);
  using Entry = int (*)(const char*, int, char**);
  const auto entry = reinterpret_cast<Entry>(dlsym(loaded, "gausscse_program"));
  if (!entry) refuse(remedy);
  return entry(build, argc, argv);
}

}  // namespace gausscse
