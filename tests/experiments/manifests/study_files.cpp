#include "tests/experiments/manifests/study_files.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "tests/experiments/manifests/small_corpora.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

/// Returns the first words of the lines of the first "```text" block.
std::vector<std::string> layout_of(const fs::path& page) {
  std::ifstream in(page);
  std::vector<std::string> names;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line == "```text") inside = true;
    if (inside && line == "```") break;
    if (inside && line != "```text") names.push_back(line.substr(0, line.find(' ')));
  }
  return names;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',')
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

std::vector<std::string> lines_without_comments(const std::string& file) {
  std::ifstream in(source_folder("experiments/paper_figures") / file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with('#')) lines.push_back(line);
  return lines;
}

}  // namespace

fs::path source_folder(const std::string& name) {
  return golden("../../" + name).lexically_normal();
}

StudyFiles::StudyFiles() {
  fs::create_directories(root() / "experiments");
  fs::copy(source_folder("experiments/manifests"), root() / "experiments" / "manifests", fs::copy_options::recursive);
  for (const std::string& name : layout_of(root() / "experiments" / "manifests" / "README.md"))
    write_small_corpus(root(), name);
}

std::vector<std::string> StudyFiles::manifests() const {
  std::vector<std::string> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(root() / "experiments" / "manifests"))
    if (entry.path().extension() == ".yaml") found.push_back(entry.path().stem());
  std::sort(found.begin(), found.end());
  return found;
}

fs::path StudyFiles::path(const std::string& manifest) const {
  return root() / "experiments" / "manifests" / (manifest + ".yaml");
}

std::vector<StudyPlanEntry> StudyFiles::plan(const std::string& manifest, const MetricOf& metric) const {
  std::map<fs::path, std::string> known;
  const ContentHash hash = [&](const fs::path& file) {
    std::string& of_file = known[file];
    if (of_file.empty()) of_file = content_hash(file);
    return of_file;
  };
  const EarlierTrials earlier{[&](const PlannedTrial& trial, const std::string&) -> std::optional<double> {
                                if (!metric) return std::nullopt;
                                return metric(trial);
                              },
                              [](const PlannedTrial&) { return false; }};
  return plan_study(read_manifest(path(manifest)), earlier, hash);
}

std::string paper_header(const std::string& file) {
  const std::vector<std::string> lines = lines_without_comments(file);
  return lines.empty() ? "" : lines.front();
}

std::vector<PaperRow> paper_rows(const std::string& file) {
  const std::vector<std::string> lines = lines_without_comments(file);
  std::vector<PaperRow> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> c = cells_of(lines[i]);
    if (c.size() != 10) throw InputError(concat(file, ": ", lines[i], " has not ten columns"));
    rows.push_back({c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9]});
  }
  return rows;
}

}  // namespace gausscse
