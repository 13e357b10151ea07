// choose_pretended_gpu GPUS [--share-gpu]: a rank, started by mpirun or srun, of a node with GPUS GPUs that are not
// there. It sees the GPUs that CUDA would show it by CUDA_VISIBLE_DEVICES, and chooses one with the others as `gausscse
// train --device cuda` does. It prints a line: the GPU, or the reason of its refusal (exit code 2).

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/process.hpp"
#include "launcher/process.hpp"
#include "launcher/run_command.hpp"
#include "tests/launcher/machine/pretended_gpus.hpp"

namespace gausscse {
namespace {

/// Returns the GPUs that a process sees: those of a node that the list names, "0,2", up to the first that is not there;
/// all without a list.
GpuInventory visible_of(int gpus, const char* list) {
  GpuInventory seen = inventory({});
  if (!list) {
    for (int number = 0; number < gpus; ++number) seen.gpus.push_back(gpu(number));
    return seen;
  }
  seen.visible_devices = list;
  for (const char* rest = list; *rest != '\0';) {
    char* end = nullptr;
    const long number = std::strtol(rest, &end, 10);
    if (end == rest || number < 0 || number >= gpus) break;
    seen.gpus.push_back(gpu(static_cast<int>(number)));
    if (*end != ',') break;
    rest = end + 1;
  }
  if (seen.gpus.empty()) seen.state = GpuInventory::State::none_visible;
  return seen;
}

int run(int gpus, bool share_gpu) {
  Process process({.threads = 1, .timeout = 60});
  Communicator& ranks = process.communicator();
  const GpuInventory seen = visible_of(gpus, std::getenv("CUDA_VISIBLE_DEVICES"));
  std::string text;
  int code = 0;
  try {
    const ComputeDevice own =
        choose_device({.choice = setting::Device::cuda, .share_gpu = share_gpu}, {host_name(), seen}, ranks);
    text = concat("computes on ", own.device, ", ", seen.gpus.at(static_cast<std::size_t>(own.device.index())).uuid,
                  own.gpus_are_shared ? ", shared" : "");
  } catch (const InputError& error) {
    text = concat("is refused: ", error.what());
    code = 2;
  }
  std::printf("%s\n", concat("rank ", ranks.rank(), " of ", ranks.size(), ", which sees ",
                             seen.visible_devices.value_or("all"), ", ", text)
                          .c_str());
  std::fflush(stdout);
  // A launcher ends the others where one ends with an error.
  ranks.barrier();
  return code;
}

}  // namespace
}  // namespace gausscse

int main(int argc, char** argv) {
  if (argc < 2) return 3;
  return gausscse::run_command("train", [&] {
    return gausscse::run(std::atoi(argv[1]), argc > 2 && std::string_view(argv[2]) == "--share-gpu");
  });
}
