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
    std::vector<Example> Batch;
    for (int64_t I = 0; I < N; ++I)
      Batch.push_back(get(R));
    return Batch;
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
    std::vector<Example> Batch;
    for (int64_t I = 0; I < N; ++I)
      Batch.push_back({element(R, Tensors[0]),
                       Tensors.size() > 1 ? element(R, Tensors[1]) : nullptr,
                       nullptr});
    return Batch;
  }

private:
  std::vector<TensorRef> Tensors;
};

/// Above this many samples in a batch, the others are taken to be like the last.
constexpr int64_t SamplesRunMax = 64;

class UserSet : public Dataset {
public:
  UserSet(std::function<std::optional<int64_t>()> Size,
          std::function<Example(Runtime &)> Get)
      : Size(std::move(Size)), Get(std::move(Get)) {}
  std::optional<int64_t> size() override { return Size ? Size() : std::nullopt; }
  Example get(Runtime &R) override { return Get(R); }
  std::vector<Example> getBatch(Runtime &R, int64_t N) override {
    std::vector<Example> Batch;
    auto Like = [&](const TensorRef &T) -> TensorRef {
      if (!T || T->Base) // A view shares what is there already.
        return T;
      return R.make(T->Sizes, T->Type, T->Dev, Category::Input, "Dataset::get");
    };
    for (int64_t I = 0; I < N; ++I)
      if (I < SamplesRunMax)
        Batch.push_back(Get(R));
      else
        Batch.push_back({Like(Batch.back().Data), Like(Batch.back().Target),
                         Batch.back().Other});
    return Batch;
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

public:
  std::vector<Example> applyBatch(Runtime &R, std::vector<Example> Batch) override {
    for (Example &E : Batch)
      E = apply(R, std::move(E));
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
    auto Pile = [&](TensorRef Example::*Field) -> TensorRef {
      const TensorRef &First = Batch.front().*Field;
      if (!First)
        return nullptr;
      Shape S = First->Sizes;
      if (S.RankKnown)
        S.Dims.insert(S.Dims.begin(), Dim(int64_t(Batch.size())));
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
    return Fn(R, std::move(Batch));
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
