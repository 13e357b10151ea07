#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "data/transfer/transfer_examples.hpp"

// The first byte is the number of a task, the rest is one of its files. Examples that are accepted have known labels,
// and sentences that are well-formed with single blanks between their words.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gausscse;
  if (size == 0) return 0;
  const auto& tasks = names<TransferDataset>;
  const TransferDataset dataset = tasks[data[0] % tasks.size()].first;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    ReadReport report;
    const std::vector<TransferExample> examples =
        transfer_examples_of(dataset, bytes, "fuzz.txt", 1, BadLines::skip, report);
    if (examples.empty()) std::abort();
    for (const TransferExample& example : examples) {
      if (example.label >= layout_of(dataset).classes.size()) std::abort();
      for (const std::string_view sentence : {std::string_view(example.first), std::string_view(example.second)})
        if (find_invalid_utf8(sentence) != std::string_view::npos || sentence.starts_with(' ') ||
            sentence.ends_with(' ') || sentence.find("  ") != std::string_view::npos)
          std::abort();
    }
  } catch (const InputError&) {
  }
  return 0;
}
