#include "checker/graph/event_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace picklock {
namespace {

constexpr std::size_t kFar = 1'000'000;

// All distances by definition (Floyd and Warshall); the diagonal: the shortest cycle through it.
std::vector<std::vector<std::size_t>> distances(const EventGraph& g) {
  std::vector<std::vector<std::size_t>> d(g.events, std::vector<std::size_t>(g.events, kFar));
  for (const EventEdge& e : g.edges) {
    const std::size_t length = e.passage ? 0 : 1;
    d[e.from][e.to] = std::min(d[e.from][e.to], length);
  }
  for (std::size_t k = 0; k < g.events; ++k) {
    for (std::size_t i = 0; i < g.events; ++i) {
      for (std::size_t j = 0; j < g.events; ++j) {
        d[i][j] = std::min(d[i][j], d[i][k] + d[k][j]);
      }
    }
  }
  return d;
}

EventGraph random_graph(std::mt19937& random) {
  EventGraph g;
  g.events = 1 + static_cast<std::uint32_t>(random() % 8);
  const std::size_t edges = random() % 14;
  for (std::size_t i = 0; i < edges; ++i) {
    EventEdge e;
    e.from = static_cast<EventId>(random() % g.events);
    e.to = static_cast<EventId>(random() % g.events);
    e.passage = random() % 3 == 0 && e.from < e.to;  // passages alone never form a cycle
    g.edges.push_back(e);
  }
  return g;
}

TEST(ShortestCycle, IsAsShortAsTheDefinitionSays) {
  std::mt19937 random(20261121);
  std::size_t cyclic = 0, acyclic = 0;
  for (int round = 0; round < 4000; ++round) {
    const EventGraph g = random_graph(random);
    const auto d = distances(g);
    std::size_t shortest = kFar;
    for (std::size_t i = 0; i < g.events; ++i) shortest = std::min(shortest, d[i][i]);
    const std::vector<std::size_t> cycle = shortest_cycle(g);
    if (shortest == kFar) {
      ++acyclic;
      EXPECT_TRUE(cycle.empty());
      continue;
    }
    ++cyclic;
    ASSERT_FALSE(cycle.empty());
    std::size_t length = 0;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const EventEdge& e = g.edges[cycle[i]];
      EXPECT_EQ(e.to, g.edges[cycle[(i + 1) % cycle.size()]].from) << "no cycle";
      length += e.passage ? 0 : 1;
    }
    EXPECT_EQ(length, shortest);
  }
  EXPECT_GT(cyclic, 500u);
  EXPECT_GT(acyclic, 500u);
}

TEST(CausesOf, AreTheEventsFromWhichAnEndCanBeReached) {
  std::mt19937 random(7);
  for (int round = 0; round < 1000; ++round) {
    const EventGraph g = random_graph(random);
    const auto d = distances(g);
    const std::vector<EventId> ends = {static_cast<EventId>(random() % g.events),
                                       static_cast<EventId>(random() % g.events)};
    const std::vector<bool> causes = causes_of(g, ends);
    ASSERT_EQ(causes.size(), g.events);
    for (EventId e = 0; e < g.events; ++e) {
      const bool expected =
          std::any_of(ends.begin(), ends.end(), [&](EventId end) { return e == end || d[e][end] < kFar; });
      EXPECT_EQ(causes[e], expected);
    }
  }
}

TEST(EventGraph, EmptyAndLoop) {
  EXPECT_TRUE(shortest_cycle({}).empty());
  EXPECT_TRUE(causes_of({}, {}).empty());
  EXPECT_EQ(shortest_cycle({1, {{0, 0}}}), std::vector<std::size_t>{0});
}

TEST(EventGraph, ManyEventsWithoutACycleAreQuick) {
  EventGraph g;
  g.events = 200'000;
  for (EventId e = 0; e + 1 < g.events; ++e) g.edges.push_back({e, e + 1, 0, false});
  EXPECT_TRUE(shortest_cycle(g).empty());
  const std::vector<EventId> end = {g.events / 2};
  const auto causes = causes_of(g, end);
  EXPECT_EQ(std::count(causes.begin(), causes.end(), true), g.events / 2 + 1);
}

}  // namespace
}  // namespace picklock
