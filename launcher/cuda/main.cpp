#include <cstdio>
#include <exception>

#include "launcher/start_program.hpp"

int main(int argc, char** argv) {
  try {
    return gausscse::start_program(
        "libgausscse_program.so", /*build=*/nullptr,
        "this build is for GPUs and takes LibTorch 2.11.0 with CUDA 13, cuDNN and NCCL, which `pip install "
        "torch==2.11.0` brings; LD_LIBRARY_PATH names folders of libraries to look into (docs/gpu.md); a build for "
        "CPUs "
        "(scripts/build.sh) needs none of them",
        argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gausscse: error: %s\n", error.what());
    return 1;
  }
}
