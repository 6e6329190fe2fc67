// Names of the members of picklock's types, for testkit/print.hpp.  tests/printed_types_test.cpp writes this file.
#pragma once

#include "testkit/type_name.hpp"

// clang-format off
namespace picklock {

template <class T>
struct FieldsOf;  // kAre: its members are known

struct Absence;
struct Action;
struct Aim;
struct AlignedStep;
struct Assessment;
struct Assumption;
struct AssumptionInfo;
struct AssumptionOf;
struct AssumptionSummary;
struct Assumptions;
struct Bar;
struct BeliefEvent;
struct BrokenAssumption;
struct BrokenClaim;
struct CampaignOptions;
struct CampaignPart;
struct CampaignResult;
struct CarriedMessage;
struct CausalGraph;
struct Cause;
struct Cell;
struct CellContent;
struct CellProperty;
struct CellResult;
struct Certificate;
struct Character;
struct CheckOptions;
struct Checked;
struct Checkpoints;
struct Chunk;
struct ClaimSet;
struct Claims;
struct ClientBounds;
struct ClientDeeds;
struct ClientLane;
struct ClientMachine;
struct ClientProcess;
struct ClientService;
struct ComparisonResult;
struct CompiledTrigger;
struct Complaint;
struct Complexity;
struct Conditional;
struct ConditionalOptions;
struct Connections;
struct Contest;
struct Contestant;
struct ContestantProblems;
struct ContestantResult;
struct Contradiction;
struct Costs;
struct Cure;
struct DataLease;
struct DeathSpec;
struct Deciders;
struct DrawChanges;
struct DrawOverride;
struct DrawRecord;
struct DrawnOperation;
struct Duration;
struct EditResult;
struct EffectEvent;
struct Effort;
struct Element;
struct EmbeddedFile;
struct Entity;
struct Envelope;
struct EnvelopeOptions;
struct Estimate;
struct EstimateHead;
struct EstimateOptions;
struct Estimated;
struct EtcdCompaction;
struct EtcdCompare;
struct EtcdDelete;
struct EtcdDeleteReply;
struct EtcdDone;
struct EtcdEvent;
struct EtcdHeader;
struct EtcdInterval;
struct EtcdKeyValue;
struct EtcdLeaseGrant;
struct EtcdLeaseQuery;
struct EtcdLeaseRenew;
struct EtcdLeaseReply;
struct EtcdLeaseRevoke;
struct EtcdLockCall;
struct EtcdLockReply;
struct EtcdPut;
struct EtcdPutReply;
struct EtcdRange;
struct EtcdRangeReply;
struct EtcdReply;
struct EtcdTxn;
struct EtcdTxnReply;
struct EtcdUnlockCall;
struct EtcdWatchCreate;
struct EtcdWatchReply;
struct EventEdge;
struct EventGraph;
struct Exchange;
struct Executed;
struct ExecutedFaults;
struct Expectation;
struct Explanation;
struct ExtraField;
struct Failure;
struct FaultCourse;
struct FaultInstant;
struct FaultKind;
struct FaultNumber;
struct FaultRun;
struct FaultSpace;
struct FaultSpan;
struct FaultSummary;
struct FaultsPlayed;
struct Field;
struct FieldInfo;
struct FieldText;
struct Finders;
struct Finding;
struct FollowOptions;
struct ForeignFields;
struct FormatInfo;
struct FreedLock;
struct Generality;
struct GoSelection;
struct GrantEvent;
struct Hazard;
struct HazardEdge;
struct History;
struct Hold;
struct HoldFacts;
struct HoldInfo;
struct HuntFinding;
struct HuntOptions;
struct HuntResult;
struct HuntSpace;
struct IdleFault;
struct InstantFunction;
struct Interval;
struct JointRemoval;
struct JudgeOptions;
struct JudgedProperty;
struct Judgement;
struct KeepOptions;
struct KeptChange;
struct KeptFinding;
struct KeptIn;
struct KeptRun;
struct Lanes;
struct LeadOptions;
struct LeaseSaid;
struct LeaseTerms;
struct LeaseText;
struct LeaseTold;
struct LedSweep;
struct LessService;
struct LibraryEntry;
struct ListEntry;
struct LockContext;
struct LockEntry;
struct LockKind;
struct LockOpener;
struct LockPlan;
struct LockRequest;
struct LockSpec;
struct LockTable;
struct LockUse;
struct LoggedOperation;
struct LongSection;
struct LuaAsk;
struct LuaEntry;
struct LuaFields;
struct LuaStep;
struct LuaValue;
struct Mailbox;
struct Mark;
struct MessageArrow;
struct MessageOfTrace;
struct MissingEvent;
struct Naming;
struct Needed;
struct NoLongerNamed;
struct Nothing;
struct Observed;
struct Operation;
struct OperationEvent;
struct OperationExtras;
struct Opposition;
struct OrderedOperation;
struct Overlap;
struct OwnerStretch;
struct OwnersSeen;
struct OwnershipRule;
struct PageSentence;
struct PageWords;
struct PairTable;
struct PartInfo;
struct PatternSearch;
struct PatternSteps;
struct PhaseEvent;
struct PlanError;
struct PlanOutcome;
struct PlanShape;
struct PlannedDeath;
struct PlayedItem;
struct PlayedRun;
struct Plot;
struct Position;
struct PrecedenceGraph;
struct PrecedenceOptions;
struct PrecedenceStep;
struct ProcessEvent;
struct PromiseBase;
struct PropertyExplanation;
struct PropertyInfo;
struct PropertyPair;
struct PropertySummary;
struct Provenance;
struct Quantity;
struct QuantityField;
struct RankMessage;
struct ReadLimits;
struct ReadOptions;
struct Record;
struct RecordOptions;
struct RedisAnswer;
struct RedisArgumentPlace;
struct RedisKnownCommand;
struct RedisKnownReply;
struct RedisPlace;
struct RedisPublished;
struct RedisScript;
struct RegressOptions;
struct Regression;
struct Removal;
struct Reseed;
struct RightEnd;
struct Roster;
struct RunLimits;
struct RunResult;
struct RunState;
struct RunTold;
struct Sample;
struct Scenario;
struct ScenarioBounds;
struct ScenarioComplexity;
struct ScenarioEdits;
struct ScenarioError;
struct ScenarioFile;
struct ScenarioPart;
struct ScenarioPlace;
struct ScenarioProblem;
struct ScenarioVariant;
struct Scene;
struct SceneMark;
struct SceneRow;
struct Scratch;
struct Section;
struct SeedPlan;
struct SeedRange;
struct Sentence;
struct ServerRole;
struct ServersSeen;
struct ServiceKind;
struct ServiceTable;
struct ServiceUse;
struct ServiceVariety;
struct SettingDifference;
struct Shard;
struct ShardResult;
struct Share;
struct ShareInterval;
struct SharedCells;
struct ShrinkBounds;
struct Shrunk;
struct Signs;
struct Slice;
struct SliceEdge;
struct SliceLine;
struct SliceStory;
struct SometimesInfo;
struct SourcePosition;
struct Splitting;
struct SplittingOptions;
struct SplittingStage;
struct Spread;
struct StopRule;
struct Stores;
struct StoryContext;
struct StoryLine;
struct Stranger;
struct Stretch;
struct SurvivalStep;
struct SweepTable;
struct SyntaxError;
struct TableVerdict;
struct Tale;
struct TaleOrErrors;
struct Tally;
struct Tested;
struct ThreadName;
struct Threshold;
struct TimelineOptions;
struct ToldScenario;
struct Trajectory;
struct Trial;
struct TrialCosts;
struct Tried;
struct TriggerPoint;
struct Unanswered;
struct UnseenOwners;
struct UntestedRuns;
struct Variety;
struct Waiting;
struct Witness;
struct WorkItem;
struct WorkloadKind;
struct WorkloadSpec;
struct WriteOptions;
struct ZooAnswer;
struct ZooCall;
struct ZooChildren;
struct ZooCreated;
struct ZooData;
struct ZooEvent;
struct ZooExchange;
struct ZooStat;

template <> struct FieldsOf<Absence> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("node", x.node);
    v("stopped", x.stopped);
    v("dead", x.dead);
  }
};
template <> struct FieldsOf<Action> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("subject", x.subject);
    v("argument", x.argument);
  }
};
template <> struct FieldsOf<Aim> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("properties", x.properties);
    v("promised_alone", x.promised_alone);
    v("plays_on", x.plays_on);
    v("within_assumptions", x.within_assumptions);
    v("beyond", x.beyond);
    v("twin", x.twin);
  }
};
template <class T> requires (printing::kFullName<T> == "picklock::Aim::Twin") struct FieldsOf<T> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("scenario", x.scenario);
  }
};
template <> struct FieldsOf<AlignedStep> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("left", x.left);
    v("right", x.right);
    v("tokens", x.tokens);
  }
};
template <> struct FieldsOf<Assessment> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("assumption", x.assumption);
    v("observed", x.observed);
    v("met", x.met);
    v("unknown", x.unknown);
    v("all_heed_deadlines", x.all_heed_deadlines);
  }
};
template <> struct FieldsOf<Assumption> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("kind", x.kind);
    v("limit", x.limit);
    v("needed_by", x.needed_by);
  }
};
template <> struct FieldsOf<AssumptionInfo> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("kind", x.kind);
    v("name", x.name);
    v("description", x.description);
    v("unit", x.unit);
    v("inclusive", x.inclusive);
    v("observed", x.observed);
    v("usual", x.usual);
    v("hidden", x.hidden);
  }
};
template <> struct FieldsOf<AssumptionOf> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("parameter", x.parameter);
    v("divisor", x.divisor);
    v("needed_by", x.needed_by);
    v("place", x.place);
  }
};
template <> struct FieldsOf<AssumptionSummary> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("assumption", x.assumption);
    v("broken", x.broken);
    v("unknown", x.unknown);
    v("largest", x.largest);
  }
};
template <> struct FieldsOf<Assumptions> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("broken", x.broken);
    v("searched", x.searched);
    v("unprovoked", x.unprovoked);
  }
};
template <> struct FieldsOf<Bar> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("from", x.from);
    v("until", x.until);
    v("kind", x.kind);
    v("text", x.text);
  }
};
template <> struct FieldsOf<BeliefEvent> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("time", x.time);
    v("index", x.index);
    v("hold", x.hold);
    v("end", x.end);
  }
};
template <> struct FieldsOf<BrokenAssumption> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("assessment", x.assessment);
    v("alone", x.alone);
  }
};
template <> struct FieldsOf<BrokenClaim> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("property", x.property);
    v("seed", x.seed);
    v("scenario", x.scenario);
    v("shrinks", x.shrinks);
    v("words", x.words);
    v("picture", x.picture);
    v("file", x.file);
    v("replay", x.replay);
  }
};
template <> struct FieldsOf<CampaignOptions> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("seeds", x.seeds);
    v("jobs", x.jobs);
    v("costs", x.costs);
    v("raw", x.raw);
    v("stop", x.stop);
    v("memory", x.memory);
    v("until", x.until);
    v("until_of", x.until_of);
  }
};
template <> struct FieldsOf<CampaignPart> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("tallies", x.tallies);
    v("largest", x.largest);
    v("counted", x.counted);
    v("untested", x.untested);
    v("assumptions", x.assumptions);
    v("faults", x.faults);
    v("unseen", x.unseen);
    v("runs", x.runs);
    v("digest", x.digest);
    v("events", x.events);
    v("cut_off", x.cut_off);
    v("within", x.within);
    v("seed_within", x.seed_within);
    v("errors", x.errors);
    v("costs", x.costs);
  }
};
template <> struct FieldsOf<CampaignResult> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("seeds", x.seeds);
    v("runs", x.runs);
    v("interrupted", x.interrupted);
    v("is_enough", x.is_enough);
    v("digest", x.digest);
    v("events", x.events);
    v("cut_off", x.cut_off);
    v("lost_within_assumptions", x.lost_within_assumptions);
    v("seed_within_assumptions", x.seed_within_assumptions);
    v("properties", x.properties);
    v("assumptions", x.assumptions);
    v("faults", x.faults);
    v("unseen", x.unseen);
    v("errors", x.errors);
    v("costs", x.costs);
    v("fulfilment", x.fulfilment);
  }
};
template <> struct FieldsOf<CarriedMessage> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("body", x.body);
    v("answers", x.answers);
    v("among_servers", x.among_servers);
  }
};
template <> struct FieldsOf<CausalGraph> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("graph", x.graph);
    v("messages", x.messages);
  }
};
template <> struct FieldsOf<Cause> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("failure", x.failure);
    v("faults", x.faults);
  }
};
template <> struct FieldsOf<Cell> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("scenario", x.scenario);
    v("lock", x.lock);
    v("settings", x.settings);
    v("played", x.played);
    v("replay", x.replay);
  }
};
template <> struct FieldsOf<CellContent> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("kind", x.kind);
    v("scenario", x.scenario);
    v("lock", x.lock);
    v("properties", x.properties);
    v("behaviour", x.behaviour);
  }
};
template <> struct FieldsOf<CellProperty> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("tally", x.tally);
    v("untested", x.untested);
    v("measures", x.measures);
    v("violated_at_ns", x.violated_at_ns);
    v("censored_at_ns", x.censored_at_ns);
    v("by_seed", x.by_seed);
  }
};
template <> struct FieldsOf<CellResult> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("seeds", x.seeds);
    v("interrupted", x.interrupted);
    v("properties", x.properties);
    v("asked", x.asked);
    v("granted", x.granted);
    v("commands", x.commands);
    v("latency_ns", x.latency_ns);
    v("faults", x.faults);
    v("unseen", x.unseen);
    v("errors", x.errors);
  }
};
template <> struct FieldsOf<Certificate> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("subsets", x.subsets);
    v("tried", x.tried);
    v("smaller", x.smaller);
    v("smaller_faults", x.smaller_faults);
    v("also", x.also);
  }
};
template <> struct FieldsOf<Character> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("bytes", x.bytes);
    v("columns", x.columns);
  }
};
template <> struct FieldsOf<CheckOptions> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("seed", x.seed);
    v("effort", x.effort);
    v("set", x.set);
    v("vary_options", x.vary_options);
    v("keep", x.keep);
    v("program", x.program);
    v("report", x.report);
  }
};
template <> struct FieldsOf<Checked> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("fingerprints", x.fingerprints);
    v("fired", x.fired);
  }
};
template <> struct FieldsOf<Checkpoints> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("instants", x.instants);
    v("triggers", x.triggers);
  }
};
template <> struct FieldsOf<Chunk> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("index", x.index);
    v("seeds", x.seeds);
  }
};
template <> struct FieldsOf<ClaimSet> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("bits", x.bits);
  }
};
template <> struct FieldsOf<Claims> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("mutual_exclusion", x.mutual_exclusion);
    v("token", x.token);
    v("reentrant", x.reentrant);
    v("fair", x.fair);
    v("shared", x.shared);
    v("renewing", x.renewing);
    v("loss_notification", x.loss_notification);
    v("frees_after_crash", x.frees_after_crash);
    v("releases_only_own", x.releases_only_own);
    v("renews_only_own", x.renews_only_own);
    v("serves_waiters", x.serves_waiters);
  }
};
template <> struct FieldsOf<ClientBounds> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("threads", x.threads);
    v("several_locks", x.several_locks);
    v("abandons", x.abandons);
    v("mistake", x.mistake);
    v("most", x.most);
    v("longest_hold", x.longest_hold);
    v("heeds_deadlines", x.heeds_deadlines);
  }
};
template <> struct FieldsOf<ClientDeeds> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("abandoned", x.abandoned);
    v("interrupted", x.interrupted);
    v("thrown", x.thrown);
    v("forgotten", x.forgotten);
    v("failed_open", x.failed_open);
  }
};
template <> struct FieldsOf<ClientLane> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("client", x.client);
    v("stretches", x.stretches);
  }
};
template <> struct FieldsOf<ClientMachine> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("node", x.node);
    v("number", x.number);
    v("probes", x.probes);
    v("request_timeout", x.request_timeout);
  }
};
template <> struct FieldsOf<ClientProcess> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("run", x.run);
    v("connections", x.connections);
    v("locals", x.locals);
  }
};
template <> struct FieldsOf<ClientService> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("client", x.client);
    v("sections", x.sections);
    v("healed", x.healed);
    v("waits_in_turn", x.waits_in_turn);
  }
};
template <> struct FieldsOf<ComparisonResult> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("first_seed", x.first_seed);
    v("seeds", x.seeds);
    v("interrupted", x.interrupted);
    v("is_enough", x.is_enough);
    v("contestants", x.contestants);
    v("against_first", x.against_first);
  }
};
template <> struct FieldsOf<CompiledTrigger> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("point", x.point);
    v("at", x.at);
  }
};
template <> struct FieldsOf<Complaint> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("found", x.found);
    v("expected", x.expected);
    v("nearest", x.nearest);
  }
};
template <> struct FieldsOf<Complexity> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("faults", x.faults);
    v("events", x.events);
    v("said", x.said);
    v("turns", x.turns);
    v("counts", x.counts);
    v("size", x.size);
  }
};
template <> struct FieldsOf<Conditional> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("refusal", x.refusal);
    v("draw", x.draw);
    v("law", x.law);
    v("values", x.values);
    v("absent", x.absent);
    v("least", x.least);
    v("greatest", x.greatest);
    v("falling", x.falling);
    v("effort", x.effort);
    v("rare", x.rare);
    v("error", x.error);
  }
};
template <> struct FieldsOf<ConditionalOptions> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("property", x.property);
    v("seed", x.seed);
    v("samples", x.samples);
    v("jobs", x.jobs);
    v("stop", x.stop);
  }
};
template <> struct FieldsOf<Connections> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("service", x.service);
    v("storage", x.storage);
  }
};
template <> struct FieldsOf<Contest> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("scenario", x.scenario);
    v("lease", x.lease);
    v("has_lease", x.has_lease);
    v("servers", x.servers);
    v("assumed", x.assumed);
  }
};
template <> struct FieldsOf<Contestant> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("scenario", x.scenario);
  }
};
template <> struct FieldsOf<ContestantProblems> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("contestant", x.contestant);
    v("problems", x.problems);
  }
};
template <> struct FieldsOf<ContestantResult> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("tallies", x.tallies);
    v("untested", x.untested);
    v("faults", x.faults);
    v("asked", x.asked);
    v("granted", x.granted);
    v("commands", x.commands);
    v("latency_ns", x.latency_ns);
    v("unseen", x.unseen);
    v("errors", x.errors);
  }
};
template <> struct FieldsOf<Contradiction> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("graph", x.graph);
    v("steps", x.steps);
  }
};
template <> struct FieldsOf<Costs> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("latency_ns", x.latency_ns);
    v("requests", x.requests);
    v("wake_up_ns", x.wake_up_ns);
    v("asked", x.asked);
    v("granted", x.granted);
    v("commands", x.commands);
    v("watch_events", x.watch_events);
    v("overtaken", x.overtaken);
  }
};
template <> struct FieldsOf<Cure> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("words", x.words);
    v("state", x.state);
    v("why", x.why);
    v("trial", x.trial);
    v("ended", x.ended);
    v("remaining", x.remaining);
    v("added", x.added);
    v("calm_before", x.calm_before);
    v("calm_after", x.calm_after);
    v("before", x.before);
    v("after", x.after);
    v("refused", x.refused);
    v("less", x.less);
  }
};
template <> struct FieldsOf<DataLease> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("text", x.text);
    v("begins", x.begins);
    v("by_server", x.by_server);
  }
};
template <> struct FieldsOf<DeathSpec> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("node", x.node);
    v("restart_after", x.restart_after);
    v("stays", x.stays);
  }
};
template <> struct FieldsOf<Deciders> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("names", x.names);
    v("not_in_all", x.not_in_all);
    v("tried", x.tried);
    v("too_many", x.too_many);
    v("effort", x.effort);
    v("error", x.error);
  }
};
template <> struct FieldsOf<DrawChanges> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("reseeds", x.reseeds);
    v("overrides", x.overrides);
    v("redraws_lengths", x.redraws_lengths);
  }
};
template <> struct FieldsOf<DrawOverride> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("value", x.value);
  }
};
template <> struct FieldsOf<DrawRecord> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("time", x.time);
    v("entity", x.entity);
    v("owner", x.owner);
    v("ordinal", x.ordinal);
    v("n", x.n);
    v("purpose", x.purpose);
    v("value", x.value);
    v("again", x.again);
    v("law", x.law);
  }
};
template <> struct FieldsOf<DrawnOperation> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("lane", x.lane);
    v("name", x.name);
    v("invoke", x.invoke);
    v("end", x.end);
    v("takes", x.takes);
    v("held_until", x.held_until);
    v("note", x.note);
  }
};
template <> struct FieldsOf<Duration> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("ns", x.ns);
  }
};
template <> struct FieldsOf<EditResult> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("errors", x.errors);
    v("left_out", x.left_out);
  }
};
template <> struct FieldsOf<EffectEvent> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("time", x.time);
    v("token", x.token);
    v("version", x.version);
    v("read_version", x.read_version);
    v("index", x.index);
    v("hold", x.hold);
    v("resource", x.resource);
    v("kind", x.kind);
    v("acknowledged", x.acknowledged);
    v("depends_on_read", x.depends_on_read);
  }
};
template <> struct FieldsOf<Effort> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("runs", x.runs);
    v("events", x.events);
  }
};
template <> struct FieldsOf<Element> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("kind", x.kind);
    v("path", x.path);
    v("words", x.words);
    v("removal", x.removal);
  }
};
template <> struct FieldsOf<EmbeddedFile> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("text", x.text);
  }
};
template <> struct FieldsOf<Entity> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("hash", x.hash);
    v("id", x.id);
  }
};
template <> struct FieldsOf<Envelope> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("lock", x.lock);
    v("lease", x.lease);
    v("has_lease", x.has_lease);
    v("edges", x.edges);
  }
};
template <> struct FieldsOf<EnvelopeOptions> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("seeds", x.seeds);
    v("jobs", x.jobs);
    v("hazards", x.hazards);
    v("stop", x.stop);
  }
};
template <> struct FieldsOf<Estimate> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("value", x.value);
    v("low", x.low);
    v("high", x.high);
  }
};
template <> struct FieldsOf<EstimateHead> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("command", x.command);
    v("replay", x.replay);
  }
};
template <> struct FieldsOf<EstimateOptions> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("property", x.property);
    v("method", x.method);
    v("draw", x.draw);
    v("plain_runs", x.plain_runs);
    v("samples", x.samples);
    v("trajectories", x.trajectories);
    v("replications", x.replications);
    v("seed", x.seed);
    v("jobs", x.jobs);
    v("redraws_lengths", x.redraws_lengths);
    v("stop", x.stop);
  }
};
template <> struct FieldsOf<Estimated> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("property", x.property);
    v("method", x.method);
    v("why", x.why);
    v("refusal", x.refusal);
    v("error", x.error);
    v("stopped", x.stopped);
    v("probability", x.probability);
    v("interval", x.interval);
    v("caution", x.caution);
    v("plain", x.plain);
    v("untested", x.untested);
    v("at_most", x.at_most);
    v("plain_effort", x.plain_effort);
    v("deciders", x.deciders);
    v("conditional", x.conditional);
    v("splitting", x.splitting);
    v("rare", x.rare);
  }
};
template <> struct FieldsOf<EtcdCompaction> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("revision", x.revision);
  }
};
template <> struct FieldsOf<EtcdCompare> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("keys", x.keys);
    v("target", x.target);
    v("relation", x.relation);
    v("number", x.number);
    v("value", x.value);
  }
};
template <> struct FieldsOf<EtcdDelete> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("keys", x.keys);
    v("previous", x.previous);
  }
};
template <> struct FieldsOf<EtcdDeleteReply> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("header", x.header);
    v("deleted", x.deleted);
    v("previous", x.previous);
  }
};
template <> struct FieldsOf<EtcdDone> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("header", x.header);
  }
};
template <> struct FieldsOf<EtcdEvent> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("deleted", x.deleted);
    v("kv", x.kv);
    v("previous", x.previous);
  }
};
template <> struct FieldsOf<EtcdHeader> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("member", x.member);
    v("revision", x.revision);
    v("term", x.term);
  }
};
template <> struct FieldsOf<EtcdInterval> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("key", x.key);
    v("end", x.end);
  }
};
template <> struct FieldsOf<EtcdKeyValue> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("key", x.key);
    v("value", x.value);
    v("create_revision", x.create_revision);
    v("mod_revision", x.mod_revision);
    v("version", x.version);
    v("lease", x.lease);
  }
};
template <> struct FieldsOf<EtcdLeaseGrant> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("id", x.id);
    v("ttl_s", x.ttl_s);
  }
};
template <> struct FieldsOf<EtcdLeaseQuery> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("id", x.id);
    v("keys", x.keys);
  }
};
template <> struct FieldsOf<EtcdLeaseRenew> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("id", x.id);
    v("streamed", x.streamed);
  }
};
template <> struct FieldsOf<EtcdLeaseReply> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("header", x.header);
    v("id", x.id);
    v("ttl_s", x.ttl_s);
    v("granted_ttl_s", x.granted_ttl_s);
    v("keys", x.keys);
  }
};
template <> struct FieldsOf<EtcdLeaseRevoke> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("id", x.id);
  }
};
template <> struct FieldsOf<EtcdLockCall> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("lease", x.lease);
    v("timeout_ns", x.timeout_ns);
  }
};
template <> struct FieldsOf<EtcdLockReply> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("header", x.header);
    v("key", x.key);
  }
};
template <> struct FieldsOf<EtcdPut> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("key", x.key);
    v("value", x.value);
    v("lease", x.lease);
    v("previous", x.previous);
  }
};
template <> struct FieldsOf<EtcdPutReply> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("header", x.header);
    v("previous", x.previous);
  }
};
template <> struct FieldsOf<EtcdRange> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("keys", x.keys);
    v("revision", x.revision);
    v("limit", x.limit);
    v("min_create", x.min_create);
    v("max_create", x.max_create);
    v("min_mod", x.min_mod);
    v("max_mod", x.max_mod);
    v("sort", x.sort);
    v("descending", x.descending);
    v("serializable", x.serializable);
    v("keys_only", x.keys_only);
    v("count_only", x.count_only);
  }
};
template <> struct FieldsOf<EtcdRangeReply> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("header", x.header);
    v("kvs", x.kvs);
    v("count", x.count);
    v("more", x.more);
  }
};
template <> struct FieldsOf<EtcdReply> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("error", x.error);
    v("body", x.body);
  }
};
template <> struct FieldsOf<EtcdTxn> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("compares", x.compares);
    v("then", x.then);
    v("otherwise", x.otherwise);
  }
};
template <> struct FieldsOf<EtcdTxnReply> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("header", x.header);
    v("succeeded", x.succeeded);
    v("results", x.results);
  }
};
template <> struct FieldsOf<EtcdUnlockCall> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("key", x.key);
  }
};
template <> struct FieldsOf<EtcdWatchCreate> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("id", x.id);
    v("keys", x.keys);
    v("revision", x.revision);
    v("progress", x.progress);
    v("previous", x.previous);
    v("no_puts", x.no_puts);
    v("no_deletes", x.no_deletes);
    v("require_leader", x.require_leader);
  }
};
template <> struct FieldsOf<EtcdWatchReply> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("header", x.header);
    v("id", x.id);
    v("created", x.created);
    v("cancelled", x.cancelled);
    v("compacted", x.compacted);
    v("error", x.error);
    v("events", x.events);
  }
};
template <> struct FieldsOf<EventEdge> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("from", x.from);
    v("to", x.to);
    v("reason", x.reason);
    v("passage", x.passage);
  }
};
template <> struct FieldsOf<EventGraph> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("events", x.events);
    v("edges", x.edges);
  }
};
template <> struct FieldsOf<Exchange> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("request", x.request);
    v("body", x.body);
    v("reply", x.reply);
    v("waiter", x.waiter);
    v("timeout", x.timeout);
    v("wait", x.wait);
    v("mark", x.mark);
    v("state", x.state);
    v("passed", x.passed);
    v("breaks", x.breaks);
    v("call", x.call);
  }
};
template <> struct FieldsOf<Executed> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("longest_pause", x.longest_pause);
    v("longest_freeze", x.longest_freeze);
    v("longest_stop", x.longest_stop);
    v("longest_task_pause", x.longest_task_pause);
    v("largest_clock_step", x.largest_clock_step);
    v("largest_clock_offset", x.largest_clock_offset);
    v("largest_rate_error_ppm", x.largest_rate_error_ppm);
    v("longest_message_delay", x.longest_message_delay);
    v("segments_lost", x.segments_lost);
    v("pauses", x.pauses);
    v("task_pauses", x.task_pauses);
    v("freezes", x.freezes);
    v("kills", x.kills);
    v("power_losses", x.power_losses);
    v("restarts", x.restarts);
    v("clock_steps", x.clock_steps);
    v("injected", x.injected);
    v("instants", x.instants);
    v("absences", x.absences);
  }
};
template <> struct FieldsOf<ExecutedFaults> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("clock_rate_error_ppm", x.clock_rate_error_ppm);
    v("clock_step_ns", x.clock_step_ns);
    v("clock_offset_ns", x.clock_offset_ns);
    v("pause_ns", x.pause_ns);
    v("hold_ns", x.hold_ns);
    v("belief_ns", x.belief_ns);
    v("interruption_ns", x.interruption_ns);
    v("message_delay_ns", x.message_delay_ns);
    v("disconnection_ns", x.disconnection_ns);
    v("pauses", x.pauses);
    v("clock_steps", x.clock_steps);
    v("kills", x.kills);
    v("power_losses", x.power_losses);
    v("restarts", x.restarts);
    v("partitions", x.partitions);
    v("messages_lost", x.messages_lost);
    v("failovers", x.failovers);
    v("data_losses", x.data_losses);
    v("fsyncs_ignored", x.fsyncs_ignored);
    v("servers_missing", x.servers_missing);
    v("unanswered_requests", x.unanswered_requests);
    v("forced_releases", x.forced_releases);
    v("abandoned_acquires", x.abandoned_acquires);
    v("interrupts", x.interrupts);
    v("uncaught_exceptions", x.uncaught_exceptions);
    v("forgotten_releases", x.forgotten_releases);
    v("failed_open", x.failed_open);
    v("unseen_locks", x.unseen_locks);
    v("unseen_refusals", x.unseen_refusals);
  }
};
template <> struct FieldsOf<Expectation> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("verdict", x.verdict);
    v("seeds", x.seeds);
  }
};
template <> struct FieldsOf<Explanation> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("base", x.base);
    v("seen", x.seen);
    v("lock", x.lock);
    v("properties", x.properties);
    v("cures", x.cures);
    v("paragraph", x.paragraph);
    v("runs", x.runs);
  }
};
template <> struct FieldsOf<ExtraField> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("index", x.index);
    v("key", x.key);
    v("value", x.value);
  }
};
template <> struct FieldsOf<Failure> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("property", x.property);
    v("lock", x.lock);
    v("parties", x.parties);
    v("right_end", x.right_end);
    v("broken", x.broken);
  }
};
template <> struct FieldsOf<FaultCourse> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("strike", x.strike);
    v("began", x.began);
    v("ended", x.ended);
    v("drawn", x.drawn);
    v("healed", x.healed);
  }
};
template <> struct FieldsOf<FaultInstant> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("time", x.time);
    v("node", x.node);
    v("fault", x.fault);
    v("kind", x.kind);
    v("began", x.began);
    v("injection", x.injection);
  }
};
template <> struct FieldsOf<FaultKind> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("summary", x.summary);
  }
};
template <> struct FieldsOf<FaultNumber> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("field", x.field);
    v("open", x.open);
    v("value", x.value);
    v("least", x.least);
    v("most", x.most);
    v("time", x.time);
    v("trigger", x.trigger);
  }
};
template <> struct FieldsOf<FaultRun> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("nodes", x.nodes);
    v("network", x.network);
  }
};
template <class T> requires (printing::kFullName<T> == "picklock::FaultRun::Node") struct FieldsOf<T> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("down", x.down);
    v("revived", x.revived);
    v("staying_down", x.staying_down);
    v("drifts", x.drifts);
    v("own_ppm", x.own_ppm);
    v("drift_ppm", x.drift_ppm);
    v("slow_disks", x.slow_disks);
    v("own_slowdown", x.own_slowdown);
  }
};
template <> struct FieldsOf<FaultSpace> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("nodes", x.nodes);
    v("links", x.links);
    v("deadlines", x.deadlines);
    v("marks", x.marks);
    v("tasks", x.tasks);
    v("threads", x.threads);
    v("run_length", x.run_length);
  }
};
template <class T> requires (printing::kFullName<T> == "picklock::FaultSpace::Deadline") struct FieldsOf<T> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("kind", x.kind);
    v("length", x.length);
  }
};
template <class T> requires (printing::kFullName<T> == "picklock::FaultSpace::Link") struct FieldsOf<T> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("from", x.from);
    v("to", x.to);
  }
};
template <class T> requires (printing::kFullName<T> == "picklock::FaultSpace::Node") struct FieldsOf<T> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("role", x.role);
  }
};
template <> struct FieldsOf<FaultSpan> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("fault", x.fault);
    v("words", x.words);
    v("from", x.from);
    v("until", x.until);
    v("told", x.told);
  }
};
template <> struct FieldsOf<FaultSummary> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("runs", x.runs);
    v("struck", x.struck);
    v("cut_off", x.cut_off);
    v("shortest", x.shortest);
    v("longest", x.longest);
  }
};
template <> struct FieldsOf<FaultsPlayed> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("courses", x.courses);
    v("load_ran_out", x.load_ran_out);
    v("healed", x.healed);
    v("last_shared", x.last_shared);
  }
};
template <> struct FieldsOf<Field> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("kind", x.kind);
    v("in_scratch", x.in_scratch);
    v("key", x.key);
    v("text", x.text);
    v("number", x.number);
    v("at", x.at);
    v("key_offset", x.key_offset);
    v("text_offset", x.text_offset);
  }
};
template <> struct FieldsOf<FieldInfo> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("help", x.help);
    v("least", x.least);
    v("most", x.most);
    v("leads", x.leads);
  }
};
template <> struct FieldsOf<FieldText> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("help", x.help);
    v("text", x.text);
    v("range", x.range);
    v("type", x.type);
    v("names", x.names);
  }
};
template <> struct FieldsOf<Finders> {
  static constexpr bool kAre = true;
  static void each(const auto&, auto&&) {}
};
template <> struct FieldsOf<Finding> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("witness", x.witness);
    v("measure", x.measure);
    v("beside", x.beside);
    v("property", x.property);
    v("verdict", x.verdict);
    v("reason", x.reason);
    v("missing", x.missing);
  }
};
template <> struct FieldsOf<FollowOptions> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("threads", x.threads);
    v("stop", x.stop);
    v("patience", x.patience);
  }
};
template <> struct FieldsOf<ForeignFields> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("keys", x.keys);
    v("types", x.types);
    v("process", x.process);
    v("owner", x.owner);
    v("lock", x.lock);
    v("key_beside", x.key_beside);
    v("independent", x.independent);
    v("numbers_in_texts", x.numbers_in_texts);
    v("token", x.token);
    v("refused", x.refused);
    v("end", x.end);
    v("instants", x.instants);
    v("skew", x.skew);
    v("time_unit", x.time_unit);
  }
};
template <> struct FieldsOf<FormatInfo> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("format", x.format);
    v("name", x.name);
    v("description", x.description);
  }
};
template <> struct FieldsOf<FreedLock> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("time", x.time);
    v("hold", x.hold);
    v("cause", x.cause);
    v("server", x.server);
    v("release_asked", x.release_asked);
    v("granted", x.granted);
    v("belief", x.belief);
  }
};
template <> struct FieldsOf<Generality> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("first", x.first);
    v("last", x.last);
    v("violated", x.violated);
    v("not_tested", x.not_tested);
    v("needed", x.needed);
    v("thresholds", x.thresholds);
    v("cures", x.cures);
  }
};
template <class T> requires (printing::kFullName<T> == "picklock::Generality::Sides") struct FieldsOf<T> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("below", x.below);
    v("above", x.above);
  }
};
template <> struct FieldsOf<GoSelection> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("woken", x.woken);
    v("chosen", x.chosen);
  }
};
template <> struct FieldsOf<GrantEvent> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("time", x.time);
    v("until", x.until);
    v("index", x.index);
    v("hold", x.hold);
    v("by", x.by);
    v("change", x.change);
    v("cause", x.cause);
    v("server", x.server);
  }
};
template <> struct FieldsOf<Hazard> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("description", x.description);
    v("assumption", x.assumption);
    v("magnitude", x.magnitude);
    v("long_section", x.long_section);
  }
};
template <> struct FieldsOf<HazardEdge> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("hazard", x.hazard);
    v("seeds", x.seeds);
    v("violated", x.violated);
    v("edges", x.edges);
    v("bound", x.bound);
    v("beside", x.beside);
    v("refuting", x.refuting);
    v("runs", x.runs);
    v("contended", x.contended);
    v("tested_up_to", x.tested_up_to);
    v("interrupted", x.interrupted);
    v("fit", x.fit);
  }
};
template <> struct FieldsOf<History> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("names", x.names);
    v("values", x.values);
    v("functions", x.functions);
    v("roles", x.roles);
    v("holds", x.holds);
    v("operations", x.operations);
    v("extras", x.extras);
    v("beliefs", x.beliefs);
    v("grants", x.grants);
    v("effects", x.effects);
    v("processes", x.processes);
    v("phases", x.phases);
    v("omniscient", x.omniscient);
    v("sound", x.sound);
  }
};
template <> struct FieldsOf<Hold> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("value", x.value);
    v("token", x.token);
    v("deadline", x.deadline);
  }
};
template <> struct FieldsOf<HoldFacts> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("believed_from", x.believed_from);
    v("believed_until", x.believed_until);
    v("belief_began", x.belief_began);
    v("belief_ended", x.belief_ended);
    v("rank", x.rank);
    v("grant_ended", x.grant_ended);
    v("still_named", x.still_named);
  }
};
template <> struct FieldsOf<HoldInfo> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("lock", x.lock);
    v("client", x.client);
    v("process", x.process);
    v("token", x.token);
    v("mode", x.mode);
  }
};
template <> struct FieldsOf<HuntFinding> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("cause", x.cause);
    v("shrunk", x.shrunk);
    v("plan", x.plan);
    v("count", x.count);
    v("right_end", x.right_end);
    v("others", x.others);
    v("file", x.file);
  }
};
template <> struct FieldsOf<HuntOptions> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("aim", x.aim);
    v("strategy", x.strategy);
    v("hunt_seed", x.hunt_seed);
    v("most_plans", x.most_plans);
    v("most_findings", x.most_findings);
    v("shrink", x.shrink);
    v("jobs", x.jobs);
    v("stop", x.stop);
  }
};
template <> struct FieldsOf<HuntResult> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("plans", x.plans);
    v("runs", x.runs);
    v("failed", x.failed);
    v("unplayable", x.unplayable);
    v("idle", x.idle);
    v("alone", x.alone);
    v("no_twin", x.no_twin);
    v("judged", x.judged);
    v("findings", x.findings);
    v("complete", x.complete);
    v("interrupted", x.interrupted);
    v("full", x.full);
    v("grid", x.grid);
    v("idle_in_grid", x.idle_in_grid);
    v("in_pairs", x.in_pairs);
    v("pairs_left_out", x.pairs_left_out);
    v("unseen", x.unseen);
    v("errors", x.errors);
  }
};
template <> struct FieldsOf<HuntSpace> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("base", x.base);
    v("faults", x.faults);
    v("vary", x.vary);
    v("kinds", x.kinds);
    v("instants", x.instants);
    v("most_faults", x.most_faults);
    v("longest_section", x.longest_section);
  }
};
template <> struct FieldsOf<IdleFault> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("fault", x.fault);
    v("words", x.words);
    v("why", x.why);
  }
};
template <> struct FieldsOf<InstantFunction> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("theirs", x.theirs);
    v("ours", x.ours);
    v("end", x.end);
  }
};
template <> struct FieldsOf<Interval> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("from", x.from);
    v("until", x.until);
  }
};
template <> struct FieldsOf<JointRemoval> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("elements", x.elements);
    v("trial", x.trial);
  }
};
template <> struct FieldsOf<JudgeOptions> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("permits", x.permits);
    v("honours_deadlines", x.honours_deadlines);
    v("seats", x.seats);
    v("budget_exhausted", x.budget_exhausted);
    v("fault_struck", x.fault_struck);
    v("patience_limited", x.patience_limited);
    v("probe_process", x.probe_process);
    v("starvation_bound", x.starvation_bound);
    v("wake_up_bound", x.wake_up_bound);
    v("orphan_bound", x.orphan_bound);
    v("ends_by", x.ends_by);
    v("ends_untold", x.ends_untold);
    v("unserved_bound", x.unserved_bound);
    v("splits_votes", x.splits_votes);
    v("patience", x.patience);
    v("counts_from_healing", x.counts_from_healing);
    v("too_few_servers", x.too_few_servers);
    v("reentrant", x.reentrant);
    v("overtaking_limit", x.overtaking_limit);
    v("received", x.received);
    v("also_requires", x.also_requires);
  }
};
template <> struct FieldsOf<JudgedProperty> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("property", x.property);
    v("plans", x.plans);
    v("undecided_by", x.undecided_by);
    v("outside_by", x.outside_by);
    v("settle", x.settle);
  }
};
template <> struct FieldsOf<Judgement> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("property", x.property);
    v("bearing", x.bearing);
    v("why", x.why);
    v("settle", x.settle);
  }
};
template <> struct FieldsOf<KeepOptions> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("folder", x.folder);
    v("path", x.path);
    v("program", x.program);
    v("properties", x.properties);
  }
};
template <> struct FieldsOf<KeptChange> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("place", x.place);
    v("hold", x.hold);
    v("version", x.version);
  }
};
template <> struct FieldsOf<KeptFinding> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("hunt", x.hunt);
    v("property", x.property);
    v("cause", x.cause);
    v("seed", x.seed);
    v("scenario", x.scenario);
  }
};
template <> struct FieldsOf<KeptIn> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("service", x.service);
  }
};
template <> struct FieldsOf<KeptRun> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("path", x.path);
    v("text", x.text);
    v("replay", x.replay);
    v("violated", x.violated);
    v("scenario", x.scenario);
    v("seed", x.seed);
  }
};
template <> struct FieldsOf<Lanes> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("end", x.end);
    v("load_end", x.load_end);
    v("clients", x.clients);
    v("owners", x.owners);
    v("overlaps", x.overlaps);
  }
};
template <> struct FieldsOf<LeadOptions> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("plan", x.plan);
    v("until", x.until);
    v("least_overdue", x.least_overdue);
    v("last_patience", x.last_patience);
  }
};
template <> struct FieldsOf<LeaseSaid> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("owner", x.owner);
    v("time_ns", x.time_ns);
  }
};
template <> struct FieldsOf<LeaseTerms> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("what", x.what);
    v("option", x.option);
    v("unit", x.unit);
    v("rounds_up", x.rounds_up);
    v("usually", x.usually);
    v("reaction", x.reaction);
    v("on_stop", x.on_stop);
    v("on_ignore", x.on_ignore);
  }
};
template <> struct FieldsOf<LeaseText> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("owner", x.owner);
    v("time", x.time);
    v("unit", x.unit);
  }
};
template <> struct FieldsOf<LeaseTold> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("asked", x.asked);
    v("lasts", x.lasts);
    v("text", x.text);
  }
};
template <> struct FieldsOf<LedSweep> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("results", x.results);
    v("problems", x.problems);
  }
};
template <> struct FieldsOf<LessService> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("client", x.client);
    v("before", x.before);
    v("after", x.after);
    v("when_healed", x.when_healed);
    v("in_turn", x.in_turn);
  }
};
template <> struct FieldsOf<LibraryEntry> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("summary", x.summary);
    v("path", x.path);
    v("tags", x.tags);
    v("variant", x.variant);
  }
};
template <> struct FieldsOf<ListEntry> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("summary", x.summary);
    v("details", x.details);
  }
};
template <> struct FieldsOf<LockContext> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("host", x.host);
    v("name", x.name);
    v("reach", x.reach);
    v("process", x.process);
    v("thread", x.thread);
    v("names", x.names);
    v("sharing", x.sharing);
    v("failure", x.failure);
  }
};
template <> struct FieldsOf<LockEntry> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("names", x.names);
    v("sharing", x.sharing);
  }
};
template <> struct FieldsOf<LockKind> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("summary", x.summary);
    v("source", x.source);
    v("claims", x.claims);
    v("service", x.service);
    v("ownership", x.ownership);
    v("key", x.key);
    v("assumptions", x.assumptions);
    v("independent_servers", x.independent_servers);
    v("subscribes", x.subscribes);
    v("several_names", x.several_names);
    v("terms", x.terms);
  }
};
template <> struct FieldsOf<LockOpener> {
  static constexpr bool kAre = true;
  static void each(const auto&, auto&&) {}
};
template <> struct FieldsOf<LockPlan> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("uses", x.uses);
    v("order", x.order);
  }
};
template <> struct FieldsOf<LockRequest> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("position", x.position);
    v("acquires", x.acquires);
    v("by_probe", x.by_probe);
  }
};
template <> struct FieldsOf<LockSpec> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("key", x.key);
    v("lease", x.lease);
    v("on_loss", x.on_loss);
    v("options", x.options);
  }
};
template <> struct FieldsOf<LockTable> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("names", x.names);
    v("multis", x.multis);
  }
};
template <> struct FieldsOf<LockUse> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("names", x.names);
    v("locks", x.locks);
    v("number", x.number);
    v("sharing", x.sharing);
  }
};
template <> struct FieldsOf<LoggedOperation> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("process", x.process);
    v("type", x.type);
    v("function", x.function);
    v("tabs", x.tabs);
  }
};
template <> struct FieldsOf<LongSection> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("outlives_lease", x.outlives_lease);
    v("renews", x.renews);
  }
};
template <> struct FieldsOf<LuaAsk> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("object", x.object);
    v("name", x.name);
  }
};
template <> struct FieldsOf<LuaEntry> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("key", x.key);
    v("value", x.value);
  }
};
template <> struct FieldsOf<LuaFields> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("what", x.what);
    v("names", x.names);
  }
};
template <> struct FieldsOf<LuaStep> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("kind", x.kind);
    v("ask", x.ask);
    v("number", x.number);
    v("values", x.values);
    v("error", x.error);
  }
};
template <> struct FieldsOf<LuaValue> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("kind", x.kind);
    v("boolean", x.boolean);
    v("number", x.number);
    v("text", x.text);
    v("entries", x.entries);
    v("kept", x.kept);
    v("fields", x.fields);
  }
};
template <> struct FieldsOf<Mailbox> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("inbox", x.inbox);
    v("reader", x.reader);
  }
};
template <> struct FieldsOf<Mark> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("id", x.id);
  }
};
template <> struct FieldsOf<MessageArrow> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("from", x.from);
    v("to", x.to);
    v("sent", x.sent);
    v("arrived", x.arrived);
    v("fate", x.fate);
    v("carries", x.carries);
  }
};
template <> struct FieldsOf<MessageOfTrace> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("sent", x.sent);
    v("arrived", x.arrived);
  }
};
template <> struct FieldsOf<MissingEvent> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("since", x.since);
    v("who", x.who);
    v("text", x.text);
  }
};
template <> struct FieldsOf<Naming> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("processes", x.processes);
    v("owners", x.owners);
    v("origin", x.origin);
    v("lines", x.lines);
  }
};
template <> struct FieldsOf<Needed> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("each", x.each);
    v("sets", x.sets);
    v("sets_tried", x.sets_tried);
    v("smallest", x.smallest);
    v("left", x.left);
    v("one_less", x.one_less);
  }
};
template <> struct FieldsOf<NoLongerNamed> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("hold", x.hold);
    v("by", x.by);
    v("cause", x.cause);
  }
};
template <> struct FieldsOf<Nothing> {
  static constexpr bool kAre = true;
  static void each(const auto&, auto&&) {}
};
template <> struct FieldsOf<Observed> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("playable", x.playable);
    v("events", x.events);
    v("problems", x.problems);
    v("errors", x.errors);
    v("lock", x.lock);
    v("verdicts", x.verdicts);
    v("tested", x.tested);
    v("assumptions", x.assumptions);
    v("refused", x.refused);
    v("service", x.service);
    v("error", x.error);
  }
};
template <> struct FieldsOf<Operation> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("key", x.key);
    v("owner", x.owner);
    v("ordinal", x.ordinal);
    v("hold", x.hold);
  }
};
template <> struct FieldsOf<OperationEvent> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("time", x.time);
    v("local_time", x.local_time);
    v("value", x.value);
    v("token", x.token);
    v("index", x.index);
    v("process", x.process);
    v("hold", x.hold);
    v("type", x.type);
    v("f", x.f);
    v("object", x.object);
  }
};
template <> struct FieldsOf<OperationExtras> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("client", x.client);
    v("fields", x.fields);
  }
};
template <> struct FieldsOf<Opposition> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("properties", x.properties);
    v("granted", x.granted);
    v("latency_ns", x.latency_ns);
    v("commands", x.commands);
  }
};
template <> struct FieldsOf<OrderedOperation> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("hold", x.hold);
    v("acquires", x.acquires);
    v("never", x.never);
    v("refused", x.refused);
    v("invoke", x.invoke);
    v("end", x.end);
  }
};
template <> struct FieldsOf<Overlap> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("from", x.from);
    v("until", x.until);
  }
};
template <> struct FieldsOf<OwnerStretch> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("from", x.from);
    v("until", x.until);
    v("hold", x.hold);
    v("what", x.what);
  }
};
template <> struct FieldsOf<OwnersSeen> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("time", x.time);
    v("node", x.node);
    v("lock", x.lock);
    v("owners", x.owners);
    v("ended", x.ended);
  }
};
template <> struct FieldsOf<OwnershipRule> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("owner", x.owner);
    v("separates_nested_readers", x.separates_nested_readers);
    v("of_data", x.of_data);
    v("ends_untold", x.ends_untold);
  }
};
template <> struct FieldsOf<PageSentence> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("text", x.text);
    v("fault", x.fault);
    v("client", x.client);
    v("violation", x.violation);
  }
};
template <> struct FieldsOf<PageWords> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("sentences", x.sentences);
    v("rest", x.rest);
    v("rest_title", x.rest_title);
  }
};
template <> struct FieldsOf<PairTable> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("both", x.both);
    v("only_a", x.only_a);
    v("only_b", x.only_b);
    v("neither", x.neither);
    v("undecided", x.undecided);
  }
};
template <> struct FieldsOf<PartInfo> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("path", x.path);
    v("what", x.what);
    v("array", x.array);
    v("required", x.required);
    v("shorthand", x.shorthand);
    v("kind", x.kind);
    v("spellings", x.spellings);
    v("help", x.help);
  }
};
template <> struct FieldsOf<PatternSearch> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("text", x.text);
    v("pattern", x.pattern);
    v("from", x.from);
    v("every", x.every);
    v("anchored", x.anchored);
  }
};
template <> struct FieldsOf<PatternSteps> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("steps", x.steps);
    v("found", x.found);
    v("begin", x.begin);
    v("end", x.end);
  }
};
template <> struct FieldsOf<PhaseEvent> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("time", x.time);
    v("index", x.index);
    v("phase", x.phase);
  }
};
template <> struct FieldsOf<PlanError> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("fault", x.fault);
    v("field", x.field);
    v("found", x.found);
    v("expected", x.expected);
    v("nearest", x.nearest);
  }
};
template <> struct FieldsOf<PlanOutcome> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("playable", x.playable);
    v("contended", x.contended);
    v("struck", x.struck);
    v("lone", x.lone);
    v("digest", x.digest);
    v("runs", x.runs);
    v("closeness", x.closeness);
    v("turning_points", x.turning_points);
    v("judged", x.judged);
    v("failures", x.failures);
    v("harms_twin", x.harms_twin);
    v("checked", x.checked);
    v("unseen", x.unseen);
    v("error", x.error);
  }
};
template <> struct FieldsOf<PlanShape> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("least", x.least);
    v("most", x.most);
    v("swarm", x.swarm);
    v("kinds", x.kinds);
  }
};
template <> struct FieldsOf<PlannedDeath> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("node", x.node);
    v("stays", x.stays);
  }
};
template <> struct FieldsOf<PlayedItem> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("item", x.item);
    v("behaviour", x.behaviour);
    v("text", x.text);
  }
};
template <> struct FieldsOf<PlayedRun> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("runner", x.runner);
    v("result", x.result);
    v("told", x.told);
  }
};
template <> struct FieldsOf<Plot> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("script", x.script);
    v("data", x.data);
  }
};
template <> struct FieldsOf<Position> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("line", x.line);
    v("column", x.column);
  }
};
template <> struct FieldsOf<PrecedenceGraph> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("graph", x.graph);
    v("operations", x.operations);
  }
};
template <> struct FieldsOf<PrecedenceOptions> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("exclusive", x.exclusive);
    v("tokens", x.tokens);
  }
};
template <> struct FieldsOf<PrecedenceStep> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("from", x.from);
    v("to", x.to);
    v("reason", x.reason);
  }
};
template <> struct FieldsOf<ProcessEvent> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("time", x.time);
    v("index", x.index);
    v("client", x.client);
    v("change", x.change);
  }
};
template <> struct FieldsOf<PromiseBase> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("self", x.self);
    v("continuation", x.continuation);
    v("still_running", x.still_running);
    v("runtime", x.runtime);
    v("root", x.root);
  }
};
template <class T> requires (printing::kFullName<T> == "picklock::PromiseBase::Final") struct FieldsOf<T> {
  static constexpr bool kAre = true;
  static void each(const auto&, auto&&) {}
};
template <> struct FieldsOf<PropertyExplanation> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("property", x.property);
    v("finding", x.finding);
    v("needs", x.needs);
    v("quantities", x.quantities);
    v("assumptions", x.assumptions);
    v("generality", x.generality);
  }
};
template <> struct FieldsOf<PropertyInfo> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("property", x.property);
    v("name", x.name);
    v("description", x.description);
    v("needs", x.needs);
    v("claim", x.claim);
    v("sometimes", x.sometimes);
    v("unit", x.unit);
    v("measure", x.measure);
    v("beside_unit", x.beside_unit);
    v("beside", x.beside);
  }
};
template <> struct FieldsOf<PropertyPair> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("property", x.property);
    v("table", x.table);
    v("seed_only_a", x.seed_only_a);
    v("seed_only_b", x.seed_only_b);
    v("p", x.p);
    v("p_adjusted", x.p_adjusted);
    v("p_at_every_look", x.p_at_every_look);
  }
};
template <> struct FieldsOf<PropertySummary> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("property", x.property);
    v("tally", x.tally);
    v("expectation", x.expectation);
    v("fulfilment", x.fulfilment);
    v("largest", x.largest);
    v("untested", x.untested);
    v("unit", x.unit);
    v("counted", x.counted);
  }
};
template <> struct FieldsOf<Provenance> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("hold", x.hold);
    v("force", x.force);
    v("wall", x.wall);
    v("shared", x.shared);
    v("client", x.client);
    v("here", x.here);
  }
};
template <> struct FieldsOf<Quantity> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("path", x.path);
    v("words", x.words);
    v("value", x.value);
    v("probes", x.probes);
    v("thresholds", x.thresholds);
  }
};
template <> struct FieldsOf<QuantityField> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("part", x.part);
    v("field", x.field);
    v("words", x.words);
  }
};
template <> struct FieldsOf<RankMessage> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("kind", x.kind);
    v("wanted", x.wanted);
    v("played", x.played);
  }
};
template <> struct FieldsOf<ReadLimits> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("depth", x.depth);
    v("token", x.token);
    v("record", x.record);
    v("sorted", x.sorted);
  }
};
template <> struct FieldsOf<ReadOptions> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("format", x.format);
    v("keep_values", x.keep_values);
    v("keep_extras", x.keep_extras);
    v("functions", x.functions);
    v("fields", x.fields);
    v("sort_by_time", x.sort_by_time);
    v("naming", x.naming);
    v("limits", x.limits);
  }
};
template <> struct FieldsOf<Record> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("fields", x.fields);
    v("scratch", x.scratch);
    v("begin", x.begin);
  }
};
template <> struct FieldsOf<RecordOptions> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("full_trace", x.full_trace);
    v("draws", x.draws);
    v("bodies", x.bodies);
    v("checkpoints", x.checkpoints);
  }
};
template <> struct FieldsOf<RedisAnswer> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("kind", x.kind);
    v("integer", x.integer);
    v("text", x.text);
    v("whole", x.whole);
  }
};
template <> struct FieldsOf<RedisArgumentPlace> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("offset", x.offset);
    v("size", x.size);
  }
};
template <> struct FieldsOf<RedisKnownCommand> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("verb", x.verb);
    v("argc", x.argc);
    v("ends_in_number", x.ends_in_number);
    v("shape", x.shape);
    v("number", x.number);
  }
};
template <> struct FieldsOf<RedisKnownReply> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("kind", x.kind);
    v("text", x.text);
    v("integer", x.integer);
  }
};
template <> struct FieldsOf<RedisPlace> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("group", x.group);
    v("replica", x.replica);
    v("elsewhere", x.elsewhere);
  }
};
template <> struct FieldsOf<RedisPublished> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("channel", x.channel);
    v("message", x.message);
  }
};
template <> struct FieldsOf<RedisScript> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("lua", x.lua);
  }
};
template <> struct FieldsOf<RegressOptions> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("others", x.others);
    v("lock", x.lock);
  }
};
template <> struct FieldsOf<Regression> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("scenario", x.scenario);
    v("lock", x.lock);
    v("other_lock", x.other_lock);
    v("properties", x.properties);
    v("verdict", x.verdict);
    v("why", x.why);
    v("seed", x.seed);
    v("runs", x.runs);
    v("violated", x.violated);
    v("tested", x.tested);
  }
};
template <> struct FieldsOf<Removal> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("element", x.element);
    v("trial", x.trial);
    v("along", x.along);
    v("needed", x.needed);
  }
};
template <> struct FieldsOf<Reseed> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("at", x.at);
    v("seed", x.seed);
  }
};
template <> struct FieldsOf<RightEnd> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("how", x.how);
    v("told", x.told);
  }
};
template <> struct FieldsOf<Roster> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("clients", x.clients);
    v("clients_of_node", x.clients_of_node);
    v("locks", x.locks);
    v("resources", x.resources);
    v("kept_at", x.kept_at);
    v("machines", x.machines);
    v("clocks", x.clocks);
  }
};
template <> struct FieldsOf<RunLimits> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("until", x.until);
    v("events", x.events);
  }
};
template <> struct FieldsOf<RunResult> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("seed", x.seed);
    v("digest", x.digest);
    v("events", x.events);
    v("length", x.length);
    v("cut_off", x.cut_off);
    v("error", x.error);
    v("defect_shown", x.defect_shown);
    v("findings", x.findings);
    v("happened", x.happened);
    v("executed", x.executed);
    v("faults", x.faults);
    v("assumptions", x.assumptions);
    v("unseen", x.unseen);
    v("judged_with", x.judged_with);
    v("checked", x.checked);
    v("history", x.history);
  }
};
template <> struct FieldsOf<RunState> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("world", x.world);
    v("lock_kind", x.lock_kind);
    v("lock_options", x.lock_options);
    v("locks", x.locks);
    v("resources", x.resources);
    v("workload_kind", x.workload_kind);
    v("workload", x.workload);
    v("concurrency", x.concurrency);
    v("holds", x.holds);
    v("unfinished", x.unfinished);
    v("load_over", x.load_over);
    v("all_heed_deadlines", x.all_heed_deadlines);
    v("deeds", x.deeds);
    v("lock_failure", x.lock_failure);
  }
};
template <> struct FieldsOf<RunTold> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("replay", x.replay);
    v("scene", x.scene);
    v("story", x.story);
    v("verdicts", x.verdicts);
  }
};
template <> struct FieldsOf<Sample> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("mean", x.mean);
    v("deviation", x.deviation);
    v("count", x.count);
  }
};
template <> struct FieldsOf<Scenario> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("description", x.description);
    v("lock", x.lock);
    v("clients", x.clients);
    v("workload", x.workload);
    v("services", x.services);
    v("storage", x.storage);
    v("latency", x.latency);
    v("links", x.links);
    v("request_timeout", x.request_timeout);
    v("clocks", x.clocks);
    v("faults", x.faults);
    v("phases", x.phases);
    v("event_budget", x.event_budget);
    v("expect", x.expect);
    v("sometimes", x.sometimes);
    v("overrides", x.overrides);
    v("reseeds", x.reseeds);
  }
};
template <> struct FieldsOf<ScenarioBounds> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("mishaps", x.mishaps);
    v("any_lock", x.any_lock);
    v("options", x.options);
    v("topology", x.topology);
    v("abandons", x.abandons);
    v("clients", x.clients);
    v("network", x.network);
    v("plan", x.plan);
    v("beyond", x.beyond);
    v("short_holds", x.short_holds);
    v("claim", x.claim);
    v("parts", x.parts);
    v("long_sections", x.long_sections);
    v("heeds_deadlines", x.heeds_deadlines);
    v("slow_network", x.slow_network);
    v("short_timeouts", x.short_timeouts);
    v("longest_hold", x.longest_hold);
  }
};
template <> struct FieldsOf<ScenarioComplexity> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("clients", x.clients);
    v("machines", x.machines);
    v("parts", x.parts);
    v("plan", x.plan);
    v("rest", x.rest);
  }
};
template <> struct FieldsOf<ScenarioEdits> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("lock", x.lock);
    v("set", x.set);
    v("without", x.without);
  }
};
template <> struct FieldsOf<ScenarioError> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("file", x.file);
    v("line", x.line);
    v("column", x.column);
    v("found", x.found);
    v("expected", x.expected);
    v("nearest", x.nearest);
  }
};
template <> struct FieldsOf<ScenarioFile> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("file", x.file);
    v("scenario", x.scenario);
    v("positions", x.positions);
    v("tags", x.tags);
    v("seed", x.seed);
    v("variants", x.variants);
    v("errors", x.errors);
  }
};
template <> struct FieldsOf<ScenarioPart> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("info", x.info);
    v("path", x.path);
    v("fields", x.fields);
    v("defaults", x.defaults);
    v("name", x.name);
  }
};
template <> struct FieldsOf<ScenarioPlace> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("path", x.path);
    v("variant", x.variant);
  }
};
template <> struct FieldsOf<ScenarioProblem> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("where", x.where);
    v("found", x.found);
    v("expected", x.expected);
    v("nearest", x.nearest);
  }
};
template <> struct FieldsOf<ScenarioVariant> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("settings", x.settings);
    v("tags", x.tags);
    v("scenario", x.scenario);
    v("positions", x.positions);
  }
};
template <class T> requires (printing::kFullName<T> == "picklock::ScenarioVariant::Setting") struct FieldsOf<T> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("path", x.path);
    v("value", x.value);
  }
};
template <> struct FieldsOf<Scene> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("title", x.title);
    v("begin", x.begin);
    v("end", x.end);
    v("rows", x.rows);
  }
};
template <> struct FieldsOf<SceneMark> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("time", x.time);
    v("kind", x.kind);
  }
};
template <> struct FieldsOf<SceneRow> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("label", x.label);
    v("kind", x.kind);
    v("bars", x.bars);
    v("marks", x.marks);
    v("node", x.node);
  }
};
template <> struct FieldsOf<Scratch> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("holds", x.holds);
    v("partner", x.partner);
    v("requests", x.requests);
    v("roles", x.roles);
    v("in_order", x.in_order);
    v("horizon", x.horizon);
    v("heal_time", x.heal_time);
    v("probe_index", x.probe_index);
    v("somebody_died", x.somebody_died);
    v("happened", x.happened);
    v("signs", x.signs);
    v("workspace", x.workspace);
    v("unseen", x.unseen);
    v("deaths", x.deaths);
  }
};
template <> struct FieldsOf<Section> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("world", x.world);
    v("host", x.host);
    v("stores", x.stores);
    v("hold", x.hold);
    v("hold_id", x.hold_id);
    v("process", x.process);
    v("work", x.work);
    v("lock_name", x.lock_name);
    v("first_resource", x.first_resource);
    v("reader", x.reader);
    v("swallows_errors", x.swallows_errors);
  }
};
template <> struct FieldsOf<SeedPlan> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("seeds", x.seeds);
    v("jobs", x.jobs);
    v("stop", x.stop);
    v("by_seed", x.by_seed);
  }
};
template <> struct FieldsOf<SeedRange> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("first", x.first);
    v("last", x.last);
  }
};
template <> struct FieldsOf<Sentence> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("text", x.text);
    v("claims", x.claims);
    v("trials", x.trials);
    v("about", x.about);
  }
};
template <> struct FieldsOf<ServerRole> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("time", x.time);
    v("node", x.node);
    v("name", x.name);
    v("leads", x.leads);
  }
};
template <> struct FieldsOf<ServersSeen> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("servers", x.servers);
    v("vote", x.vote);
    v("owners", x.owners);
    v("roles", x.roles);
  }
};
template <> struct FieldsOf<ServiceKind> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("title", x.title);
    v("tables", x.tables);
    v("ownership_rules", x.ownership_rules);
    v("notification", x.notification);
    v("variety", x.variety);
    v("place", x.place);
  }
};
template <> struct FieldsOf<ServiceTable> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("help", x.help);
  }
};
template <> struct FieldsOf<ServiceUse> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("settings", x.settings);
    v("lock", x.lock);
    v("options", x.options);
    v("key", x.key);
    v("lease", x.lease);
  }
};
template <> struct FieldsOf<ServiceVariety> {
  static constexpr bool kAre = true;
  static void each(const auto&, auto&&) {}
};
template <> struct FieldsOf<SettingDifference> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("path", x.path);
    v("a", x.a);
    v("b", x.b);
  }
};
template <> struct FieldsOf<Shard> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("number", x.number);
    v("of", x.of);
  }
};
template <> struct FieldsOf<ShardResult> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("chunks", x.chunks);
    v("seeds", x.seeds);
    v("passed", x.passed);
    v("errors", x.errors);
  }
};
template <> struct FieldsOf<Share> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("hits", x.hits);
    v("of", x.of);
  }
};
template <> struct FieldsOf<ShareInterval> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("low", x.low);
    v("high", x.high);
  }
};
template <> struct FieldsOf<SharedCells> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("scenarios", x.scenarios);
    v("properties", x.properties);
    v("by_seed", x.by_seed);
  }
};
template <> struct FieldsOf<ShrinkBounds> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("most_tries", x.most_tries);
    v("everything", x.everything);
    v("keep_triggers", x.keep_triggers);
  }
};
template <> struct FieldsOf<Shrunk> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("scenario", x.scenario);
    v("seed", x.seed);
    v("failure", x.failure);
    v("tries", x.tries);
    v("set_tries", x.set_tries);
    v("drawn_faults", x.drawn_faults);
    v("certificate", x.certificate);
    v("exhausted", x.exhausted);
  }
};
template <> struct FieldsOf<Signs> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("believed_together", x.believed_together);
    v("promised_together", x.promised_together);
    v("wrong_command", x.wrong_command);
    v("token", x.token);
    v("write_behind_newer", x.write_behind_newer);
    v("write_after_grant", x.write_after_grant);
    v("write_unseen", x.write_unseen);
    v("owner_unseen", x.owner_unseen);
  }
};
template <> struct FieldsOf<Slice> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("causes", x.causes);
    v("ends", x.ends);
    v("contains", x.contains);
    v("record_of", x.record_of);
    v("size", x.size);
  }
};
template <> struct FieldsOf<SliceEdge> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("from", x.from);
    v("to", x.to);
  }
};
template <> struct FieldsOf<SliceLine> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("time", x.time);
    v("who", x.who);
    v("text", x.text);
    v("end", x.end);
    v("between_servers", x.between_servers);
  }
};
template <> struct FieldsOf<SliceStory> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("property", x.property);
    v("records", x.records);
    v("of_records", x.of_records);
    v("messages", x.messages);
    v("of_messages", x.of_messages);
    v("lines", x.lines);
    v("edges", x.edges);
    v("missing", x.missing);
    v("outside", x.outside);
  }
};
template <> struct FieldsOf<SometimesInfo> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("condition", x.condition);
    v("name", x.name);
    v("description", x.description);
    v("missing", x.missing);
  }
};
template <> struct FieldsOf<SourcePosition> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("line", x.line);
    v("column", x.column);
  }
};
template <> struct FieldsOf<Splitting> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("refusal", x.refusal);
    v("levels", x.levels);
    v("stages", x.stages);
    v("values", x.values);
    v("pilot", x.pilot);
    v("effort", x.effort);
    v("ancestors", x.ancestors);
    v("replications_with_any", x.replications_with_any);
    v("rare", x.rare);
    v("error", x.error);
  }
};
template <> struct FieldsOf<SplittingOptions> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("property", x.property);
    v("seed", x.seed);
    v("trajectories", x.trajectories);
    v("replications", x.replications);
    v("jobs", x.jobs);
    v("redraws_lengths", x.redraws_lengths);
    v("stop", x.stop);
  }
};
template <> struct FieldsOf<SplittingStage> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("trajectories", x.trajectories);
    v("reached", x.reached);
    v("violated", x.violated);
  }
};
template <> struct FieldsOf<Spread> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("count", x.count);
    v("mean", x.mean);
    v("median", x.median);
    v("p95", x.p95);
    v("most", x.most);
  }
};
template <> struct FieldsOf<StopRule> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("width", x.width);
    v("bound", x.bound);
  }
};
template <> struct FieldsOf<Stores> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("storage", x.storage);
    v("reach", x.reach);
    v("process", x.process);
  }
};
template <> struct FieldsOf<StoryContext> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("faults_healed", x.faults_healed);
    v("restarts", x.restarts);
    v("servers", x.servers);
    v("machines", x.machines);
    v("unanswered", x.unanswered);
  }
};
template <> struct FieldsOf<StoryLine> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("time", x.time);
    v("index", x.index);
    v("text", x.text);
    v("renewal_of", x.renewal_of);
    v("renewed_by", x.renewed_by);
    v("small", x.small);
    v("hold", x.hold);
    v("step", x.step);
  }
};
template <> struct FieldsOf<Stranger> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("at", x.at);
    v("what", x.what);
    v("wanted", x.wanted);
  }
};
template <> struct FieldsOf<Stretch> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("from", x.from);
    v("until", x.until);
    v("state", x.state);
  }
};
template <> struct FieldsOf<SurvivalStep> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("time", x.time);
    v("at_risk", x.at_risk);
    v("violated", x.violated);
    v("share", x.share);
    v("low", x.low);
    v("high", x.high);
  }
};
template <> struct FieldsOf<SweepTable> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("first_seed", x.first_seed);
    v("seeds", x.seeds);
    v("until", x.until);
    v("cells", x.cells);
    v("results", x.results);
    v("missing", x.missing);
  }
};
template <> struct FieldsOf<SyntaxError> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("at", x.at);
    v("found", x.found);
    v("expected", x.expected);
  }
};
template <> struct FieldsOf<TableVerdict> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("verdict", x.verdict);
    v("untested", x.untested);
  }
};
template <> struct FieldsOf<Tale> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("told", x.told);
    v("siblings", x.siblings);
  }
};
template <> struct FieldsOf<TaleOrErrors> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("tale", x.tale);
    v("errors", x.errors);
  }
};
template <> struct FieldsOf<Tally> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("counts", x.counts);
    v("lowest_seed", x.lowest_seed);
  }
};
template <> struct FieldsOf<Tested> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("runs", x.runs);
    v("contended", x.contended);
    v("struck", x.struck);
    v("within", x.within);
    v("all", x.all);
    v("errors", x.errors);
    v("faults", x.faults);
    v("heeded", x.heeded);
    v("claims", x.claims);
    v("assumptions", x.assumptions);
  }
};
template <class T> requires (printing::kFullName<T> == "picklock::Tested::Approached") struct FieldsOf<T> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("assumption", x.assumption);
    v("limit", x.limit);
    v("largest", x.largest);
    v("broken", x.broken);
    v("unit", x.unit);
  }
};
template <class T> requires (printing::kFullName<T> == "picklock::Tested::Claimed") struct FieldsOf<T> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("property", x.property);
    v("runs", x.runs);
    v("faulty", x.faulty);
    v("beyond", x.beyond);
  }
};
template <> struct FieldsOf<ThreadName> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("thread", x.thread);
    v("machine", x.machine);
  }
};
template <> struct FieldsOf<Threshold> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("below", x.below);
    v("above", x.above);
    v("far_below", x.far_below);
    v("far_above", x.far_above);
  }
};
template <> struct FieldsOf<TimelineOptions> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("width", x.width);
    v("lines", x.lines);
    v("brief", x.brief);
    v("all", x.all);
    v("colours", x.colours);
  }
};
template <> struct FieldsOf<ToldScenario> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("scenario", x.scenario);
    v("settings", x.settings);
    v("violated", x.violated);
    v("service", x.service);
    v("error", x.error);
  }
};
template <> struct FieldsOf<Trajectory> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("seed", x.seed);
    v("recipe", x.recipe);
    v("pinned", x.pinned);
  }
};
template <> struct FieldsOf<Trial> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("scenario", x.scenario);
    v("edits", x.edits);
    v("seed", x.seed);
  }
};
template <> struct FieldsOf<TrialCosts> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("asked", x.asked);
    v("granted", x.granted);
    v("commands", x.commands);
    v("latency_ns", x.latency_ns);
  }
};
template <> struct FieldsOf<Tried> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("value", x.value);
    v("trial", x.trial);
    v("harmful", x.harmful);
  }
};
template <> struct FieldsOf<TriggerPoint> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("node", x.node);
    v("side", x.side);
    v("mark", x.mark);
    v("count", x.count);
    v("offset", x.offset);
    v("task", x.task);
  }
};
template <> struct FieldsOf<Unanswered> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("at", x.at);
    v("from", x.from);
    v("to", x.to);
    v("verb", x.verb);
    v("hold", x.hold);
    v("sent", x.sent);
  }
};
template <> struct FieldsOf<UnseenOwners> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("runs", x.runs);
    v("seed", x.seed);
    v("locks", x.locks);
    v("keys", x.keys);
  }
};
template <> struct FieldsOf<UntestedRuns> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("counts", x.counts);
  }
};
template <> struct FieldsOf<Variety> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("clients", x.clients);
    v("options", x.options);
    v("servers", x.servers);
    v("network", x.network);
  }
};
template <> struct FieldsOf<Waiting> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("task", x.task);
    v("what", x.what);
    v("until", x.until);
  }
};
template <> struct FieldsOf<Witness> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("holds", x.holds);
    v("events", x.events);
    v("hold_count", x.hold_count);
    v("event_count", x.event_count);
  }
};
template <> struct FieldsOf<WorkItem> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("cell", x.cell);
    v("chunk", x.chunk);
  }
};
template <> struct FieldsOf<WorkloadKind> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("name", x.name);
    v("summary", x.summary);
    v("sells_seats", x.sells_seats);
    v("kept_in", x.kept_in);
  }
};
template <> struct FieldsOf<WorkloadSpec> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("kind", x.kind);
    v("options", x.options);
  }
};
template <> struct FieldsOf<WriteOptions> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("format", x.format);
  }
};
template <> struct FieldsOf<ZooAnswer> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("code", x.code);
    v("stat", x.stat);
    v("path", x.path);
    v("data", x.data);
    v("children", x.children);
    v("parts", x.parts);
  }
};
template <> struct FieldsOf<ZooCall> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("op", x.op);
    v("path", x.path);
    v("data", x.data);
    v("mode", x.mode);
    v("version", x.version);
    v("watch", x.watch);
    v("parts", x.parts);
  }
};
template <> struct FieldsOf<ZooChildren> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("names", x.names);
    v("stat", x.stat);
  }
};
template <> struct FieldsOf<ZooCreated> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("path", x.path);
    v("stat", x.stat);
  }
};
template <> struct FieldsOf<ZooData> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("data", x.data);
    v("stat", x.stat);
  }
};
template <> struct FieldsOf<ZooEvent> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("type", x.type);
    v("state", x.state);
    v("path", x.path);
  }
};
template <> struct FieldsOf<ZooExchange> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("request", x.request);
    v("reply", x.reply);
    v("watcher", x.watcher);
    v("waiter", x.waiter);
    v("wait", x.wait);
    v("sent", x.sent);
    v("answered", x.answered);
  }
};
template <> struct FieldsOf<ZooStat> {
  static constexpr bool kAre = true;
  static void each(const auto& x, auto&& v) {
    v("czxid", x.czxid);
    v("mzxid", x.mzxid);
    v("pzxid", x.pzxid);
    v("version", x.version);
    v("cversion", x.cversion);
    v("ephemeral_owner", x.ephemeral_owner);
    v("data_length", x.data_length);
    v("children", x.children);
  }
};

}  // namespace picklock
