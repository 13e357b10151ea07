#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "config/proposal/data_sample.hpp"
#include "data/corpus/corpus_layout.hpp"

namespace gausscse {

/// Files whose columns --columns names: NLI files alone, or files of triples, too.
enum class NamedColumns { nli, nli_and_triples };

/// Adds --columns and --labels, which name columns and labels of files as data.columns and data.labels of a trial do:
///
///     gausscse eval runs/claims/model --dev claims.csv --columns premise=evidence,hypothesis=claim,label=verdict
///
/// `layout` must live until the command has been parsed. A part that is no NAME=VALUE, or of an unknown name, is an
/// error of the command line.
void add_layout_options(CLI::App& command, CorpusLayout& layout, NamedColumns columns = NamedColumns::nli);

/// Throws InputError for a name of --columns that no file has: the known names would be read in its place.
void check_columns(const CorpusLayout& layout, const std::vector<FileColumns>& files);

}  // namespace gausscse
