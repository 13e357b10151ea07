#include "demo/generator/lexicon.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/lists.hpp"

namespace gausscse::lexicon {

namespace {

/// Returns the parts of a text between separators, without spaces around them; none of an empty text.
Words parts_of(std::string_view whole, char separator) {
  Words parts;
  while (!whole.empty()) {
    const std::size_t end = std::min(whole.find(separator), whole.size());
    std::string_view part = whole.substr(0, end);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    parts.push_back(part);
    whole.remove_prefix(std::min(end + 1, whole.size()));
  }
  return parts;
}

Noun noun_of(std::string_view forms_text) {
  const Words forms = parts_of(forms_text, '/');
  return {forms.at(0), forms.at(1)};
}

Nouns nouns_of(std::string_view list) {
  Nouns nouns;
  for (const std::string_view noun : parts_of(list, ',')) nouns.push_back(noun_of(noun));
  return nouns;
}

Tables read_tables() {
  Tables all;
  std::map<std::string_view, AdjectiveGroups> groups;
  for (const std::string_view line : parts_of(text(), '\n')) {
    if (line.empty() || line.starts_with('#')) continue;
    Words fields = parts_of(line, '|');
    const std::string_view table = fields[0];
    const auto field = [&](std::size_t i) { return i < fields.size() ? fields[i] : std::string_view(); };
    const auto list = [&](std::size_t i) { return parts_of(field(i), ','); };
    const auto flags = [&](std::size_t i) { return parts_of(field(i), ' '); };
    if (table == "adjectives") {
      all.adjectives[field(1)] = {list(2), field(3) == "survives"};
    } else if (table == "groups") {
      AdjectiveGroups& group = groups[field(1)];
      for (const std::string_view name : list(2)) group.push_back(&all.adjectives.at(name));
    } else if (table == "nouns") {
      all.nouns[field(1)] = nouns_of(field(2));
    } else if (table == "words") {
      all.words[field(1)] = list(2);
    } else if (table == "actors") {
      const Words is = flags(2);
      for (const Noun& name : nouns_of(field(4)))
        all.actors.push_back(
            {name, all.nouns.at(field(3)), groups.at(field(1)), is_among(is, "person"), is_among(is, "adult")});
    } else if (table == "thing") {
      const Words uses = flags(4);
      all.things.push_back(
          {noun_of(field(1)), all.nouns.at(field(2)), groups.at(field(3)), uses, is_among(uses, "animal")});
    } else if (table == "activity") {
      const Words by = flags(7);
      all.activities.push_back({field(1), field(2), all.words.at(field(3)), field(4), all.words.at(field(5)), flags(6),
                                is_among(by, "persons"), is_among(by, "animals"), is_among(by, "adults")});
    } else if (table == "places") {
      for (const std::string_view phrase : list(3)) all.places.push_back({phrase, all.words.at(field(2)), field(1)});
    } else if (table == "time") {
      all.times.push_back({field(1), field(2), field(3), field(4) == "outdoors"});
    } else {
      GAUSSCSE_CHECK(table == "bystanding", "lexicon.txt has an entry of the unknown table ", quoted(table));
      all.bystandings.push_back({field(1), field(2), field(3) == "nearby"});
    }
  }
  return all;
}

}  // namespace

const Tables& tables() {
  static const Tables all = read_tables();
  return all;
}

const Nouns& garments() {
  return tables().nouns.at("garments");
}

const Words& colours() {
  return tables().adjectives.at("thing_colours").values;
}

const Words& circumstances(const Actor& actor) {
  return tables().words.at(actor.person ? "circumstances_of_persons" : "circumstances_of_animals");
}

}  // namespace gausscse::lexicon
