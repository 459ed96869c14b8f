//===- lib/torch/data/Data.h
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch::data: datasets, transforms, samplers and the loader, as far as they hold
// memory. Mirrors torch/csrc/api/include/torch/data; indices are not tracked, only
// how many samples a batch has.

#pragma once

#include "lib/torch/Runtime.h"
#include <deque>
#include <functional>
#include <memory>

namespace vramlint {

/// torch::data::Example<>: a sample, or after Stack a whole batch. For a TensorExample
/// Target is null. What a user's own type holds stays in Other.
///
/// A batch of many samples is not held one by one: its first and last sample are, where
/// the peaks of what is done to each in turn lie, and those between as one Example
/// with a Count.
struct Example {
  TensorRef Data = nullptr, Target = nullptr;
  std::shared_ptr<void> Other = nullptr;
  int64_t Count = 1; ///< Of how many samples of this form it stands for.
  /// Memory of the other Count - 1 samples: none where they share or view.
  std::vector<StorageRef> OtherData = {}, OtherTargets = {};
};

/// \p Batch with one Example per sample, as the program's code is to see it. Of a batch
/// beyond all use only the first thousands.
std::vector<Example> eachSample(Runtime &R, std::vector<Example> Batch);

/// A dataset. What it allocates for a batch of \p Count samples, it allocates here.
class Dataset {
public:
  virtual ~Dataset();
  /// Nothing: not known, or endless.
  virtual std::optional<int64_t> size() = 0;
  /// The samples of one batch; a single Example once Stack was applied.
  virtual std::vector<Example> getBatch(Runtime &R, int64_t Count) = 0;
  /// get(index) of one sample.
  virtual Example get(Runtime &R);
};
using DatasetRef = std::shared_ptr<Dataset>;

/// torch::data::datasets::MNIST: all images as float32 in memory, from construction on.
DatasetRef makeMnist(Runtime &R, bool Train);
/// torch::data::datasets::TensorDataset.
DatasetRef makeTensorDataset(std::vector<TensorRef> Tensors);
/// A user's torch::data::Dataset: \p Get runs its get() in the machine.
DatasetRef makeUserDataset(std::function<std::optional<int64_t>()> Size,
                           std::function<Example(Runtime &)> Get);
/// A user's BatchDataset: \p GetBatch runs its get_batch().
DatasetRef makeUserBatchDataset(
    std::function<std::optional<int64_t>()> Size,
    std::function<std::vector<Example>(Runtime &, int64_t)> GetBatch);

/// A transform of whole batches (Stack, Collate, BatchLambda), made of one of samples
/// if it is one.
class Transform {
public:
  virtual ~Transform();
  virtual std::vector<Example> applyBatch(Runtime &R, std::vector<Example> Batch) = 0;
};
using TransformRef = std::shared_ptr<Transform>;

/// Normalize<>(mean, stddev): \p Channels numbers each.
TransformRef makeNormalize(Runtime &R, int64_t Channels = 1);
/// Stack<>: with \p WithTarget false, Stack<TensorExample>.
TransformRef makeStack(bool WithTarget = true);
/// Lambda, TensorLambda and users' transforms: run on each sample by the machine.
TransformRef makeLambda(std::function<Example(Runtime &, Example)> Fn);
/// BatchLambda, Collate: run on the whole batch.
TransformRef makeBatchLambda(
    std::function<std::vector<Example>(Runtime &, std::vector<Example>)> Fn);

/// dataset.map(transform): copies share what the dataset holds.
DatasetRef mapDataset(DatasetRef D, TransformRef T);

enum class SamplerKind { Random, Sequential, DistributedRandom, DistributedSequential, Stream };

/// A sampler: only RandomSampler holds memory, a permutation of all indices.
class Sampler {
public:
  Sampler(Runtime &R, SamplerKind Kind, std::optional<int64_t> Size);
  void reset(Runtime &R);
  std::optional<int64_t> size() const { return Size; }

private:
  TensorRef permutation(Runtime &R);
  SamplerKind Kind;
  std::optional<int64_t> Size;
  TensorRef Indices;
};

struct LoaderOptions {
  int64_t BatchSize = 1;
  bool DropLast = false;
  int64_t Workers = 0;
  std::optional<int64_t> MaxJobs = std::nullopt; ///< Default: twice the workers.
};

/// torch::data::StatelessDataLoader. A range-for calls begin(), then next() until it
/// says false; batch() lives until the next one is there, as in LibTorch's iterator.
class DataLoader {
public:
  DataLoader(DatasetRef D, Sampler S, LoaderOptions Options)
      : Source(std::move(D)), Indices(std::move(S)), Options(Options) {}

  void begin(Runtime &R);
  /// Fetches the next batch, then drops the one before. False: there is none.
  bool next(Runtime &R);
  const std::vector<Example> &batch() const { return Current; }
  /// The end of the loop, or of the iterator's life.
  void end();
  /// How many batches one pass has; nothing: not known.
  std::optional<int64_t> batches() const;
  /// Samples in batch \p Index of a pass.
  int64_t samplesIn(int64_t Index) const;
  /// The machine jumps over iterations that are like the last one.
  void skip(int64_t Count) { Position += Count; }
  int64_t position() const { return Position; }

private:
  std::optional<std::vector<Example>> fetch(Runtime &R);
  DatasetRef Source;
  Sampler Indices;
  LoaderOptions Options;
  int64_t Position = 0;      ///< Batches handed out.
  std::vector<Example> Current;
  std::deque<std::vector<Example>> Ready; ///< Made ahead by workers.
};

} // namespace vramlint
