#include "launcher/command_input.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "dist/group_work.hpp"

namespace gausscse {

void keep_piped_inputs(std::span<const std::filesystem::path> inputs, ControlGroup& ranks) {
  if (ranks.size() > 1)
    run_on_root(ranks, [&] {
      for (const std::filesystem::path& input : inputs)
        if (is_piped_input(input) || !lost_pipe_text(input).empty())
          throw InputError(concat(input.string(), ": is a pipe, which only one process can read, but there are ",
                                  ranks.size(), " ranks: copy its content into a file, or use one process"));
    });
  const LongOperation reading(ranks);
  for (const std::filesystem::path& input : inputs) keep_piped_input(input);
}

}  // namespace gausscse
