#include "launcher/search_output.hpp"

#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "results/hdf5_image.hpp"
#include "results/hdf5_values.hpp"

namespace gausscse {

namespace {

constexpr const char* search_format_name = "gausscse-search/1";

/// Columns in their order; `text` is there where texts are known.
constexpr const char *query_column = "query", *rank_column = "rank", *row_column = "row",
                     *forward_column = "sim(query||row)", *backward_column = "sim(row||query)",
                     *probability_column = "probability", *verdict_column = "verdict",
                     *log_var_column = "log_var_difference", *text_column = "text";

/// Returns the difference of log-variances; nothing of vectors without variances.
std::optional<double> log_var_difference(const FoundRow& row, const SearchAnswer& answer) {
  if (!is_gaussian(answer.similarity)) return std::nullopt;
  return row.hit.log_var_difference;
}

std::string fixed(std::optional<double> value) {
  if (!value) return "";
  char text[64];
  std::snprintf(text, sizeof text, "%.6f", *value);
  return text;
}

nlohmann::ordered_json json_of(std::optional<double> value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

nlohmann::ordered_json json_of(const FoundRow& row, const SearchAnswer& answer) {
  nlohmann::ordered_json json{{query_column, row.query},
                              {rank_column, row.rank},
                              {row_column, row.hit.row},
                              {forward_column, row.hit.query_given_row},
                              {backward_column, row.hit.row_given_query}};
  json[probability_column] = json_of(row.probability);
  if (answer.has_verdicts())
    json[verdict_column] = row.verdict ? nlohmann::ordered_json(row.verdict) : nlohmann::ordered_json();
  json[log_var_column] = json_of(log_var_difference(row, answer));
  if (answer.has_texts) json[text_column] = row.text;
  return json;
}

nlohmann::ordered_json json_of(const HitAnswers& answers) {
  const CalibrationNumbers& numbers = answers.calibration().numbers();
  nlohmann::ordered_json json{{"of", name_of(numbers.of)},
                              {"set", numbers.set},
                              {"data", numbers.data_hash},
                              {"rows", numbers.rows},
                              {"calibrator", name_of(answers.calibrator())}};
  if (answers.risk() == 0) return json;
  json["risk"] = answers.risk();
  json["confidence"] = json_of(answers.confidence());
  json["found"] = answers.found();
  return json;
}

std::string json_lines(const SearchAnswer& answer) {
  std::string lines;
  for (const FoundRow& row : answer.found) lines += json_of(row, answer).dump() + "\n";
  return lines;
}

template <typename Value, typename Get>
void write_column(H5::H5File& file, const std::string& name, const SearchAnswer& answer, const Get& get) {
  std::vector<Value> values;
  values.reserve(answer.found.size());
  for (const FoundRow& row : answer.found) values.push_back(get(row));
  write_values(file, name, values);
}

std::string hdf5_bytes(const SearchAnswer& answer) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  silence_hdf5();
  H5::H5File file = create_hdf5_image();
  write_text_attribute(file, "format", search_format_name);
  write_text_attribute(file, "similarity", std::string(name_of(answer.similarity)));
  write_text_attribute(file, "direction", std::string(name_of(answer.direction)));
  write_attribute(file, "queries", static_cast<std::int64_t>(answer.queries));
  write_attribute(file, "rows", static_cast<std::int64_t>(answer.rows));
  const auto whole = [](std::uint64_t number) { return static_cast<std::int64_t>(number); };
  write_column<std::int64_t>(file, query_column, answer, [&](const FoundRow& row) { return whole(row.query); });
  write_column<std::int64_t>(file, rank_column, answer, [&](const FoundRow& row) { return whole(row.rank); });
  write_column<std::int64_t>(file, row_column, answer, [&](const FoundRow& row) { return whole(row.hit.row); });
  write_column<double>(file, forward_column, answer, [](const FoundRow& row) { return row.hit.query_given_row; });
  write_column<double>(file, backward_column, answer, [](const FoundRow& row) { return row.hit.row_given_query; });
  write_column<double>(file, probability_column, answer,
                       [&](const FoundRow& row) { return row.probability.value_or(none); });
  if (answer.has_verdicts()) {
    std::vector<std::string> verdicts;
    for (const FoundRow& row : answer.found) verdicts.emplace_back(row.verdict ? row.verdict : "");
    write_texts(file, verdict_column, verdicts);
  }
  write_column<double>(file, log_var_column, answer,
                       [&](const FoundRow& row) { return log_var_difference(row, answer).value_or(none); });
  if (answer.has_texts) {
    std::vector<std::string> texts;
    for (const FoundRow& row : answer.found) texts.push_back(row.text);
    write_texts(file, text_column, texts);
  }
  return hdf5_image_bytes(file);
}

}  // namespace

SearchFormat search_format(const std::filesystem::path& path) {
  const std::string suffix = path.extension().string();
  if (suffix == ".tsv") return SearchFormat::tsv;
  if (suffix == ".jsonl") return SearchFormat::jsonl;
  if (suffix == ".h5" || suffix == ".hdf5") return SearchFormat::hdf5;
  throw InputError(concat(path.string(), ": a search is not written as ", quoted(suffix),
                          ": name the file .tsv, .jsonl, or .h5 or .hdf5 (HDF5)"));
}

std::string search_header(const SearchAnswer& answer) {
  return concat(query_column, "\t", rank_column, "\t", row_column, "\t", forward_column, "\t", backward_column, "\t",
                probability_column, "\t", answer.has_verdicts() ? concat(verdict_column, "\t") : "", log_var_column,
                answer.has_texts ? "\t" : "", answer.has_texts ? text_column : "", "\n");
}

std::string search_lines(const SearchAnswer& answer) {
  std::string lines;
  for (const FoundRow& row : answer.found) {
    lines += concat(row.query, "\t", row.rank, "\t", row.hit.row, "\t", fixed(row.hit.query_given_row), "\t",
                    fixed(row.hit.row_given_query), "\t", fixed(row.probability), "\t",
                    answer.has_verdicts() ? concat(row.verdict ? row.verdict : "", "\t") : "",
                    fixed(log_var_difference(row, answer)));
    if (answer.has_texts) lines += concat("\t", visible_text(row.text));
    lines += "\n";
  }
  return lines;
}

std::string search_json(const SearchAnswer& answer) {
  nlohmann::ordered_json json{{"format", search_format_name},
                              {"similarity", name_of(answer.similarity)},
                              {"direction", name_of(answer.direction)},
                              {"queries", answer.queries},
                              {"rows", answer.rows}};
  if (answer.of_hits) json["calibration"] = json_of(*answer.of_hits);
  json["hits"] = nlohmann::ordered_json::array();
  for (const FoundRow& row : answer.found) json["hits"].push_back(json_of(row, answer));
  return json.dump(1) + "\n";
}

std::string search_file(const SearchAnswer& answer, SearchFormat format) {
  switch (format) {
    case SearchFormat::tsv:
      return search_header(answer) + search_lines(answer);
    case SearchFormat::jsonl:
      return json_lines(answer);
    case SearchFormat::hdf5:
      break;
  }
  return hdf5_bytes(answer);
}

}  // namespace gausscse
