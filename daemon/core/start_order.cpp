#include "daemon/core/start_order.h"

#include <map>

namespace clusterd {
namespace {

enum class Visit : std::uint8_t { unseen, under_way, done };

class Sorter {
 public:
  Sorter(const std::vector<const AppSpec*>& specs, const std::vector<const AppSpec*>& others)
      : specs_(specs) {
    specs_.insert(specs_.end(), others.begin(), others.end());
    for (std::size_t i = 0; i < specs_.size(); ++i)
      index_.emplace(full_name(specs_[i]->name_space, specs_[i]->name), i);
    visits_.resize(specs_.size(), Visit::unseen);
  }

  // Names of a circle through this app; empty: none. An explicit stack: chains may be long.
  std::string visit(std::size_t start) {
    if (visits_[start] != Visit::unseen) return {};
    push(start);
    while (!path_.empty()) {
      Step& step = path_.back();
      if (step.next == step.needs.size()) {
        visits_[step.app] = Visit::done;
        order_.push_back(step.app);
        path_.pop_back();
        continue;
      }
      const auto found = index_.find(step.needs[step.next++]);
      if (found == index_.end() || visits_[found->second] == Visit::done) continue;
      if (visits_[found->second] == Visit::under_way) return circle(found->second);
      push(found->second);
    }
    return {};
  }

  const std::vector<std::size_t>& order() const { return order_; }

 private:
  struct Step {
    std::size_t app;
    std::vector<std::string> needs;
    std::size_t next = 0;
  };

  void push(std::size_t app) {
    visits_[app] = Visit::under_way;
    path_.push_back({app, dependencies_of(*specs_[app])});
  }

  std::string circle(std::size_t from) const {
    std::string names;
    bool inside = false;
    for (const Step& step : path_) {
      inside |= step.app == from;
      if (inside) names += specs_[step.app]->name + " -> ";
    }
    return names + specs_[from]->name;
  }

  std::vector<const AppSpec*> specs_;
  std::map<std::string, std::size_t> index_;
  std::vector<Visit> visits_;
  std::vector<Step> path_;
  std::vector<std::size_t> order_;
};

}  // namespace

std::string full_name(const std::string& name_space, const std::string& name) {
  return name_space + ":" + name;
}

std::vector<std::string> dependencies_of(const AppSpec& spec) {
  std::vector<std::string> names;
  for (const std::string& name : spec.depends_on)
    names.push_back(name.find(':') == std::string::npos ? full_name(spec.name_space, name) : name);
  return names;
}

Result<std::vector<std::size_t>> start_order(const std::vector<const AppSpec*>& specs,
                                             const std::vector<const AppSpec*>& others) {
  Sorter sorter(specs, others);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (const std::string circle = sorter.visit(i); !circle.empty())
      return fail(ErrorCode::config, "depends_on goes in a circle: " + circle);
  }
  std::vector<std::size_t> order;
  for (const std::size_t one : sorter.order()) {
    if (one < specs.size()) order.push_back(one);
  }
  return order;
}

}  // namespace clusterd
