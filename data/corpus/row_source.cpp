#include "data/corpus/row_source.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/file_kind.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "data/corpus/sentence.hpp"

namespace gausscse {

namespace {

constexpr std::size_t max_columns = 256;

/// Returns `names`, each in quotes.
std::string column_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (text.size() > 300) return text + ", ...";
    text += concat(text.empty() ? "" : ", ", quoted(name));
  }
  return text;
}

/// Returns the number of times that `character` occurs outside of quotes.
std::ptrdiff_t count_unquoted(std::string_view line, char character) {
  bool in_quotes = false;
  return std::count_if(line.begin(), line.end(), [&](char c) {
    in_quotes = in_quotes != (c == '"');
    return c == character && !in_quotes;
  });
}

}  // namespace

RowSource::RowSource(ByteSource& source, std::string name)
    : elements_(source, name), source_(elements_), name_(std::move(name)) {
  LineReader reader(source_, name_);
  std::string_view first;
  if (!reader.next_not_blank(first)) throw InputError(concat(name_, ": the file is empty: check that it is whole"));
  refuse_other_file(first, name_);
  const std::string place = at_line(name_, reader.line_number());
  if (find_invalid_utf8(first) != std::string_view::npos)
    throw InputError(concat(place, ": the first line, ", quoted(first, 40), ", is not UTF-8 text"));
  const std::string_view text = trimmed(first);
  const bool tabs = first.find('\t') != std::string_view::npos;
  if (text.starts_with('{')) {
    json_.emplace(std::vector<std::string>());
  } else if (!tabs && first.find_first_of(",;") == std::string_view::npos) {
    throw InputError(concat(place, ": the first line, ", quoted(first),
                            ", has no columns: give a header and rows with tabs between fields, a CSV file, or one "
                            "JSON object {...} a line"));
  }
  // As programs write CSV where the comma is that of numbers.
  if (!tabs && !json_) separator_ = count_unquoted(first, ';') > count_unquoted(first, ',') ? ';' : ',';
  source_.rewind();
  if (tabs || json_)
    lines_.emplace(source_, name_);
  else
    csv_.emplace(source_, name_, separator_);
  read_record();
  if (json_) {
    first_is_next_ = true;
    try {
      json_->parse(line_);
    } catch (const InputError&) {
      return;  // a bad line, as any other
    }
    header_ = json_->found();
    return;
  }
  if (csv_)
    header_.assign(fields_.begin(), fields_.end());
  else
    for (const std::string_view field : split_at_tabs(line_, max_columns + 1)) header_.emplace_back(field);
  for (std::string& column : header_) column = std::string(trimmed(column));
  if (header_.size() > max_columns) throw InputError(concat(place, ": the header has over ", max_columns, " columns"));
}

bool RowSource::has_column(std::string_view name) const {
  return !name.empty() && std::find(header_.begin(), header_.end(), json_ ? name : trimmed(name)) != header_.end();
}

void RowSource::without_header(std::vector<std::string> names, bool allow_more) {
  header_ = std::move(names);
  allow_more_ = allow_more;
  first_is_next_ = true;
}

void RowSource::select(std::string_view items, std::vector<RowColumn> columns) {
  items_ = items;
  for (RowColumn& column : columns) selected_.push_back({.column = std::move(column)});
  values_.resize(selected_.size());
  if (!json_) {
    for (std::size_t column = 0; column < selected_.size(); ++column) find_column(column);
    return;
  }
  std::vector<std::string> keys;
  for (Selected& selected : selected_) {
    for (const std::string& name : selected.column.names) {
      const auto found = std::find(keys.begin(), keys.end(), name);
      selected.places.push_back(static_cast<std::size_t>(found - keys.begin()));
      if (found == keys.end()) keys.push_back(name);
    }
  }
  json_.emplace(std::move(keys));
}

/// Sets the place of a column in rows under a header.
void RowSource::find_column(std::size_t column) {
  Selected& selected = selected_[column];
  const std::string place = at_line(name_, line_number_);
  for (const std::string& name : selected.column.names) {
    const auto found = std::find(header_.begin(), header_.end(), trimmed(name));
    if (found == header_.end()) continue;
    if (std::find(found + 1, header_.end(), *found) != header_.end())
      throw InputError(concat(place, ": the header names the column ", quoted(name),
                              " twice, so its value is ambiguous: rename or remove one"));
    selected.place = static_cast<std::size_t>(found - header_.begin());
    columns_of_fields_.emplace_back(column, selected.place);
    needed_fields_ = std::max(needed_fields_, selected.place + 1);
    return;
  }
  if (selected.column.needed) throw InputError(concat(place, ": ", missing_column(selected.column, header_)));
}

std::string RowSource::needed_columns() const {
  std::string text;
  for (const Selected& selected : selected_)
    if (selected.column.needed) text += concat(text.empty() ? "" : ", ", joined(selected.column.names, " or "));
  return text;
}

std::string RowSource::missing_column(const RowColumn& column, const std::vector<std::string>& found) const {
  std::vector<std::string> others;
  for (const std::string& name : found) {
    const bool known = std::any_of(selected_.begin(), selected_.end(), [&](const Selected& selected) {
      const std::vector<std::string>& names = selected.column.names;
      return std::find(names.begin(), names.end(), name) != names.end();
    });
    if (!known && name.size() <= 40) others.push_back(name);
  }
  const std::string& wanted = column.names.front();
  return concat(json_ ? "the key " : "the header lacks the column ", quoted(wanted), column.purpose,
                json_ ? (column.purpose.empty() ? " is missing" : ", is missing") : "", nearest_name(wanted, others),
                "; it has ", column_list(found), ", and ", items_, " need ", needed_columns());
}

void RowSource::refuse_header(std::string_view needed) const {
  throw InputError(concat(at_line(name_, line_number_), ": the columns are ", column_list(header_), ", but ", needed));
}

bool RowSource::read_record() {
  if (lines_) {
    if (!lines_->next_not_blank(line_)) return false;
    line_number_ = lines_->line_number();
    return true;
  }
  do {
    if (!csv_->next(fields_)) return false;
  } while (fields_.empty());
  line_number_ = csv_->line_number();
  return true;
}

bool RowSource::advance() {
  return std::exchange(first_is_next_, false) || read_record();
}

void RowSource::split() {
  if (lines_) check_utf8(line_);
  json_ ? split_json() : split_fields();
}

void RowSource::split_fields() {
  if (csv_) {
    for (const std::string_view field : fields_) check_utf8(field);
  } else {
    fields_ = split_at_tabs(line_, header_.size() + 1);
  }
  const char* separator = separator_ == '\t' ? "tab" : separator_ == ';' ? "semicolon" : "comma";
  if (fields_.size() < needed_fields_)
    throw InputError(concat("the row has ", fields_.size(), " ", separator, "-separated fields where at least ",
                            needed_fields_, " are needed: the line is cut, or a ", separator, " is missing"));
  if (fields_.size() > header_.size() && !allow_more_)
    throw InputError(
        concat("the row has more ", separator, "-separated fields than the ", header_.size(), " columns: ",
               csv_ ? concat("put a sentence with a ", separator, " in quotes") : "a sentence must not hold a tab"));
  for (const auto& [column, place] : columns_of_fields_) values_[column] = fields_[place];
}

void RowSource::split_json() {
  json_->parse(line_);
  const std::vector<JsonRow::Value>& values = json_->values();
  for (std::size_t i = 0; i < selected_.size(); ++i) {
    Selected& selected = selected_[i];
    const auto found = std::find_if(selected.places.begin(), selected.places.end(),
                                    [&](std::size_t key) { return !values[key].kind.empty(); });
    if (found == selected.places.end()) {
      if (selected.column.needed) throw InputError(missing_column(selected.column, json_->found()));
      values_[i] = {};
      continue;
    }
    selected.place = *found;
    values_[i] = values[*found].text;
  }
}

const std::string& RowSource::name_of(std::size_t column) const {
  return (json_ ? json_->keys() : header_)[selected_[column].place];
}

std::string_view RowSource::checked_value(std::size_t column, bool any_scalar) const {
  if (!json_) return values_[column];
  const std::string_view kind = json_->values()[selected_[column].place].kind;
  const bool fits = kind == "a text" || (any_scalar && (kind == "a number" || kind == "a truth value"));
  if (fits) return values_[column];
  throw InputError(
      concat(quoted(name_of(column)), " is ", kind, " where a text ", any_scalar ? "or a number " : "", "is needed"));
}

std::string_view RowSource::sentence(std::size_t column, bool trim) const {
  return checked_sentence(text(column), name_of(column), trim);
}

void RowSource::append_sentences(std::size_t column, bool trim, std::vector<std::string_view>& sentences) const {
  if (!json_ || json_->values()[selected_[column].place].kind != "an array of texts") {
    sentences.push_back(sentence(column, trim));
    return;
  }
  for (const std::string& text : json_->values()[selected_[column].place].elements)
    sentences.push_back(checked_sentence(text, name_of(column), trim));
}

}  // namespace gausscse
