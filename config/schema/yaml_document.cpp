#include "config/schema/yaml_document.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file_kind.hpp"
#include "base/text.hpp"

namespace gausscse {

namespace {

/// Builds the tree from yaml-cpp's events, so that nothing is allocated for a document that is refused.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::shared_ptr<const std::string>& source, bool positions)
      : source_(std::move(source)), positions_(positions) {}

  YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(start(YamlNode::Kind::null, mark, "", anchor));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    fail(mark, "an alias (*name) is not allowed here: write the value itself");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node = start(YamlNode::Kind::scalar, mark, tag, anchor);
    node.text = value;
    node.quoted = tag == "!";
    add(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(start(YamlNode::Kind::sequence, mark, tag, anchor), mark);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(start(YamlNode::Kind::map, mark, tag, anchor), mark);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlNode node;
    bool has_key = false;
    std::string key;
    YamlPosition key_position;
    std::map<std::string, YamlPosition> keys;
  };

  YamlPosition position(const YAML::Mark& mark) const {
    if (!positions_ || mark.line < 0) return {source_, 0, 0};
    return {source_, static_cast<std::size_t>(mark.line) + 1, static_cast<std::size_t>(mark.column) + 1};
  }

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& problem) const {
    throw InputError(concat(to_string(position(mark)), ": ", problem));
  }

  YamlNode start(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (++nodes_ > max_yaml_nodes) {
      fail(mark, concat("more than ", max_yaml_nodes, " values: this is no file of settings"));
    }
    if (anchor != 0) fail(mark, "an anchor (&name) is not allowed here: remove it");
    // yaml-cpp's "?" is a plain value without a tag, "!" a quoted one.
    if (!tag.empty() && tag != "?" && tag != "!") {
      fail(mark, concat("the tag ", quoted(tag), " is not allowed here: remove it"));
    }
    YamlNode node;
    node.kind = kind;
    node.position = position(mark);
    return node;
  }

  void open(YamlNode node, const YAML::Mark& mark) {
    if (!stack_.empty() && stack_.back().node.kind == YamlNode::Kind::map && !stack_.back().has_key) {
      fail(mark, "a key must be a word, not a list or a map");
    }
    if (stack_.size() == max_yaml_depth) {
      fail(mark, concat("values nested deeper than ", max_yaml_depth, " levels: this is no file of settings"));
    }
    Open opened;
    opened.node = std::move(node);
    stack_.push_back(std::move(opened));
  }

  void close() {
    YamlNode node = std::move(stack_.back().node);
    stack_.pop_back();
    add(std::move(node));
  }

  void add(YamlNode node) {
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = stack_.back();
    if (parent.node.kind == YamlNode::Kind::sequence) {
      parent.node.items.push_back(std::move(node));
    } else if (parent.has_key) {
      parent.has_key = false;
      parent.node.entries.push_back({std::move(parent.key), parent.key_position, std::move(node)});
    } else {
      add_key(parent, node);
    }
  }

  void add_key(Open& map, const YamlNode& node) {
    if (node.kind != YamlNode::Kind::scalar) {
      throw InputError(concat(to_string(node.position), ": a key is missing before the colon"));
    }
    const auto [first, is_new] = map.keys.emplace(node.text, node.position);
    if (!is_new) {
      throw InputError(concat(to_string(node.position), ": the key ", quoted(node.text), " is given twice, first at ",
                              to_string(first->second), ": remove one"));
    }
    map.has_key = true;
    map.key = node.text;
    map.key_position = node.position;
  }

  std::shared_ptr<const std::string> source_;
  bool positions_;
  std::size_t nodes_ = 0;
  std::vector<Open> stack_;
  YamlNode root_;
};

void check_text(std::string_view yaml, const std::string& source) {
  refuse_other_file(yaml, source);
  if (yaml.size() > max_yaml_bytes) {
    throw InputError(concat(source, ": ", yaml.size(), " bytes, more than the ", max_yaml_bytes,
                            " allowed: this is no file of settings"));
  }
  const auto line_of = [&](std::size_t offset) {
    return 1 +
           static_cast<std::size_t>(std::count(yaml.begin(), yaml.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
  };
  if (const std::size_t bad = find_invalid_utf8(yaml); bad != std::string_view::npos) {
    throw InputError(concat(at_line(source, line_of(bad)), ": not valid UTF-8: save the file as UTF-8"));
  }
  // yaml-cpp takes 0x04 for the end of the text and would drop the rest.
  const auto control = std::find_if(yaml.begin(), yaml.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
  });
  if (control != yaml.end()) {
    const auto offset = static_cast<std::size_t>(control - yaml.begin());
    throw InputError(concat(at_line(source, line_of(offset)), ": the control character ",
                            quoted(yaml.substr(offset, 1)), " is not allowed in YAML: remove it"));
  }
}

/// Returns the first line up to `last` that has a tab in its indentation, from 1; 0: none has. The effect of a tab on
/// the lines around it is reported as another fault.
std::size_t line_of_tab(std::string_view yaml, std::size_t last) {
  for (std::size_t line = 1; line <= last && !yaml.empty(); ++line) {
    const std::size_t text = yaml.find_first_not_of(" \t");
    if (yaml.substr(0, text).find('\t') != std::string_view::npos) return line;
    const std::size_t end = yaml.find('\n');
    yaml.remove_prefix(end == std::string_view::npos ? yaml.size() : end + 1);
  }
  return 0;
}

}  // namespace

std::string to_string(const YamlPosition& position) {
  const std::string& source = *position.source;
  return position.line == 0 ? source : concat(at_line(source, position.line), ":", position.column);
}

YamlNode parse_yaml_document(std::string_view yaml, const std::shared_ptr<const std::string>& source, bool positions) {
  check_text(yaml, *source);
  TreeBuilder builder(source, positions);
  try {
    std::istringstream stream{std::string(yaml)};
    YAML::Parser parser(stream);
    if (parser.HandleNextDocument(builder)) {
      TreeBuilder second(source, positions);
      if (parser.HandleNextDocument(second)) {
        throw InputError(concat(*source, ": holds more than one YAML document (---): a file of settings is one"));
      }
    }
  } catch (const YAML::Exception& error) {
    YamlPosition position{source, 0, 0};
    if (positions && !error.mark.is_null()) {
      position.line = static_cast<std::size_t>(error.mark.line) + 1;
      position.column = static_cast<std::size_t>(error.mark.column) + 1;
    }
    if (const std::size_t line = line_of_tab(yaml, position.line); positions && line > 0)
      throw InputError(concat(at_line(*source, line), ": begins with a tab: YAML is indented by spaces alone"));
    throw InputError(concat(to_string(position), ": not valid YAML: ", error.msg));
  }
  return builder.take();
}

}  // namespace gausscse
