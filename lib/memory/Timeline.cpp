//===- lib/memory/Timeline.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Replays a trace and attributes its peak.

#include "lib/memory/Timeline.h"

#include "lib/memory/Loops.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include <algorithm>
#include <map>
#include <set>

namespace vramlint {

llvm::StringRef holdingName(Holding H) {
  static constexpr llvm::StringRef Names[HoldingCount] = {
      "parameters",        "buffers",     "gradients",   "optimizer state",
      "kept for backward", "activations", "temporaries", "inputs",
      "workspaces"};
  return Names[static_cast<unsigned>(H)];
}

bool isConvolutionOp(llvm::StringRef Name) {
  return Name.starts_with("conv") || Name.starts_with("cudnn_conv") ||
         Name.starts_with("thnn_conv") || Name.starts_with("slow_conv") ||
         Name.starts_with("_convolution");
}

bool isMatrixProductOp(llvm::StringRef Name) {
  llvm::StringRef Base = Name.split('.').first.rtrim('_');
  return llvm::StringSwitch<bool>(Base)
      .Cases("linear", "addmm", "mm", "bmm", "baddbmm", "addbmm", "matmul",
             true)
      .Cases("mv", "addmv", "addr", "dot", "vdot", "einsum", "bilinear", true)
      .Cases("tensordot", "chain_matmul", "linalg_matmul", "inner", true)
      .Cases("lstm", "gru", "rnn_tanh", "rnn_relu", "lstm_cell", "gru_cell",
             true)
      .Cases("rnn_tanh_cell", "rnn_relu_cell", "multi_head_attention_forward",
             "scaled_dot_product_attention", true)
      .Default(false);
}

namespace {

/// The position of every storage of one device, as events pass by.
class Replay {
public:
  Replay(const Trace &T, DeviceKind Device)
      : T(T), Device(Device), States(T.Storages.size()) {
    for (size_t I = 0; I < States.size(); ++I)
      States[I].Cat = T.Storages[I].Cat;
  }

  void run(const Event &E) {
    if (E.Id >= States.size())
      return;
    State &S = States[E.Id];
    bool Here = T.Storages[E.Id].Device == Device;
    switch (E.Kind) {
    case EventKind::Alloc:
      if (Here && !S.Alive)
        Live = (Bytes{Live} + Bytes{T.Storages[E.Id].SizeBytes}).Count;
      S.Alive = true;
      break;
    case EventKind::Free:
      if (Here && S.Alive)
        Live -= T.Storages[E.Id].SizeBytes;
      S.Alive = false;
      break;
    case EventKind::Save:
      ++S.Saved;
      break;
    case EventKind::Unsave:
      S.Saved -= S.Saved > 0;
      break;
    case EventKind::Recategorize:
      S.Cat = static_cast<Category>(E.Value);
      break;
    default:
      break;
    }
  }

  std::vector<AliveStorage> alive() const {
    std::vector<AliveStorage> Result;
    for (StorageId Id = 0; Id < States.size(); ++Id)
      if (States[Id].Alive && T.Storages[Id].Device == Device)
        Result.push_back({Id, T.Storages[Id].SizeBytes, holding(States[Id])});
    llvm::sort(Result, [](const AliveStorage &A, const AliveStorage &B) {
      return A.SizeBytes != B.SizeBytes ? A.SizeBytes > B.SizeBytes
                                        : A.Id < B.Id;
    });
    return Result;
  }

  int64_t Live = 0;

private:
  struct State {
    Category Cat = Category::Activation;
    int Saved = 0;
    bool Alive = false;
  };

  static Holding holding(const State &S) {
    switch (S.Cat) {
    case Category::Parameter:
      return Holding::Parameters;
    case Category::Buffer:
      return Holding::Buffers;
    case Category::Gradient:
      return Holding::Gradients;
    case Category::OptimizerState:
      return Holding::OptimizerState;
    case Category::Activation:
      return S.Saved ? Holding::KeptForBackward : Holding::Activations;
    case Category::Temporary:
      return S.Saved ? Holding::KeptForBackward : Holding::Temporaries;
    case Category::Input:
      return Holding::Inputs;
    case Category::Workspace:
      return Holding::Workspaces;
    }
    return Holding::Activations;
  }

  const Trace &T;
  DeviceKind Device;
  std::vector<State> States;
};

/// Sums up the alive storages by a key, largest sum first.
class Attribution {
public:
  explicit Attribution(const Trace &T) : T(T) {}

  void add(llvm::StringRef Name, SourcePos Line, const AliveStorage &S) {
    auto Key = std::make_tuple(Name, Line.File, Line.Line);
    auto [It, New] = Index.try_emplace(Key, Owners.size());
    if (New) {
      // Storages come largest first, so this is the largest one's place.
      const StorageInfo &Info = T.Storages[S.Id];
      Owners.push_back(
          {Name, Info.ModuleClass, T.posOf(Info.Stack), 0, {}, {}});
    }
    Owner &O = Owners[It->second];
    O.SizeBytes = (Bytes{O.SizeBytes} + Bytes{S.SizeBytes}).Count;
    int64_t &Part = O.By[static_cast<unsigned>(S.As)];
    Part = (Bytes{Part} + Bytes{S.SizeBytes}).Count;
    O.Storages.push_back(S.Id);
  }

  std::vector<Owner> take() {
    llvm::sort(Owners, [](const Owner &A, const Owner &B) {
      return A.SizeBytes != B.SizeBytes
                 ? A.SizeBytes > B.SizeBytes
                 : A.Storages.front() < B.Storages.front();
    });
    return std::move(Owners);
  }

private:
  const Trace &T;
  std::map<std::tuple<llvm::StringRef, llvm::StringRef, unsigned>, size_t>
      Index;
  std::vector<Owner> Owners;
};

void attribute(const Trace &T, Peak &P) {
  Attribution Modules(T), Ops(T), Lines(T);
  for (const AliveStorage &S : P.Alive) {
    const StorageInfo &Info = T.Storages[S.Id];
    int64_t &Part = P.By[static_cast<unsigned>(S.As)];
    Part = (Bytes{Part} + Bytes{S.SizeBytes}).Count;
    Modules.add(Info.ModulePath, {}, S);
    Ops.add(Info.Op, {}, S);
    if (SourcePos Pos = T.posOf(Info.Stack); Pos.isValid())
      Lines.add("", Pos, S);
  }
  P.ByModule = Modules.take();
  P.ByOp = Ops.take();
  P.ByLine = Lines.take();
}

/// What ran at all: decides which workspaces there are.
void noteOps(Timeline &L) {
  const Trace &T = *L.Of;
  for (const Event &E : T.Events)
    L.TrainsHere |= E.Kind == EventKind::PhaseBegin &&
                    E.Value == static_cast<int64_t>(Phase::Backward);
  for (const OpRecord &Op : T.Ops) {
    auto OnDevice = [&](const TensorDesc &D) { return D.Device == L.Device; };
    if (llvm::none_of(Op.Outputs, OnDevice) &&
        llvm::none_of(Op.Inputs, OnDevice))
      continue;
    L.ConvolvesHere |= isConvolutionOp(Op.Name);
    if (!isMatrixProductOp(Op.Name))
      continue;
    L.MultipliesHere = true;
    L.MultipliesInBackward |=
        Op.In == Phase::Backward || (Op.RecordsGraph && L.TrainsHere);
  }
}

/// The peak as a quantity: exact only if every size is known and no loop grows.
Quantity liveQuantity(const Timeline &L) {
  const Trace &T = *L.Of;
  std::set<std::string> Reasons;
  for (const Event &E : T.Events)
    if (E.Kind == EventKind::Alloc && E.Id < T.Storages.size()) {
      const StorageInfo &S = T.Storages[E.Id];
      if (S.Device == L.Device && !S.SizeKnown)
        Reasons.insert(S.Unknown.empty() ? "a size that is not known"
                                         : S.Unknown.str());
    }
  // Of a TorchScript module the weights may be known; what it computes isn't.
  if (L.Highest.EventIndex != None)
    for (const ForwardCall &F : T.Forwards)
      if (F.Jit)
        Reasons.insert("what a TorchScript module allocates when it runs");
  if (!T.Complete)
    Reasons.insert("the run was cut short");
  for (const LoopGrowth &G : L.Growth)
    Reasons.insert("each iteration of the loop at " + T.posOf(G.Stack).str() +
                   " leaves " + formatBytes(Bytes{G.BytesPerIteration}) +
                   " more behind");
  if (Reasons.empty())
    return Quantity::exact(L.Highest.SizeBytes);
  Quantity Sum;
  int64_t Known = L.Highest.SizeBytes;
  for (const std::string &Reason : Reasons) {
    Sum += Quantity::unknown(Reason, Known);
    Known = 0;
  }
  return Sum;
}

bool runsOn(const OpRecord &Op, DeviceKind Device) {
  if (Op.Inputs.empty() && Op.Outputs.empty())
    return true; // A backward node: it says nothing of its tensors.
  auto Here = [&](const TensorDesc &D) { return D.Device == Device; };
  return llvm::any_of(Op.Inputs, Here) || llvm::any_of(Op.Outputs, Here);
}

/// Temporaries that no event tells of make the peak an estimate, where they may
/// reach above it.
void addScratch(Timeline &L) {
  const Trace &T = *L.Of;
  int64_t Highest = L.Highest.SizeBytes;
  llvm::StringRef Op;
  llvm::SmallVector<OpId, 4> Running;
  for (size_t I = 0; I < T.Events.size(); ++I) {
    const Event &E = T.Events[I];
    if (E.Kind == EventKind::OpBegin)
      Running.push_back(E.Id);
    if (!Running.empty() && Running.back() < T.Ops.size()) {
      const OpRecord &Now = T.Ops[Running.back()];
      int64_t Up = (Bytes{L.LiveAfter[I]} + Bytes{Now.ScratchBytesMax}).Count;
      if (Now.ScratchBytesMax && Up > Highest && runsOn(Now, L.Device)) {
        Highest = Up;
        Op = Now.Name;
      }
    }
    if (E.Kind == EventKind::OpEnd && !Running.empty())
      Running.pop_back();
  }
  if (Highest > L.Highest.SizeBytes)
    L.Live += Quantity::estimate(0, 0, Highest - L.Highest.SizeBytes,
                                 "temporaries of " + Op.str() + " are not modelled");
}

/// Fills in what the iteration at \p Place leaves behind, and by what.
void explainGrowth(const Timeline &L, const LoopTree &Loops, LoopPlace Place,
                   LoopGrowth &G) {
  const Trace &T = *L.Of;
  std::set<StorageId> Stays;
  std::vector<OpId> Ops;
  for (size_t I = 0; I < T.Events.size(); ++I) {
    const Event &E = T.Events[I];
    if (!llvm::is_contained(Loops.Nests[Loops.NestOf[I]], Place))
      continue;
    if (E.Kind == EventKind::Alloc && T.Storages[E.Id].Device == L.Device)
      Stays.insert(E.Id);
    else if (E.Kind == EventKind::Free)
      Stays.erase(E.Id);
    else if (E.Kind == EventKind::OpBegin)
      Ops.push_back(E.Id);
  }
  for (StorageId Id : Stays)
    if (G.Largest == None || T.Storages[Id].SizeBytes > T.Storages[G.Largest].SizeBytes)
      G.Largest = Id;
  StorageId First = Stays.empty() ? None : *Stays.begin();
  for (OpId Id : Ops) {
    const OpRecord &Op = T.Ops[Id];
    bool Older = llvm::any_of(Op.Inputs, [&](const TensorDesc &D) {
      return D.Storage < First && D.RequiresGrad &&
             T.Storages[D.Storage].Cat != Category::Parameter;
    });
    // The first time nothing before it has a graph, so an in-place op counts too.
    bool InPlace = Op.Name.ends_with("_") && !Op.Inputs.empty() &&
                   Op.Inputs[0].Storage < First;
    if (Op.In == Phase::Forward && Op.RecordsGraph && (Older || InPlace))
      G.KeptBy = Id;
  }
}

} // namespace

std::vector<AliveStorage> Timeline::aliveAfter(uint32_t Index) const {
  Replay R(*Of, Device);
  for (uint32_t I = 0; I <= Index && I < Of->Events.size(); ++I)
    R.run(Of->Events[I]);
  return R.alive();
}

Timeline computeTimeline(std::shared_ptr<const Trace> Of, DeviceKind Device) {
  Timeline L;
  L.Of = std::move(Of);
  L.Device = Device;
  const Trace &T = *L.Of;
  L.LiveAfter.reserve(T.Events.size());
  Replay R(T, Device);
  std::vector<Phase> Phases = {Phase::Forward};
  for (uint32_t I = 0; I < T.Events.size(); ++I) {
    const Event &E = T.Events[I];
    if (E.Kind == EventKind::PhaseBegin)
      Phases.push_back(static_cast<Phase>(E.Value));
    else if (E.Kind == EventKind::PhaseEnd && Phases.size() > 1)
      Phases.pop_back();
    R.run(E);
    L.LiveAfter.push_back(R.Live);
    if (R.Live > L.Highest.SizeBytes) {
      L.Highest.SizeBytes = R.Live;
      L.Highest.EventIndex = I;
      L.Highest.Stack = E.Stack;
      L.Highest.In = Phases.back();
    }
  }
  L.AtEndBytes = R.Live;

  LoopTree Loops = computeLoops(T, L.LiveAfter, Device);
  for (uint32_t R = 0; R < Loops.Runs.size(); ++R) {
    const LoopRun &Run = Loops.Runs[R];
    for (uint32_t I = 0; I < Run.Iterations.size(); ++I) {
      const LoopIter &It = Run.Iterations[I];
      if (It.Skipped <= 0 || It.LiveAtEnd <= It.LiveAtStart)
        continue;
      LoopGrowth G{Run.Loop, It.LiveAtEnd - It.LiveAtStart, It.Skipped, Run.Stack};
      explainGrowth(L, Loops, {R, I}, G);
      L.Growth.push_back(G);
    }
  }
  if (L.Highest.EventIndex != None) {
    const LoopNest &Nest = Loops.Nests[Loops.NestOf[L.Highest.EventIndex]];
    if (!Nest.empty())
      L.Highest.Iteration =
          1 +
          Loops.Runs[Nest.back().Run].Iterations[Nest.back().Iteration].Number;
    L.Highest.Alive = L.aliveAfter(L.Highest.EventIndex);
    attribute(T, L.Highest);
  }
  noteOps(L);
  L.Live = liveQuantity(L);
  addScratch(L);
  return L;
}

void printTimeline(const Timeline &L, llvm::raw_ostream &OS) {
  const Trace &T = *L.Of;
  OS << "timeline of " << (L.Device == DeviceKind::CUDA ? "cuda" : "cpu")
     << ", bytes\n";
  for (uint32_t I = 0; I < T.Events.size(); ++I) {
    const Event &E = T.Events[I];
    bool Alloc = E.Kind == EventKind::Alloc;
    if ((!Alloc && E.Kind != EventKind::Free) || E.Id >= T.Storages.size())
      continue;
    const StorageInfo &S = T.Storages[E.Id];
    if (S.Device != L.Device)
      continue;
    OS << llvm::format("%6u %c%-12lld %12lld  #%u ", I, Alloc ? '+' : '-',
                       (long long)S.SizeBytes, (long long)L.LiveAfter[I], E.Id)
       << S.Op;
    if (!S.SizeKnown)
      OS << " (at least)";
    if (!S.ModulePath.empty())
      OS << ' ' << S.ModulePath;
    OS << ' ' << T.posOf(E.Stack).str()
       << (I == L.Highest.EventIndex ? " <- peak" : "") << '\n';
  }
  OS << "peak " << L.Highest.SizeBytes << " at "
     << T.posOf(L.Highest.Stack).str();
  if (L.Highest.Iteration)
    OS << " in iteration " << L.Highest.Iteration;
  OS << '\n';
  for (unsigned H = 0; H < HoldingCount; ++H)
    if (L.Highest.By[H])
      OS << "  " << holdingName(static_cast<Holding>(H)) << ' '
         << L.Highest.By[H] << '\n';
  for (const std::string &Cause : L.Live.causes())
    OS << "unknown: " << Cause << '\n';
  OS << "at end " << L.AtEndBytes << '\n';
}

} // namespace vramlint
