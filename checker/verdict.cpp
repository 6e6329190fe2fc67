#include "checker/verdict.hpp"

namespace picklock {

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::violated:
      return "violated";
    case Verdict::undecided:
      return "undecided";
    case Verdict::not_applicable:
      return "not-applicable";
  }
  return "";
}

}  // namespace picklock
