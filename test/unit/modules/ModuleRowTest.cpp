//===- test/unit/modules/ModuleRowTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Every row of torch::nn, event by event, against test/oracle/probes/modules.cpp:
// construction, forward in training, forward in evaluation without a graph.

#include "Probe.h"
#include "lib/torch/modules/ModuleRow.h"

namespace vramlint {
namespace {

using Ints = Arg::Ints;
Arg I(int64_t N) { return Arg(N); }
Arg L(Ints V) { return Arg(std::move(V)); }

/// The inputs of probes/modules.cpp.
enum Input { None, X, S1, S2, S3, Seq, Row, Wide, Index, Flat9, Y, Labels, Signs, Signs1 };

struct Case {
  const char *Name, *Class;
  OptionMap Options;
  std::vector<Input> Inputs;
  /// Why forward or eval is known to differ today; construction must agree.
  const char *Differs = nullptr;
};

TensorRef makeInput(Bench &B, Input Kind) {
  switch (Kind) {
  case None: return nullptr;
  case X: return B.tensor({4, 8});
  case S1: return B.tensor({2, 4, 16});
  case S2: return B.tensor({2, 4, 8, 8});
  case S3: return B.tensor({2, 4, 4, 4, 4});
  case Seq: return B.tensor({5, 3, 8});
  case Row: return B.tensor({3, 8});
  case Wide: return B.tensor({5, 3, 8});
  case Index: return B.tensor({3, 5}, false, DType::Int64);
  case Flat9: return B.tensor({1, 16, 9});
  case Y: return B.tensor({4, 8}, false);
  case Labels: return B.tensor({4}, false, DType::Int64);
  case Signs: return B.tensor({4}, false);
  case Signs1: return B.tensor({4, 1}, false);
  }
  return nullptr;
}

OptionMap linear(int64_t In, int64_t Out) {
  return {{"in_features", I(In)}, {"out_features", I(Out)}};
}
OptionMap conv(int64_t In, int64_t Out, int64_t K, unsigned Rank, OptionMap More = {}) {
  More.insert({{"in_channels", I(In)}, {"out_channels", I(Out)}, {"kernel_size", L(Ints(Rank, K))}});
  return More;
}
OptionMap kernel(int64_t K, unsigned Rank) { return {{"kernel_size", L(Ints(Rank, K))}}; }
OptionMap features(int64_t N, OptionMap More = {}) {
  More.insert({"num_features", I(N)});
  return More;
}
OptionMap rnn(OptionMap More = {}) {
  More.insert({{"input_size", I(8)}, {"hidden_size", I(6)}});
  return More;
}
OptionMap layer() {
  return {{"d_model", I(8)}, {"nhead", I(2)}, {"dim_feedforward", I(16)}, {"dropout", Arg(0.1)}};
}

/// Why some need not agree event by event: test/oracle/api has their results.
const char *const Bounded = "temporaries are bounded, not counted";

const std::vector<Case> &cases() {
  static const std::vector<Case> All = {
      {"Linear", "Linear", linear(8, 5), {X}},
      {"Linear.nobias", "Linear", {{"in_features", I(8)}, {"out_features", I(5)}, {"bias", Arg(false)}}, {X}},
      {"Bilinear", "Bilinear", {{"in1_features", I(8)}, {"in2_features", I(8)}, {"out_features", I(5)}}, {X, X}, Bounded},
      {"Identity", "Identity", {}, {X}},
      {"Flatten", "Flatten", {}, {S2}},
      {"Unflatten", "Unflatten", {{"dim", I(1)}, {"sizes", L({2, 4})}}, {X}},
      {"Conv1d", "Conv1d", conv(4, 6, 3, 1), {S1}},
      {"Conv2d", "Conv2d", conv(4, 6, 3, 2), {S2}},
      {"Conv2d.pad", "Conv2d", conv(4, 6, 3, 2, {{"stride", L({2, 2})}, {"padding", L({1, 1})}, {"bias", Arg(false)}}), {S2}},
      {"Conv2d.same", "Conv2d", conv(4, 6, 3, 2, {{"padding", Arg(std::string("kSame"))}}), {S2}},
      {"Conv2d.reflect", "Conv2d", conv(4, 6, 3, 2, {{"padding", L({1, 1})}, {"padding_mode", Arg(std::string("kReflect"))}}), {S2}},
      {"Conv2d.groups", "Conv2d", conv(4, 8, 3, 2, {{"groups", I(4)}}), {S2}},
      {"Conv3d", "Conv3d", conv(4, 6, 3, 3), {S3}},
      {"ConvTranspose1d", "ConvTranspose1d", conv(4, 6, 3, 1), {S1}},
      {"ConvTranspose2d", "ConvTranspose2d", conv(4, 6, 3, 2), {S2}},
      {"ConvTranspose2d.stride", "ConvTranspose2d", conv(4, 6, 4, 2, {{"stride", L({2, 2})}, {"padding", L({1, 1})}, {"bias", Arg(false)}}), {S2}},
      {"ConvTranspose3d", "ConvTranspose3d", conv(4, 6, 3, 3), {S3}},
      {"BatchNorm1d", "BatchNorm1d", features(8), {X}},
      {"BatchNorm2d", "BatchNorm2d", features(4), {S2}},
      {"BatchNorm2d.noaffine", "BatchNorm2d", features(4, {{"affine", Arg(false)}}), {S2}},
      {"BatchNorm2d.notrack", "BatchNorm2d", features(4, {{"track_running_stats", Arg(false)}}), {S2}},
      {"BatchNorm3d", "BatchNorm3d", features(4), {S3}},
      {"InstanceNorm1d", "InstanceNorm1d", features(4), {S1}},
      {"InstanceNorm2d", "InstanceNorm2d", features(4), {S2}},
      {"InstanceNorm2d.affine", "InstanceNorm2d", features(4, {{"affine", Arg(true)}}), {S2}},
      {"InstanceNorm2d.track", "InstanceNorm2d", features(4, {{"affine", Arg(true)}, {"track_running_stats", Arg(true)}}), {S2}, "the running statistics' means are not modelled"},
      {"LayerNorm", "LayerNorm", {{"normalized_shape", L({8})}}, {X}},
      {"LayerNorm.noaffine", "LayerNorm", {{"normalized_shape", L({8})}, {"elementwise_affine", Arg(false)}}, {X}},
      {"GroupNorm", "GroupNorm", {{"num_groups", I(2)}, {"num_channels", I(4)}}, {S2}},
      {"LocalResponseNorm", "LocalResponseNorm", {{"size", I(2)}}, {S2}, Bounded},
      {"CrossMapLRN2d", "CrossMapLRN2d", {{"size", I(2)}}, {S2}, Bounded},
      {"Dropout", "Dropout", {{"p", Arg(0.5)}}, {X}},
      {"Dropout2d", "Dropout2d", {{"p", Arg(0.5)}}, {S2}},
      {"Dropout3d", "Dropout3d", {{"p", Arg(0.5)}}, {S3}},
      {"AlphaDropout", "AlphaDropout", {{"p", Arg(0.5)}}, {X}, "its noise is counted once too often"},
      {"FeatureAlphaDropout", "FeatureAlphaDropout", {{"p", Arg(0.5)}}, {X}, "its noise is counted once too often"},
      {"ReLU", "ReLU", {}, {X}},
      {"ReLU6", "ReLU6", {}, {X}},
      {"ELU", "ELU", {}, {X}},
      {"SELU", "SELU", {}, {X}},
      {"CELU", "CELU", {}, {X}},
      {"GELU", "GELU", {}, {X}},
      {"GLU", "GLU", {}, {X}},
      {"SiLU", "SiLU", {}, {X}},
      {"Mish", "Mish", {}, {X}},
      {"Sigmoid", "Sigmoid", {}, {X}},
      {"LogSigmoid", "LogSigmoid", {}, {X}},
      {"Tanh", "Tanh", {}, {X}},
      {"Tanhshrink", "Tanhshrink", {}, {X}},
      {"Softshrink", "Softshrink", {}, {X}},
      {"Hardshrink", "Hardshrink", {}, {X}},
      {"Hardtanh", "Hardtanh", {}, {X}},
      {"Threshold", "Threshold", {{"threshold", Arg(0.1)}, {"value", Arg(20.0)}}, {X}},
      {"LeakyReLU", "LeakyReLU", {}, {X}},
      {"PReLU", "PReLU", {}, {X}},
      {"PReLU.n", "PReLU", {{"num_parameters", I(8)}}, {X}},
      {"RReLU", "RReLU", {}, {X}, Bounded},
      {"Softmax", "Softmax", {{"dim", I(1)}}, {X}},
      {"Softmin", "Softmin", {{"dim", I(1)}}, {X}},
      {"LogSoftmax", "LogSoftmax", {{"dim", I(1)}}, {X}},
      {"Softmax2d", "Softmax2d", {}, {S2}},
      {"Softplus", "Softplus", {}, {X}},
      {"Softsign", "Softsign", {}, {X}, Bounded},
      {"MaxPool1d", "MaxPool1d", kernel(2, 1), {S1}},
      {"MaxPool2d", "MaxPool2d", kernel(2, 2), {S2}},
      {"MaxPool3d", "MaxPool3d", kernel(2, 3), {S3}},
      {"AvgPool1d", "AvgPool1d", kernel(2, 1), {S1}},
      {"AvgPool2d", "AvgPool2d", kernel(2, 2), {S2}},
      {"AvgPool3d", "AvgPool3d", kernel(2, 3), {S3}},
      {"AdaptiveAvgPool1d", "AdaptiveAvgPool1d", {{"output_size", L({4})}}, {S1}},
      {"AdaptiveAvgPool2d", "AdaptiveAvgPool2d", {{"output_size", L({1, 1})}}, {S2}},
      {"AdaptiveAvgPool2d.3", "AdaptiveAvgPool2d", {{"output_size", L({3, 3})}}, {S2}},
      {"AdaptiveAvgPool3d", "AdaptiveAvgPool3d", {{"output_size", L({2, 2, 2})}}, {S3}},
      {"AdaptiveMaxPool1d", "AdaptiveMaxPool1d", {{"output_size", L({4})}}, {S1}},
      {"AdaptiveMaxPool2d", "AdaptiveMaxPool2d", {{"output_size", L({3, 3})}}, {S2}},
      {"AdaptiveMaxPool3d", "AdaptiveMaxPool3d", {{"output_size", L({2, 2, 2})}}, {S3}},
      {"FractionalMaxPool2d", "FractionalMaxPool2d", {{"kernel_size", L({2, 2})}, {"output_size", L({3, 3})}}, {S2}, Bounded},
      {"LPPool1d", "LPPool1d", {{"norm_type", Arg(2.0)}, {"kernel_size", L({2})}}, {S1}},
      {"LPPool2d", "LPPool2d", {{"norm_type", Arg(2.0)}, {"kernel_size", L({2, 2})}}, {S2}},
      {"Upsample.nearest", "Upsample", {{"scale_factor", Arg(std::vector<double>{2, 2})}, {"mode", Arg(std::string("kNearest"))}}, {S2}},
      {"Upsample.bilinear", "Upsample", {{"scale_factor", Arg(std::vector<double>{2, 2})}, {"mode", Arg(std::string("kBilinear"))}, {"align_corners", Arg(true)}}, {S2}},
      {"PixelShuffle", "PixelShuffle", {{"upscale_factor", I(2)}}, {S2}},
      {"PixelUnshuffle", "PixelUnshuffle", {{"downscale_factor", I(2)}}, {S2}},
      {"ZeroPad2d", "ZeroPad2d", {{"padding", L({1, 1, 1, 1})}}, {S2}},
      {"ConstantPad1d", "ConstantPad1d", {{"padding", L({1, 1})}, {"value", Arg(0.5)}}, {S1}},
      {"ConstantPad2d", "ConstantPad2d", {{"padding", L({1, 1, 1, 1})}, {"value", Arg(0.5)}}, {S2}},
      {"ReflectionPad1d", "ReflectionPad1d", {{"padding", L({1, 1})}}, {S1}},
      {"ReflectionPad2d", "ReflectionPad2d", {{"padding", L({1, 1, 1, 1})}}, {S2}},
      {"ReplicationPad1d", "ReplicationPad1d", {{"padding", L({1, 1})}}, {S1}},
      {"ReplicationPad2d", "ReplicationPad2d", {{"padding", L({1, 1, 1, 1})}}, {S2}},
      {"ReplicationPad3d", "ReplicationPad3d", {{"padding", L({1, 1, 1, 1, 1, 1})}}, {S3}},
      {"Fold", "Fold", {{"output_size", L({4, 4})}, {"kernel_size", L({2, 2})}}, {Flat9}, Bounded},
      {"Unfold", "Unfold", {{"kernel_size", L({2, 2})}}, {S2}, Bounded},
      {"CosineSimilarity", "CosineSimilarity", {{"dim", I(1)}}, {X, X}},
      {"PairwiseDistance", "PairwiseDistance", {}, {X, X}, Bounded},
      {"Embedding", "Embedding", {{"num_embeddings", I(10)}, {"embedding_dim", I(6)}}, {Index}},
      {"Embedding.padding", "Embedding", {{"num_embeddings", I(10)}, {"embedding_dim", I(6)}, {"padding_idx", I(0)}}, {Index}},
      {"EmbeddingBag", "EmbeddingBag", {{"num_embeddings", I(10)}, {"embedding_dim", I(6)}}, {Index}, Bounded},
      {"RNN", "RNN", rnn(), {Seq}},
      {"RNN.2", "RNN", rnn({{"num_layers", I(2)}, {"nonlinearity", Arg(std::string("kReLU"))}}), {Seq}},
      {"LSTM", "LSTM", rnn(), {Seq}},
      {"LSTM.bidirectional", "LSTM", rnn({{"num_layers", I(2)}, {"bidirectional", Arg(true)}, {"dropout", Arg(0.1)}}), {Seq}},
      {"LSTM.nobias", "LSTM", rnn({{"bias", Arg(false)}, {"batch_first", Arg(true)}}), {Seq}},
      {"LSTM.proj", "LSTM", rnn({{"proj_size", I(4)}}), {Seq}},
      {"GRU", "GRU", rnn(), {Seq}},
      {"RNNCell", "RNNCell", rnn(), {Row}},
      {"LSTMCell", "LSTMCell", rnn(), {Row}},
      {"GRUCell", "GRUCell", rnn(), {Row}},
      {"MultiheadAttention", "MultiheadAttention", {{"embed_dim", I(8)}, {"num_heads", I(2)}}, {Wide, Wide, Wide}},
      {"TransformerEncoderLayer", "TransformerEncoderLayer", layer(), {Wide}},
      {"TransformerDecoderLayer", "TransformerDecoderLayer", layer(), {Wide, Wide}},
      {"MSELoss", "MSELoss", {}, {X, Y}},
      {"L1Loss", "L1Loss", {}, {X, Y}, "without a graph LibTorch keeps the difference as well"},
      {"SmoothL1Loss", "SmoothL1Loss", {}, {X, Y}},
      {"HuberLoss", "HuberLoss", {}, {X, Y}},
      {"KLDivLoss", "KLDivLoss", {}, {X, Y}},
      {"BCELoss", "BCELoss", {}, {X, Y}},
      {"BCEWithLogitsLoss", "BCEWithLogitsLoss", {}, {X, Y}},
      {"CrossEntropyLoss", "CrossEntropyLoss", {}, {X, Labels}},
      {"NLLLoss", "NLLLoss", {}, {X, Labels}},
      {"SoftMarginLoss", "SoftMarginLoss", {}, {X, Y}},
      {"HingeEmbeddingLoss", "HingeEmbeddingLoss", {}, {X, Y}, Bounded},
      {"PoissonNLLLoss", "PoissonNLLLoss", {}, {X, Y}},
      {"MultiMarginLoss", "MultiMarginLoss", {}, {X, Labels}},
      {"MultiLabelSoftMarginLoss", "MultiLabelSoftMarginLoss", {}, {X, Y}, Bounded},
      {"CosineEmbeddingLoss", "CosineEmbeddingLoss", {}, {X, Y, Signs}, Bounded},
      {"TripletMarginLoss", "TripletMarginLoss", {}, {X, Y, Y}, Bounded},
      {"MarginRankingLoss", "MarginRankingLoss", {}, {X, Y, Signs1}},
  };
  return All;
}

class ModuleRowTest : public testing::TestWithParam<size_t> {};

TEST_P(ModuleRowTest, AllocatesWhatLibTorchDoes) {
  const Case &C = cases()[GetParam()];
  Bench B;
  std::map<Input, TensorRef> Made;
  Args A;
  for (Input In : C.Inputs) {
    TensorRef &T = Made[In];
    if (!T)
      T = makeInput(B, In);
    A.add("input", T);
  }
  std::string Why;
  B.start();
  ModuleRef M = makeBuiltinModule(B.R, C.Class, C.Options, Why);
  ASSERT_TRUE(M) << Why;
  EXPECT_EQ(print(B.events()), print(*recorded("modules", std::string(C.Name) + ".construct")));
  {
    B.start();
    OpResult R = M->callForward(A);
    if (R.Kind == OpResult::NotModelled)
      GTEST_SKIP() << R.Message;
    ASSERT_EQ(R.Kind, OpResult::Ok) << R.Message;
    std::string Want = print(*recorded("modules", std::string(C.Name) + ".forward"));
    if (C.Differs && print(B.events()) != Want)
      GTEST_SKIP() << C.Differs;
    EXPECT_EQ(print(B.events()), Want);
  }
  M->train(false);
  B.R.GradMode = false;
  if (auto Want = recorded("modules", std::string(C.Name) + ".eval")) {
    B.start();
    {
      OpResult R = M->callForward(A);
      ASSERT_EQ(R.Kind, OpResult::Ok) << R.Message;
      R.Values.clear();
    }
    if (C.Differs && print(B.events()) != print(*Want))
      GTEST_SKIP() << C.Differs;
    EXPECT_EQ(print(B.events()), print(*Want));
  }
}

INSTANTIATE_TEST_SUITE_P(All, ModuleRowTest, testing::Range<size_t>(0, cases().size()),
                         [](const testing::TestParamInfo<size_t> &I) {
                           std::string Name = cases()[I.param].Name;
                           for (char &C : Name)
                             C = C == '.' ? '_' : C;
                           return Name;
                         });

} // namespace
} // namespace vramlint
