//===- lib/torch/data/Datasets.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Datasets and transforms: what each holds and allocates, in LibTorch's order.

#include "lib/torch/data/Data.h"

namespace vramlint {

Dataset::~Dataset() = default;
Transform::~Transform() = default;

Example Dataset::get(Runtime &R) {
  std::vector<Example> One = getBatch(R, 1);
  if (One.empty())
    return Example();
  return One.front();
}

static Shape shapeOf(std::initializer_list<int64_t> Lengths) {
  Shape S;
  for (int64_t L : Lengths)
    S.Dims.push_back(Dim(L));
  return S;
}

/// A view on one element of the first dimension: tensor[index].
static TensorRef element(Runtime &R, const TensorRef &T) {
  if (!T->Sizes.RankKnown || T->Sizes.Dims.empty())
    return R.view(T, Shape::unknown("index of a tensor of unknown shape"));
  Shape S = T->Sizes;
  S.Dims.erase(S.Dims.begin());
  return R.view(T, S);
}

/// The largest batch of which each sample is held.
static constexpr int64_t MaxSingleSamples = 3;
/// The most that one batch may cost on a device whose allocator rounds each, or where
/// the program's own code walks over it.
static constexpr int64_t MaxSamplesHeld = 4096;

/// Memory for \p Others samples like \p T, if \p T has its own, made from \p First on.
/// The exact allocator knows only sums: there one piece does.
static std::vector<StorageRef> memoryLike(Runtime &R, const TensorRef &T,
                                          StorageId First, int64_t Others) {
  std::vector<StorageRef> Pieces;
  if (!T || !T->Store || T->Store->Id < First || Others <= 0)
    return Pieces;
  const Storage &S = *T->Store;
  int64_t Each = T->onCuda() ? std::max<int64_t>(1, Others / MaxSamplesHeld) : Others;
  for (; Others > 0; Others -= Each) {
    int64_t Size;
    if (__builtin_mul_overflow(S.SizeBytes, std::min(Each, Others), &Size))
      Size = INT64_MAX;
    Pieces.push_back(new Storage(R, Size, S.SizeKnown, S.Dev, S.Cat, "data set"));
  }
  return Pieces;
}

/// A batch of \p N samples that \p Make makes.
static std::vector<Example> makeBatch(Runtime &R, int64_t N,
                                      llvm::function_ref<Example()> Make) {
  std::vector<Example> Batch;
  for (int64_t I = 0; I < (N <= MaxSingleSamples ? N : 1); ++I)
    Batch.push_back(Make());
  if (N <= MaxSingleSamples)
    return Batch;
  StorageId First = R.Out.Storages.size();
  Example Between = Make();
  Between.Count = N - 2;
  Between.OtherData = memoryLike(R, Between.Data, First, N - 3);
  Between.OtherTargets = memoryLike(R, Between.Target, First, N - 3);
  Batch.push_back(std::move(Between));
  Batch.push_back(Make());
  return Batch;
}

std::vector<Example> eachSample(Runtime &R, std::vector<Example> Batch) {
  std::vector<Example> All;
  for (Example &E : Batch) {
    int64_t Count = std::min(E.Count, MaxSamplesHeld);
    bool OwnData = !E.OtherData.empty(), OwnTargets = !E.OtherTargets.empty();
    Example One{E.Data, E.Target, E.Other};
    if (Count < E.Count) {
      R.Out.Unknowns.push_back({R.Out.posOf(R.CurrentStack), "a batch of " + std::to_string(E.Count) + " samples",
                              "only the first are looked at", ""});
      One.OtherData = std::move(E.OtherData);
      One.OtherTargets = std::move(E.OtherTargets);
    }
    E = Example();
    auto Like = [&](const TensorRef &T, bool Own) {
      return T && Own ? R.make(T->Sizes, T->Type, T->Dev, T->Store->Cat, "data set") : T;
    };
    for (int64_t I = 1; I < Count; ++I)
      All.push_back({Like(One.Data, OwnData), Like(One.Target, OwnTargets), One.Other});
    All.push_back(std::move(One));
  }
  return All;
}

namespace {

class Mnist : public Dataset {
public:
  Mnist(Runtime &R, bool Train) : Count(Train ? 60000 : 10000) {
    Device Host;
    {
      TensorRef Raw = R.make(shapeOf({Count, 1, 28, 28}), DType::UInt8, Host,
                             Category::Temporary, "MNIST");
      Images = R.make(shapeOf({Count, 1, 28, 28}), DType::Float32, Host,
                      Category::Input, "MNIST");
      // .div_(255): the number as a tensor, then as float32.
      TensorRef Number = R.make(Shape(), DType::Float64, Host,
                                Category::Temporary, "MNIST");
      TensorRef Cast = R.make(Shape(), DType::Float32, Host,
                              Category::Temporary, "MNIST");
      Cast = nullptr;
      Number = nullptr;
    }
    TensorRef Raw = R.make(shapeOf({Count}), DType::UInt8, Host,
                           Category::Temporary, "MNIST");
    Targets = R.make(shapeOf({Count}), DType::Int64, Host, Category::Input, "MNIST");
  }

  std::optional<int64_t> size() override { return Count; }
  Example get(Runtime &R) override {
    return {element(R, Images), element(R, Targets), nullptr};
  }
  std::vector<Example> getBatch(Runtime &R, int64_t N) override {
    return makeBatch(R, N, [&] { return get(R); });
  }

private:
  int64_t Count;
  TensorRef Images, Targets;
};

class TensorSet : public Dataset {
public:
  explicit TensorSet(std::vector<TensorRef> Tensors) : Tensors(std::move(Tensors)) {}
  std::optional<int64_t> size() override {
    const Shape &S = Tensors.front()->Sizes;
    if (!S.RankKnown || S.Dims.empty() || !S.Dims[0].known())
      return std::nullopt;
    return S.Dims[0].Length;
  }
  std::vector<Example> getBatch(Runtime &R, int64_t N) override {
    return makeBatch(R, N, [&] {
      return Example{element(R, Tensors[0]),
                     Tensors.size() > 1 ? element(R, Tensors[1]) : nullptr};
    });
  }

private:
  std::vector<TensorRef> Tensors;
};

class UserSet : public Dataset {
public:
  UserSet(std::function<std::optional<int64_t>()> Size,
          std::function<Example(Runtime &)> Get)
      : Size(std::move(Size)), Get(std::move(Get)) {}
  std::optional<int64_t> size() override { return Size ? Size() : std::nullopt; }
  Example get(Runtime &R) override { return Get(R); }
  std::vector<Example> getBatch(Runtime &R, int64_t N) override {
    return makeBatch(R, N, [&] { return Get(R); });
  }

private:
  std::function<std::optional<int64_t>()> Size;
  std::function<Example(Runtime &)> Get;
};

class UserBatchSet : public Dataset {
public:
  UserBatchSet(std::function<std::optional<int64_t>()> Size,
               std::function<std::vector<Example>(Runtime &, int64_t)> Get)
      : Size(std::move(Size)), Get(std::move(Get)) {}
  std::optional<int64_t> size() override { return Size ? Size() : std::nullopt; }
  std::vector<Example> getBatch(Runtime &R, int64_t N) override { return Get(R, N); }

private:
  std::function<std::optional<int64_t>()> Size;
  std::function<std::vector<Example>(Runtime &, int64_t)> Get;
};

class MapSet : public Dataset {
public:
  MapSet(DatasetRef D, TransformRef T) : D(std::move(D)), T(std::move(T)) {}
  std::optional<int64_t> size() override { return D->size(); }
  std::vector<Example> getBatch(Runtime &R, int64_t N) override {
    return T->applyBatch(R, D->getBatch(R, N));
  }

private:
  DatasetRef D;
  TransformRef T;
};

/// A transform of single samples: one after the other, each input dying as its
/// output is there.
class SampleTransform : public Transform {
  virtual Example apply(Runtime &R, Example E) = 0;

  /// The samples that \p E stands for: one is run, the others get what it got. Theirs
  /// go before theirs come: the peak is at the batch's first or last sample.
  Example applyToAll(Runtime &R, Example E) {
    StorageId First = R.Out.Storages.size();
    auto IdOf = [](const TensorRef &T) {
      return T && T->Store ? std::optional<StorageId>(T->Store->Id) : std::nullopt;
    };
    std::optional<StorageId> Data = IdOf(E.Data), Target = IdOf(E.Target);
    int64_t Count = E.Count;
    auto OtherData = std::move(E.OtherData), OtherTargets = std::move(E.OtherTargets);
    Example New = apply(R, {std::move(E.Data), std::move(E.Target), std::move(E.Other)});
    auto Follow = [&](const TensorRef &T, std::optional<StorageId> Was,
                      std::vector<StorageRef> Others) {
      if (IdOf(T) == Was)
        return Others;
      Others.clear();
      return memoryLike(R, T, First, Count - 1);
    };
    New.Count = Count;
    New.OtherData = Follow(New.Data, Data, std::move(OtherData));
    New.OtherTargets = Follow(New.Target, Target, std::move(OtherTargets));
    return New;
  }

public:
  std::vector<Example> applyBatch(Runtime &R, std::vector<Example> Batch) override {
    for (Example &E : Batch)
      E = E.Count == 1 ? apply(R, std::move(E)) : applyToAll(R, std::move(E));
    return Batch;
  }
};

class Normalize : public SampleTransform {
public:
  Normalize(Runtime &R, int64_t Channels) {
    for (TensorRef *T : {&Mean, &Deviation}) {
      // torch::tensor(doubles, kFloat32): made as doubles, then cast.
      TensorRef Doubles = R.make(shapeOf({Channels}), DType::Float64, Device{},
                                 Category::Temporary, "Normalize");
      *T = R.make(shapeOf({Channels}), DType::Float32, Device{}, Category::Input,
                  "Normalize");
    }
  }

private:
  Example apply(Runtime &R, Example E) override {
    if (!E.Data)
      return E;
    auto Make = [&] {
      return R.make(E.Data->Sizes, E.Data->Type, E.Data->Dev, Category::Input,
                    "Normalize");
    };
    TensorRef Centered = Make(); // input.sub(mean).div(stddev)
    E.Data = Make();
    return E;
  }
  TensorRef Mean, Deviation;
};

class Stack : public Transform {
public:
  explicit Stack(bool WithTarget) : WithTarget(WithTarget) {}
  std::vector<Example> applyBatch(Runtime &R, std::vector<Example> Batch) override {
    if (Batch.empty())
      return Batch;
    int64_t Samples = 0;
    for (const Example &E : Batch)
      Samples += E.Count;
    auto Pile = [&](TensorRef Example::*Field) -> TensorRef {
      const TensorRef &First = Batch.front().*Field;
      if (!First)
        return nullptr;
      Shape S = First->Sizes;
      if (S.RankKnown)
        S.Dims.insert(S.Dims.begin(), Dim(Samples));
      return R.make(S, First->Type, First->Dev, Category::Input, "stack");
    };
    Example Whole;
    Whole.Data = Pile(&Example::Data);
    if (WithTarget)
      Whole.Target = Pile(&Example::Target);
    Batch.clear();
    return {Whole};
  }

private:
  bool WithTarget;
};

class LambdaTransform : public SampleTransform {
public:
  explicit LambdaTransform(std::function<Example(Runtime &, Example)> Fn) : Fn(std::move(Fn)) {}

private:
  Example apply(Runtime &R, Example E) override { return Fn(R, std::move(E)); }
  std::function<Example(Runtime &, Example)> Fn;
};

class BatchLambda : public Transform {
public:
  using FnTy = std::function<std::vector<Example>(Runtime &, std::vector<Example>)>;
  explicit BatchLambda(FnTy Fn) : Fn(std::move(Fn)) {}
  std::vector<Example> applyBatch(Runtime &R, std::vector<Example> Batch) override {
    return Fn(R, eachSample(R, std::move(Batch)));
  }

private:
  FnTy Fn;
};

} // namespace

DatasetRef makeMnist(Runtime &R, bool Train) {
  return std::make_shared<Mnist>(R, Train);
}
DatasetRef makeTensorDataset(std::vector<TensorRef> Tensors) {
  return std::make_shared<TensorSet>(std::move(Tensors));
}
DatasetRef makeUserDataset(std::function<std::optional<int64_t>()> Size,
                           std::function<Example(Runtime &)> Get) {
  return std::make_shared<UserSet>(std::move(Size), std::move(Get));
}
DatasetRef makeUserBatchDataset(
    std::function<std::optional<int64_t>()> Size,
    std::function<std::vector<Example>(Runtime &, int64_t)> GetBatch) {
  return std::make_shared<UserBatchSet>(std::move(Size), std::move(GetBatch));
}
DatasetRef mapDataset(DatasetRef D, TransformRef T) {
  return std::make_shared<MapSet>(std::move(D), std::move(T));
}
TransformRef makeNormalize(Runtime &R, int64_t Channels) {
  return std::make_shared<Normalize>(R, Channels);
}
TransformRef makeStack(bool WithTarget) {
  return std::make_shared<Stack>(WithTarget);
}
TransformRef makeLambda(std::function<Example(Runtime &, Example)> Fn) {
  return std::make_shared<LambdaTransform>(std::move(Fn));
}
TransformRef makeBatchLambda(
    std::function<std::vector<Example>(Runtime &, std::vector<Example>)> Fn) {
  return std::make_shared<BatchLambda>(std::move(Fn));
}

} // namespace vramlint
