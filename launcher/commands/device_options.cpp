#include "launcher/commands/device_options.hpp"

namespace gausscse {

DeviceRequest DeviceOptions::request() const {
  DeviceRequest request{.share_gpu = share_gpu};
  if (!device.empty()) request.choice = parse_choice<setting::Device>("--device", device);
  return request;
}

void add_device_options(CLI::App& command, DeviceOptions& options, const std::string& meaning) {
  command.add_option("--device", options.device, meaning)->check(CLI::IsMember(words_of<setting::Device>()));
  command.add_flag("--share-gpu", options.share_gpu, "let ranks share GPUs if there are fewer GPUs than ranks");
}

}  // namespace gausscse
