#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gausscse {

/// A key of the trial, as somebody may mean it who knows another program.
struct MeantKey {
  std::string name;         ///< "training.learning_rate"; of a section: "tasks"
  bool has_value = true;    ///< false for a section and a map under names of the user's
  std::string_view remark;  ///< difference in meaning from the other program's; empty: none
};

/// Returns the key that `word` means, with "-" for "_" as well: by its full name, as a word of another program
/// (config/schema/key_aliases.hpp), or by its last word ("seed" of training.seed). Nothing where there is none.
std::optional<MeantKey> key_of_word(std::string_view word);

/// Returns the key whose last word `word` nearly is: "ouput" means output.
std::optional<MeantKey> nearest_key(std::string_view word);

}  // namespace gausscse
