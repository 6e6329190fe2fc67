// Looks whether the zoo notices a search that forgets something.
//
//   hunt_search_mutants_check [PLANS]     default 2000
//
// For each kind of fault, each mark and each of the clients a and b: a search that forgets it hunts the defects of scenarios/zoo.tsv against
// their twins, until one is missed that the sound search finds in as many plans. Exit 1: a mutant went unnoticed, though nothing
// else does the work of what it forgets.

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "checker/properties/properties.hpp"
#include "hunt/search_mutants_lab.hpp"

namespace picklock {
namespace {

std::vector<DefectOfZoo> zoo() {
  std::vector<DefectOfZoo> all;
  std::ifstream in(PICKLOCK_SOURCE_DIR "/scenarios/zoo.tsv");
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream cells(line);
    DefectOfZoo d;
    std::string property;
    std::getline(cells, d.scenario, '\t');
    std::getline(cells, d.twin, '\t');
    std::getline(cells, property, '\t');
    d.property = find_property(property).value();
    all.push_back(std::move(d));
  }
  return all;
}

// A partition loses messages too; who dies is restarted by the fault that killed it; each event has a neighbour.
bool has_a_stand_in(const std::string& mutant) {
  return mutant == "forgets loss" || mutant == "forgets restart" || mutant.starts_with("forgets instants: ");
}

int check(std::uint64_t plans) {
  std::vector<SearchMutant> mutants = {forgets_events(), forgets_client("a"), forgets_client("b")};
  for (const FaultKind& kind : fault_kinds()) mutants.push_back(forgets_kind(std::string(kind.name)));
  for (const char* const mark : {"enters", "acquires", "acquired", "reads", "writes", "leaves"}) {
    mutants.push_back(forgets_mark(mark));
  }
  std::map<std::string, std::string> noticed;
  std::size_t found = 0;
  for (const DefectOfZoo& d : zoo()) {
    const std::uint64_t sound = plans_until_found(d, sound_search(), plans);
    if (sound == plans) continue;
    ++found;
    for (const SearchMutant& m : mutants) {
      if (noticed.count(m.name) == 0 && plans_until_found(d, m, plans) == plans) noticed[m.name] = d.scenario;
    }
  }
  fmt::print("{} defects found by the sound search in {} plans each\n", found, plans);
  int unnoticed = 0;
  for (const SearchMutant& m : mutants) {
    const auto by = noticed.find(m.name);
    const bool stand_in = has_a_stand_in(m.name);
    unnoticed += by == noticed.end() && !stand_in;
    const char* const silence = stand_in ? "not noticed: other faults stand in" : "NOT NOTICED";
    fmt::print("{}: {}\n", m.name, by == noticed.end() ? silence : "noticed, it misses " + by->second);
  }
  return unnoticed == 0 && found > 0 ? 0 : 1;
}

}  // namespace
}  // namespace picklock

int main(int argc, char** argv) { return picklock::check(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2'000); }
