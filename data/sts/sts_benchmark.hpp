#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/corpus/byte_source.hpp"
#include "data/sts/sts_pair.hpp"

namespace gausscse {

/// Whether the first line of a file that is not blank is one of the STS benchmark: genre, file, year, number, score,
/// and the two sentences, with tabs between them; more fields may follow.
bool is_sts_benchmark(const std::filesystem::path& path);

/// The pairs of a file of the STS benchmark (`sts-train.csv`, `sts-dev.csv`, `sts-test.csv`), in its order and as they
/// stand there: a quote is part of the sentence, blank lines are left out. Throws InputError for a file that cannot be
/// read or has no line, and with file and line for a line with too few fields, a score that is no number from 0 to 5,
/// or text that is not UTF-8.
std::vector<StsPair> read_sts_benchmark(const std::filesystem::path& path);

/// The same from any source; `name` stands for the path in messages.
std::vector<StsPair> read_sts_benchmark(ByteSource& source, const std::string& name);

}  // namespace gausscse
