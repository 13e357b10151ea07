#include "launcher/command.hpp"

// The commands that the program with LibTorch does not have, as `gausscse` does not continue in it for them.

namespace gausscse {

void add_init_command(CLI::App&, Action&) {}
void add_encode_command(CLI::App&, Action&) {}
void add_apply_command(CLI::App&, Action&) {}
void add_export_command(CLI::App&, Action&) {}
void add_score_command(CLI::App&, Action&) {}
void add_search_command(CLI::App&, Action&) {}
void add_similarity_command(CLI::App&, Action&) {}
void add_lengths_command(CLI::App&, Action&) {}
void add_tokenize_command(CLI::App&, Action&) {}
void add_split_command(CLI::App&, Action&) {}
void add_generate_command(CLI::App&, Action&) {}
void add_completion_command(CLI::App&, Action&) {}
void add_show_command(CLI::App&, Action&, const ResultCheck&) {}

}  // namespace gausscse
