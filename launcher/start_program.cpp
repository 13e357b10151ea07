#include "launcher/start_program.hpp"

#include <dlfcn.h>

#include <cstdio>

#include "base/process.hpp"

namespace gausscse {

namespace {

int fail() {
  const char* problem = dlerror();
  std::fprintf(stderr,
               "gausscse: error: the program cannot start on host %s, because the system cannot load a library: "
               "%s\nThis build is for GPUs and takes LibTorch 2.11.0 with CUDA 13, cuDNN and NCCL, which `pip install "
               "torch==2.11.0` brings; LD_LIBRARY_PATH names folders of libraries to look into (docs/gpu.md). A build "
               "for CPUs (scripts/build.sh) needs none of them.\n",
               host_name().c_str(), problem ? problem : "no reason is given");
  return 1;
}

}  // namespace

int start_program(const char* program, int argc, char** argv) {
  // Global, as MPI's own parts look for its symbols there.
  void* loaded = dlopen(program, RTLD_NOW | RTLD_GLOBAL);
  if (!loaded) return fail();
  using Entry = int (*)(int, char**);
  const auto entry = reinterpret_cast<Entry>(dlsym(loaded, "gausscse_program"));
  return entry ? entry(argc, argv) : fail();
}

}  // namespace gausscse
