#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "experiments/manifest/manifest.hpp"

// A manifest that is accepted has stages with points, each with a value on every axis of its grid.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gausscse;
  try {
    const Manifest manifest =
        parse_manifest(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.yaml", "/base");
    if (manifest.stages.empty()) std::abort();
    for (const Stage& stage : manifest.stages) {
      if (stage.points.empty() || stage.seeds.empty()) std::abort();
      for (const std::vector<Axis::Value>& point : stage.points)
        if (point.size() != stage.grid.size()) std::abort();
    }
  } catch (const InputError&) {
  }
  return 0;
}
