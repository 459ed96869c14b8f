//===- checks/WaysOut.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See WaysOut.h.

#include "checks/WaysOut.h"

namespace vramlint {

namespace {
/// A part of the model whose activations could be recomputed.
struct Stage {
  std::string Name; ///< "layer1", "features.0-4".
  WhatIf::Segment What;
  int64_t KeptBytes = 0;
};
} // namespace

/// What the graph keeps at the peak of the module \p Path and those below it.
static int64_t keptBelow(const Peak &P, llvm::StringRef Path) {
  int64_t Sum = 0;
  for (const Owner &O : P.ByModule) {
    llvm::StringRef Rest = O.Name;
    bool Below = Rest.consume_front(Path) &&
                 (Path.empty() || Rest.empty() || Rest.starts_with("."));
    if (Below)
      Sum += O.By[static_cast<unsigned>(Holding::KeptForBackward)];
  }
  return Sum;
}

static std::string joined(llvm::StringRef Path, llvm::StringRef Name) {
  return Path.empty() ? Name.str() : (Path + "." + Name).str();
}

static void addStages(const Timeline &L, ModuleId Id, llvm::StringRef Path,
                      std::vector<Stage> &Stages) {
  const ModuleInfo &M = L.Of->Modules[Id];
  const Peak &P = L.Highest;
  bool Runs = M.Builtin && M.Class == "Sequential"; // Calls its children itself.
  if (Runs && !Path.empty() && M.Children.size() > 1)
    Stages.push_back({Path.str(), {Id, 0, None}, keptBelow(P, Path)});
  int64_t Whole = keptBelow(P, Path), Sum = 0;
  for (unsigned I = 0; I < M.Children.size(); ++I) {
    std::string Child = joined(Path, M.Children[I].Name);
    Sum += keptBelow(P, Child);
    // The first half by bytes.
    if (Runs && I && I + 1 < M.Children.size() && Sum * 2 >= Whole) {
      Stages.push_back({joined(Path, (M.Children[0].Name + "-" + M.Children[I].Name).str()),
                        {Id, 0, I}, Sum});
      Runs = false;
    }
    if (M.Children[I].Id < L.Of->Modules.size() && Path.count('.') < 4)
      addStages(L, M.Children[I].Id, Child, Stages);
  }
}

/// Those that keep most first.
static std::vector<Stage> findStages(const Timeline &L) {
  std::vector<Stage> Stages;
  for (ModuleId Id = 0; Id < L.Of->Modules.size(); ++Id)
    if (const ModuleInfo &M = L.Of->Modules[Id]; !M.HasParent && !M.Children.empty())
      addStages(L, Id, "", Stages);
  llvm::erase_if(Stages, [](const Stage &S) { return S.KeptBytes <= 0; });
  llvm::stable_sort(Stages, [](const Stage &X, const Stage &Y) {
    return X.KeptBytes > Y.KeptBytes;
  });
  return Stages;
}

namespace {
class Finder {
public:
  Finder(const Analysis &A, const Fit &F)
      : A(A), F(F), Multiple(trainingMultiple(*A.trace())) {}

  std::vector<WayOut> find() {
    tryNoGrad();
    tryPrecision();
    tryAutocast();
    tryOptimizer();
    tryPooling();
    tryInPlace();
    tryRecomputing();
    tryFreezing();
    trySmallerImages();
    llvm::sort(Ways, [](const WayOut &X, const WayOut &Y) {
      return X.LessBytes != Y.LessBytes ? X.LessBytes > Y.LessBytes
                                        : X.What < Y.What;
    });
    return std::move(Ways);
  }

private:
  /// The way that leads to \p T; nothing if that can't be run or takes more.
  std::optional<WayOut> wayTo(std::string What, const Timeline *T) const {
    if (!T || T->Highest.EventIndex == None)
      return std::nullopt;
    int64_t Less = A.timeline()->Highest.SizeBytes - T->Highest.SizeBytes;
    if (Less < 0)
      return std::nullopt;
    int64_t Need = computeFit(*T, F.Gpu, A.options().Fit).Need.expected();
    return WayOut{std::move(What), Need <= F.Usable.Count, Need, Less};
  }

  void add(std::optional<WayOut> W) {
    if (W)
      Ways.push_back(std::move(*W));
  }

  void run(std::string What, const ProgramOptions &P) {
    add(wayTo(std::move(What), A.rerun(P).get()));
  }

  /// With what \p Change changes.
  template <typename Fn> void runIf(std::string What, Fn Change) {
    ProgramOptions P = A.options().Program;
    Change(P.If);
    run(std::move(What), P);
  }

  bool hasBFloat16() const {
    return F.Gpu.cudaCapability() >= 80 || F.Gpu.Bf16TensorTflops;
  }

  /// Only where nothing needs the graph.
  void tryNoGrad() {
    if (Multiple.Trains || A.options().Program.NoGrad)
      return;
    bool Records = false;
    for (const OpRecord &O : A.trace()->Ops)
      Records |= O.RecordsGraph;
    if (!Records)
      return;
    ProgramOptions P = A.options().Program;
    P.NoGrad = true;
    run("a NoGradGuard", P);
  }

  void tryPrecision() {
    if (A.options().Program.Precision)
      return;
    ProgramOptions P = A.options().Program;
    P.Precision = hasBFloat16() ? DType::BFloat16 : DType::Float16;
    run(hasBFloat16() ? "parameters and inputs in bfloat16"
                      : "parameters and inputs in float16 (this card has no bfloat16)",
        P);
  }

  void tryAutocast() {
    if (A.options().Program.Precision || A.trace()->UsesAutocast)
      return;
    bool BF16 = hasBFloat16();
    runIf(BF16 ? "bfloat16 autocast" : "float16 autocast",
          [&](WhatIf &If) { If.Autocast = BF16 ? DType::BFloat16 : DType::Float16; });
  }

  /// Only where there are activations with an in-place form that write elsewhere.
  void tryInPlace() {
    bool Any = llvm::any_of(A.trace()->Ops, [](const OpRecord &O) {
      return O.In == Phase::Forward && (O.Name == "relu" || O.Name == "leaky_relu" ||
                                        O.Name == "silu" || O.Name == "elu");
    });
    if (Any)
      runIf("in-place activations", [](WhatIf &If) { If.InPlace = true; });
  }

  void tryFreezing() {
    if (Multiple.Trains)
      runIf("training the last layer only", [](WhatIf &If) { If.Freeze = true; });
  }

  /// The best of the stages that keep most: modules of several parts, and halves of a
  /// long Sequential.
  void tryRecomputing() {
    constexpr size_t MaxTries = 4;
    if (!Multiple.Trains)
      return;
    std::vector<Stage> Stages = findStages(*A.timeline());
    Stages.resize(std::min(Stages.size(), MaxTries));
    std::optional<WayOut> Best;
    for (const Stage &S : Stages) {
      ProgramOptions P = A.options().Program;
      P.If.Recompute = S.What;
      std::optional<WayOut> W =
          wayTo("recomputing " + S.Name + " in backward", A.rerun(P).get());
      if (W && (!Best || W->LessBytes > Best->LessBytes))
        Best = W;
    }
    if (Best && Best->LessBytes > 0)
      add(Best);
  }

  void trySmallerImages() {
    SizeSearch *Search = A.sizeSearch();
    SizeLimit Limit = Search ? Search->largest(F.Gpu) : SizeLimit();
    std::optional<Analysis::ImageSize> Own = A.imageSize();
    if (!Limit.Known || !Limit.Sure || Limit.Sure >= Own->Height)
      return;
    WhatIf::Image Image{Own->Height, Own->Width, Limit.Sure};
    add(wayTo(std::to_string(Limit.Sure) + "×" +
                  std::to_string(Image.scaled(Own->Width)) + " images",
              Search->run(Limit.Sure).get()));
  }

  void tryOptimizer() {
    if (!Multiple.Trains || !Multiple.StateCopies ||
        Multiple.Optimizer.empty() || A.options().Program.Optimizer)
      return;
    ProgramOptions P = A.options().Program;
    P.Optimizer = "SGD";
    run("SGD instead of " + Multiple.Optimizer, P);
  }

  void tryPooling() {
    for (const OversizedLinear &L :
         findOversizedLinears(*A.trace(), OversizedLimits())) {
      if (!L.Channels)
        continue;
      runIf("global average pooling before " + L.Name, [&](WhatIf &If) {
        If.Pool = {L.Module, L.Positions};
      });
      return;
    }
  }

  const Analysis &A;
  const Fit &F;
  TrainingMultiple Multiple;
  std::vector<WayOut> Ways;
};
} // namespace

std::vector<WayOut> findWaysOut(const Analysis &A, const Fit &F) {
  return Finder(A, F).find();
}

} // namespace vramlint
