#include "launcher/studies/table_flags.hpp"

#include "base/error.hpp"

namespace gausscse {

void add_table_flags(CLI::App& command, TableFlags& flags) {
  command
      .add_option("--interval", flags.interval,
                  concat("95% intervals in the cells: ", listed_words<setting::CellInterval>()))
      ->capture_default_str();
  command.add_flag("--holm", flags.holm, "correct p-values for the number of tests in a table");
  command.add_flag("--no-paper", flags.no_paper, "leave out the papers' numbers");
}

TableOptions table_options(const TableFlags& flags, std::size_t threads) {
  return {.interval = parse_choice<setting::CellInterval>("--interval", flags.interval),
          .holm = flags.holm,
          .paper = !flags.no_paper,
          .threads = static_cast<int>(threads)};
}

}  // namespace gausscse
