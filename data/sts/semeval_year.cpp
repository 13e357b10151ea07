#include "data/sts/semeval_year.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "data/corpus/sentence.hpp"
#include "data/corpus/text_readers.hpp"
#include "data/source/text_source.hpp"
#include "data/sts/sts_file.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> lines_of(ByteSource& source, const std::string& name) {
  LineReader reader(source, name);
  std::vector<std::string> lines;
  for (std::string_view line; reader.next(line);) lines.emplace_back(line);
  return lines;
}

/// Returns a pair of two sentences with a tab between them, and their score.
StsPair checked_pair(std::string_view text, double score) {
  const std::vector<std::string_view> fields = split_at_tabs(text, 3);
  if (fields.size() != 2) throw InputError(concat(quoted(text), " is not two sentences with one tab between them"));
  return {std::string(checked_sentence(fields[0], "the first", false)),
          std::string(checked_sentence(fields[1], "the second", false)), score};
}

constexpr int first_year = 12, last_year = 16;

std::string prefix_of(int year) {
  return year == 16 ? "STS2016." : "STS.";
}

/// Returns the file of a subset's half, "input" or "gs".
fs::path file_of(const fs::path& folder, int year, const std::string& half, const std::string& subset) {
  return folder / (prefix_of(year) + half + "." + subset + ".txt");
}

/// Returns the subsets of `year` that have at least one half in the folder.
std::vector<std::string> present_subsets(const fs::path& folder, int year) {
  std::vector<std::string> present;
  for (const std::string& subset : semeval_subsets(year))
    if (fs::exists(file_of(folder, year, "input", subset)) || fs::exists(file_of(folder, year, "gs", subset)))
      present.push_back(subset);
  return present;
}

/// Returns the number of files in the folder that are named as halves of subsets.
std::size_t halves_in(const fs::path& folder) {
  std::size_t count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".txt")) continue;
    for (const char* prefix : {"STS.input.", "STS.gs.", "STS2016.input.", "STS2016.gs."})
      count += name.starts_with(prefix);
  }
  return count;
}

int year_of(const fs::path& folder) {
  const std::size_t halves = halves_in(folder);
  if (halves == 0)
    throw InputError(concat(folder.string(), ": holds no file of SemEval's STS (STS.input.X.txt, STS.gs.X.txt): give ",
                            "the folder of one year, or a file of the STS benchmark or of SICK"));
  std::vector<int> years;
  for (int year = first_year; year <= last_year; ++year) {
    std::size_t of_year = 0;
    for (const std::string& subset : semeval_subsets(year))
      for (const char* half : {"input", "gs"}) of_year += fs::exists(file_of(folder, year, half, subset));
    if (of_year == halves) years.push_back(year);
  }
  if (years.size() == 1) return years.front();
  throw InputError(concat(folder.string(),
                          years.empty() ? ": its subsets of SemEval's STS are not all of one year"
                                        : ": its subsets of SemEval's STS could be of several years",
                          ": say which by the key year (12 to 16)"));
}

StsSubset read_subset(const fs::path& folder, int year, const std::string& name, BadLines bad_lines,
                      ReadReport& report) {
  const fs::path input = file_of(folder, year, "input", name), scores = file_of(folder, year, "gs", name);
  for (const auto& [there, missing] : {std::pair{scores, input}, {input, scores}})
    if (!fs::exists(missing))
      throw InputError(
          concat(there.string(), ": ", missing.filename().string(), " is missing next to it: a subset is both files"));
  TextSource texts(input), numbers(scores);
  return {name, read_scored_pairs(texts, input.string(), numbers, scores.string(), bad_lines, report)};
}

}  // namespace

std::vector<StsPair> read_scored_pairs(ByteSource& input, const std::string& input_name, ByteSource& scores,
                                       const std::string& scores_name, BadLines bad_lines, ReadReport& report) {
  const std::vector<std::string> texts = lines_of(input, input_name), numbers = lines_of(scores, scores_name);
  if (texts.size() != numbers.size())
    throw InputError(concat(scores_name, ": has ", numbers.size(), " lines, but ", input_name, " has ", texts.size(),
                            ": one of them is cut short"));
  LineTally score_lines(scores_name, bad_lines, report), text_lines(input_name, bad_lines, report);
  std::vector<StsPair> pairs;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (numbers[i].empty()) continue;
    double score = 0;
    if (!score_lines.read(i + 1, [&] { score = checked_score(numbers[i]); })) continue;
    text_lines.read(i + 1, [&] { pairs.push_back(checked_pair(texts[i], score)); });
  }
  score_lines.finish("score");
  text_lines.finish("pair");
  report.pairs += pairs.size();
  return pairs;
}

const std::vector<std::string>& semeval_subsets(int year) {
  static const std::array<std::vector<std::string>, last_year - first_year + 1> subsets{
      {{"MSRpar", "MSRvid", "SMTeuroparl", "surprise.OnWN", "surprise.SMTnews"},
       {"FNWN", "headlines", "OnWN"},
       {"deft-forum", "deft-news", "headlines", "images", "OnWN", "tweet-news"},
       {"answers-forums", "answers-students", "belief", "headlines", "images"},
       {"answer-answer", "headlines", "plagiarism", "postediting", "question-question"}}};
  GAUSSCSE_CHECK(first_year <= year && year <= last_year, "SemEval's STS ran from 2012 to 2016");
  return subsets[static_cast<std::size_t>(year - first_year)];
}

SemEvalYear read_semeval_year(const fs::path& folder, int year, BadLines bad_lines, ReadReport& report) {
  SemEvalYear read;
  read.year = year == 0 ? year_of(folder) : year;
  const std::vector<std::string> present = present_subsets(folder, read.year);
  if (present.empty())
    throw InputError(concat(folder.string(), ": holds no subset of STS", read.year, " (",
                            file_of("", read.year, "input", semeval_subsets(read.year).front()).string(), ", ...)"));
  for (const std::string& subset : semeval_subsets(read.year)) {
    if (std::find(present.begin(), present.end(), subset) == present.end())
      read.missing.push_back(subset);
    else
      read.subsets.push_back(read_subset(folder, read.year, subset, bad_lines, report));
  }
  return read;
}

}  // namespace gausscse
