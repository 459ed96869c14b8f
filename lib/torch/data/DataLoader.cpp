//===- lib/torch/data/DataLoader.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Samplers and the data loader. Without workers a batch is made when it is asked
// for, while the one before is still held; with workers, max_jobs batches wait.

#include "lib/torch/data/Data.h"

namespace vramlint {

Sampler::Sampler(Runtime &R, SamplerKind Kind, std::optional<int64_t> Size)
    : Kind(Kind), Size(Size) {
  if (Kind == SamplerKind::Random)
    Indices = permutation(R);
}

/// torch::randperm(size): the indices, and a number for its generator's kernel.
TensorRef Sampler::permutation(Runtime &R) {
  Shape S;
  S.Dims = {Size ? Dim(*Size) : Dim()};
  if (!Size)
    S.Why = "size of the data set not known";
  TensorRef T = R.make(S, DType::Int64, Device{}, Category::Input, "RandomSampler");
  TensorRef Number = R.make(Shape(), DType::Int64, Device{}, Category::Temporary,
                            "RandomSampler");
  return T;
}

void Sampler::reset(Runtime &R) {
  if (Kind == SamplerKind::Random)
    Indices = permutation(R); // The new one is there before the old one dies.
}

void DataLoader::begin(Runtime &R) {
  Ready.clear();
  Position = 0;
  Indices.reset(R);
}

std::optional<int64_t> DataLoader::batches() const {
  std::optional<int64_t> Size = Indices.size();
  if (!Size || Options.BatchSize <= 0)
    return std::nullopt;
  int64_t Full = *Size / Options.BatchSize;
  bool Rest = *Size % Options.BatchSize != 0;
  return Full + (Rest && !Options.DropLast);
}

int64_t DataLoader::samplesIn(int64_t Index) const {
  std::optional<int64_t> Size = Indices.size();
  if (!Size)
    return Options.BatchSize;
  int64_t Left = *Size - Index * Options.BatchSize;
  return std::max<int64_t>(0, std::min(Left, Options.BatchSize));
}

std::optional<std::vector<Example>> DataLoader::fetch(Runtime &R) {
  std::optional<int64_t> Count = batches();
  int64_t Index = Position + int64_t(Ready.size());
  if (Count && Index >= *Count)
    return std::nullopt;
  return eachSample(R, Source->getBatch(R, samplesIn(Index)));
}

bool DataLoader::next(Runtime &R) {
  int64_t Jobs = Options.Workers > 0 ? Options.MaxJobs.value_or(2 * Options.Workers) : 0;
  std::optional<std::vector<Example>> New;
  while (int64_t(Ready.size()) < Jobs) {
    std::optional<std::vector<Example>> Ahead = fetch(R);
    if (!Ahead)
      break;
    Ready.push_back(std::move(*Ahead));
  }
  if (Jobs == 0) {
    New = fetch(R);
  } else if (!Ready.empty()) {
    New = std::move(Ready.front());
    Ready.pop_front();
  }
  if (!New) {
    Current.clear();
    return false;
  }
  ++Position;
  Current = std::move(*New);
  return true;
}

void DataLoader::end() {
  Current.clear();
  Ready.clear();
}

} // namespace vramlint
