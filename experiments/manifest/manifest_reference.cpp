#include "experiments/manifest/manifest_reference.hpp"

#include "config/schema/key_writer.hpp"
#include "experiments/manifest/manifest_draft.hpp"

namespace gausscse {

namespace {

template <typename Record>
std::string table_of(const Keys<Record>& keys, const std::string& prefix) {
  std::string table = reference_header;
  for (const Key<Record>& key : keys) table += reference_row(key, prefix + key.name, default_of(key, Record()));
  return table;
}

}  // namespace

std::string manifest_reference() {
  return concat(table_of(manifest_keys(), ""), "\n", table_of(stage_keys(), "stages.NAME."), "\n",
                table_of(table_keys(), "tables.NAME."), "\n", table_of(table_figure_keys(), "tables.NAME.figures."));
}

}  // namespace gausscse
