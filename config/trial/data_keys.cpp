#include "config/schema/key_kinds.hpp"
#include "config/trial/trial_keys.hpp"

namespace gausscse {

namespace {

using namespace key_kinds;  // the table below reads as a table

using Data = Trial::Data;

/// Returns fractions of a whole, of which 0 is printed nowhere.
Codec<double> fraction_or_none() {
  Codec<double> fraction = number({.lowest = 0.0, .highest = 1.0, .below_highest = true});
  fraction.is_set = [](double value) { return value > 0; };
  return fraction;
}

}  // namespace

Keys<Trial> data_keys() {
  return {
      required(key("data.train", at(&Trial::data, &Data::train), paths_or_shards("train"),
                   "NLI files (jsonl, txt, CSV, Parquet; of SICK.txt the TRAIN rows), or files of triples with the "
                   "columns sent0,sent1,hard_neg (anchor,positive,negative). A folder is its `train*.parquet`.")),
      key("data.dev_fraction", at(&Trial::data, &Data::dev_fraction), fraction_or_none(),
          "Share of the premises whose examples are held out of training, for NLI tasks without `files`. A hash of the "
          "premise's text chooses them, whatever the seed, order and ranks; 0: none."),
      key("data.examples", at(&Trial::data, &Data::examples),
          "Premise, entailed and contradicted hypothesis; every pair of a premise and a hypothesis that it entails; "
          "or every pair with a gold label, which triples do not have."),
      key("data.columns.premise", at(&Trial::data, &Data::layout, &CorpusLayout::premise), text("a name"),
          "Column or JSON key of the premise, anchor or query in the files of `data.train` and of NLI tasks, tried "
          "before the known names."),
      key("data.columns.hypothesis", at(&Trial::data, &Data::layout, &CorpusLayout::hypothesis), text("a name"),
          "The same of the hypothesis in pairs with labels."),
      key("data.columns.label", at(&Trial::data, &Data::layout, &CorpusLayout::label), text("a name"),
          "The same of the label."),
      key("data.columns.entailed", at(&Trial::data, &Data::layout, &CorpusLayout::entailed), text("a name"),
          "The same of the entailed hypothesis in triples."),
      key("data.columns.contradicted", at(&Trial::data, &Data::layout, &CorpusLayout::contradicted), text("a name"),
          "The same of the contradicted hypothesis in triples."),
      key("data.columns.score", at(&Trial::data, &Data::layout, &CorpusLayout::score), text("a name"),
          "The same of the score in files of STS tasks, whose sentences are premise and hypothesis."),
      key("data.labels.entailment", at(&Trial::data, &Data::layout, &CorpusLayout::entailment),
          text("a word or number"),
          "Label, as the files have it, that means entailment. With any such value the other numbers have no meaning, "
          "save -1: none."),
      key("data.labels.neutral", at(&Trial::data, &Data::layout, &CorpusLayout::neutral), text("a word or number"),
          "The same for neutral."),
      key("data.labels.contradiction", at(&Trial::data, &Data::layout, &CorpusLayout::contradiction),
          text("a word or number"), "The same for contradiction."),
      key("data.labels.none", at(&Trial::data, &Data::layout, &CorpusLayout::none),
          text_if_any("a word or number, or \"\""),
          "Label, besides - and -1, of a pair without gold label; \"\" is an empty one."),
      key("data.order", at(&Trial::data, &Data::order),
          "Order of the examples: shuffled in each epoch, or as in the files."),
      key("data.batches", at(&Trial::data, &Data::batches),
          "Examples of a batch: any, or only such that no two have a text in common, by tokens."),
      key("data.bad_lines", at(&Trial::data, &Data::bad_lines),
          "A line that cannot be used: an error, or counted by cause and left out."),
      key("data.trim", at(&Trial::data, &Data::trim),
          "Whether white space at the ends of sentences is removed. RoBERTa's tokens depend on it, BERT's do not."),
      only_for(
          "data.examples triples", [](const Trial& trial) { return trial.data.examples == ExampleKind::triples; },
          key("data.triples", at(&Trial::data, &Data::triples),
              "From NLI files: one triple of a premise, chosen by the seed; all combinations; or for each entailed "
              "hypothesis one with a contradicted and one with a neutral hypothesis, and where there is neither, with "
              "a drawn one.")),
      affects(Effect::place,
              key("data.cache", at(&Trial::data, &Data::cache), optional_path(),
                  "Folder for tokenised corpora and vectors of sentences; \"\" is `$GAUSSCSE_CACHE/tokens`, else "
                  "`~/.cache/gausscse/tokens`.")),
      key("data.last_batch", at(&Trial::data, &Data::last_batch),
          "Whether an incomplete last batch of an epoch is dropped or kept."),
  };
}

}  // namespace gausscse
