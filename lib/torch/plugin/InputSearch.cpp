//===- lib/torch/plugin/InputSearch.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See InputSearch.h.

#include "lib/torch/plugin/InputSearch.h"
#include "llvm/ADT/StringExtras.h"
#include <ctime>

namespace vramlint {

namespace {

/// What the first layer takes: fixed sizes, and how many free ones follow (images)
/// or go before (sequences).
struct FirstLayer {
  std::vector<int64_t> Fixed;
  unsigned Spatial = 0;  ///< Free sizes after Fixed.
  bool Sequence = false; ///< A free size before Fixed.
  DType Type = DType::Float32;
};

} // namespace

/// The first number of "Conv2d(3, 64, …)", or 0.
static int64_t firstNumber(llvm::StringRef Options) {
  llvm::StringRef Rest = Options.split('(').second.ltrim("[ ");
  int64_t N = 0;
  Rest.take_while(llvm::isDigit).getAsInteger(10, N);
  return N;
}

/// "2" of "Conv2d", or 0.
static unsigned spatialRank(llvm::StringRef Class) {
  if (!Class.consume_back("d") || Class.empty() || !llvm::isDigit(Class.back()))
    return 0;
  return Class.back() - '0';
}

static std::optional<FirstLayer> firstLayer(const ModuleInfo &M) {
  llvm::StringRef Class = M.Class;
  int64_t N = firstNumber(M.Options);
  if (Class == "Embedding")
    return FirstLayer{{}, 0, true, DType::Int64};
  if (N <= 0)
    return std::nullopt;
  if (Class.starts_with("Conv") || Class.starts_with("BatchNorm") ||
      Class.starts_with("InstanceNorm"))
    if (unsigned Rank = spatialRank(Class))
      return FirstLayer{{N}, Rank, false, DType::Float32};
  if (Class == "Linear" || Class == "LayerNorm")
    return FirstLayer{{N}, 0, false, DType::Float32};
  if (Class == "LSTM" || Class == "GRU" || Class == "RNN" ||
      Class == "MultiheadAttention" || Class.starts_with("Transformer"))
    return FirstLayer{{N}, 0, true, DType::Float32};
  return std::nullopt;
}

/// The module at \p Path below \p Root; null if there is none.
static const ModuleInfo *moduleAt(const Trace &T, ModuleId Root, llvm::StringRef Path) {
  while (Root < T.Modules.size() && !Path.empty()) {
    auto [Name, Rest] = Path.split('.');
    ModuleId Next = None;
    for (const ModuleInfo::Child &C : T.Modules[Root].Children)
      if (C.Name == Name)
        Next = C.Id;
    Root = Next;
    Path = Rest;
  }
  return Root < T.Modules.size() ? &T.Modules[Root] : nullptr;
}

/// Ops on tensors of unknown shape leave no record, but a result.
static std::optional<FirstLayer> firstLayer(const Trace &T) {
  ModuleId Root = 0; // The class itself: the first that nothing holds.
  while (Root < T.Modules.size() &&
         (T.Modules[Root].HasParent || T.Modules[Root].Builtin))
    ++Root;
  for (const StorageInfo &S : T.Storages)
    if (S.Cat == Category::Activation && !S.ModulePath.empty())
      if (const ModuleInfo *M = moduleAt(T, Root, S.ModulePath))
        if (M->Builtin)
          if (auto Layer = firstLayer(*M))
            return Layer;
  return std::nullopt;
}

/// The sizes to try, the usual ones first.
static std::vector<StatedInput> candidates(const FirstLayer &Layer) {
  static const int64_t Photos[] = {224, 32, 64, 256, 128, 96, 299, 227, 300, 320,
                                   416, 448, 512, 640, 48, 84, 28};
  static const int64_t Digits[] = {28, 32, 64, 224, 128, 256, 48, 84, 96, 512};
  static const int64_t Maps[] = {32, 28, 64, 16, 56, 14, 8, 7, 84, 128, 224, 4, 1};
  static const int64_t Signals[] = {128, 1000, 16000, 64, 100, 256, 512, 1024, 28, 784};
  static const int64_t Lengths[] = {16, 32, 10, 8, 20, 50, 64, 100, 128, 256, 512, 1};
  static constexpr int64_t Largest = 300;
  std::vector<StatedInput> All;
  auto Add = [&](std::vector<int64_t> Sizes) {
    for (const StatedInput &Known : All)
      if (Known.Sizes == Sizes)
        return;
    All.push_back({std::move(Sizes), Layer.Type});
  };
  auto AddSpatial = [&](int64_t N) {
    std::vector<int64_t> Sizes = Layer.Fixed;
    if (Layer.Spatial == 3)
      Sizes.push_back(std::min<int64_t>(N, 16)); // Frames are fewer than pixels.
    while (Sizes.size() < Layer.Fixed.size() + Layer.Spatial)
      Sizes.push_back(N);
    Add(std::move(Sizes));
  };
  if (Layer.Spatial) {
    llvm::ArrayRef<int64_t> Usual = Maps;
    if (Layer.Spatial == 1)
      Usual = Signals;
    else if (Layer.Fixed[0] == 3)
      Usual = Photos;
    else if (Layer.Fixed[0] == 1)
      Usual = Digits;
    for (int64_t N : Usual)
      AddSpatial(N);
    for (int64_t N = 1; N <= Largest; ++N)
      AddSpatial(N);
    return All;
  }
  if (!Layer.Sequence)
    Add(Layer.Fixed);
  for (int64_t N : Lengths) {
    std::vector<int64_t> Sizes = {N};
    Sizes.insert(Sizes.end(), Layer.Fixed.begin(), Layer.Fixed.end());
    Add(std::move(Sizes));
  }
  if (Layer.Sequence)
    Add(Layer.Fixed); // Embedding of one index, a sequence without a batch.
  return All;
}

/// Went the forward through, and is the batch still what it was?
static bool fits(const Trace &T, bool TimeMayGoFirst) {
  if (!T.Failures.empty() || !T.Complete || T.Forwards.empty())
    return false;
  const ForwardCall &F = T.Forwards.front();
  if (F.Outputs.empty() || !F.Outputs.front().ShapeKnown ||
      F.Outputs.front().Shape.empty())
    return true;
  llvm::ArrayRef<int64_t> Sizes = F.Outputs.front().Shape;
  return llvm::any_of(Sizes.take_front(TimeMayGoFirst ? 2 : 1), [](int64_t N) {
    return N == TrialBatch || N == -1;
  });
}

std::optional<FoundInput>
searchInput(const Trace &Unknown,
            llvm::function_ref<std::shared_ptr<const Trace>(const StatedInput &)> Try) {
  static constexpr std::clock_t MostTime = 2 * CLOCKS_PER_SEC;
  static constexpr size_t Others = 3; // Sizes tried to see that the found one is forced.
  std::optional<FirstLayer> Layer = firstLayer(Unknown);
  if (!Layer)
    return std::nullopt;
  std::clock_t Start = std::clock();
  std::optional<FoundInput> Found;
  size_t After = 0;
  for (const StatedInput &Input : candidates(*Layer)) {
    if (std::clock() - Start > MostTime)
      break;
    std::shared_ptr<const Trace> T = Try(Input);
    bool Fits = T && fits(*T, Layer->Sequence);
    if (!Found && Fits) {
      Found = FoundInput{Input, true};
      if (!Layer->Spatial && !Layer->Sequence)
        break; // Nothing was free.
    } else if (Found && Fits) {
      Found->Forced = false;
    }
    if (Found && (!Found->Forced || ++After > Others))
      break;
  }
  return Found;
}

} // namespace vramlint
