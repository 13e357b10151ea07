#include "launcher/command_help.hpp"

#include "base/lists.hpp"

namespace gausscse {

namespace {

constexpr std::string_view to_train = "Train", to_use = "Use a model", to_study = "Study", to_look = "Look";

const std::vector<CommandHelp> command_helps{
    {"train",
     to_train,
     {"mpirun -np 4 gausscse train trial.yaml --set training.batch_size=512",
      "gausscse train --continue runs/first --set output=runs/longer --set training.max_steps=400"},
     "trial.md"},
    {"init",
     to_train,
     {"gausscse init trial.yaml --backbone models/minilm --train train.csv",
      "gausscse init claims.yaml --backbone models/minilm --train claims.csv --columns "
      "premise=evidence,hypothesis=claim"},
     "data.md"},
    {"generate", to_train, {"gausscse generate data/generated"}, "first-run.md"},
    {"eval",
     to_use,
     {"gausscse eval runs/first/model --dev dev.jsonl",
      "gausscse eval models/minilm --retrieval claims=retrieval/claims"},
     "tasks.md"},
    {"encode",
     to_use,
     {"gausscse encode runs/first/model sentences.txt embeddings.h5",
      "gausscse encode runs/first/model more.txt embeddings.h5 --append"},
     "model_files.md"},
    {"apply", to_use, {"gausscse apply runs/vectors/model vectors.npy embeddings.h5"}, "own-data.md"},
    {"score",
     to_use,
     {"gausscse score runs/first/model pairs.tsv --header", "gausscse score runs/first/model pairs.tsv --probability"},
     "results.md"},
    {"search",
     to_use,
     {"gausscse search runs/first/model corpus.txt queries.txt --top 5",
      "gausscse search runs/first/model corpus.h5 claims.txt --direction both --text corpus.txt --out hits.tsv"},
     "search.md"},
    {"similarity", to_use, {"gausscse similarity runs/first/model claims.txt evidence.txt matrix.h5"}, "search.md"},
    {"export",
     to_use,
     {"gausscse export runs/first/model out/onnx --as onnx",
      "gausscse export runs/first/model out/mean --as sentence-transformers"},
     "export.md"},
    {"tokenize", to_use, {"gausscse tokenize models/minilm sentences.txt --strings"}, "model_files.md"},
    {"split", to_use, {"gausscse split book.txt --locale en-u-ss-standard > sentences.txt"}, "search.md"},
    {"geometry", to_use, {"gausscse geometry models/minilm sentences.txt"}, "geometry.md"},
    {"run",
     to_study,
     {"gausscse run manifest.yaml --results runs/study", "gausscse run manifest.yaml --results runs/study --dry-run"},
     "studies.md"},
    {"status", to_study, {"gausscse status runs/study"}, "studies.md"},
    {"tables", to_study, {"gausscse tables runs/study --format latex --interval t"}, "tables.md"},
    {"report", to_study, {"gausscse report runs/study --output page.html"}, "report.md"},
    {"compare",
     to_study,
     {"gausscse compare runs/first/result.h5 runs/second/result.h5",
      "gausscse compare runs/study:batch_size=16 runs/study:batch_size=32"},
     "results.md"},
    {"index", to_study, {"gausscse index runs/study"}, "study_files.md"},
    {"show",
     to_look,
     {"gausscse show runs/first/result.h5", "gausscse show runs/first/model --json -"},
     "result_files.md"},
    {"lengths", to_look, {"gausscse lengths snli_1.0_test.jsonl"}, "tasks.md"},
    {"doctor", to_look, {"mpirun -np 4 gausscse doctor"}, "slurm.md"},
    {"completion",
     to_look,
     {"gausscse completion bash > ~/.local/share/bash-completion/completions/gausscse",
      "gausscse completion man | man -l -"},
     "building.md"}};

}  // namespace

const CommandHelp* help_of_command(std::string_view name) {
  return find_by(command_helps, &CommandHelp::command, name);
}

}  // namespace gausscse
