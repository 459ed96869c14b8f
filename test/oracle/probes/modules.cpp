// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What constructors of torch::nn modules allocate, and their forward passes in
// training (graph kept until the result dies) and under NoGradGuard.
#include "probe.h"

namespace nn = torch::nn;
using torch::Tensor;
using torch::NoGradGuard;

// Constructs, then runs forward on the given inputs.
#define MODULE(NAME, CONSTRUCT, ...)                                           \
  {                                                                            \
    auto M = probe::run(NAME ".construct", [] { return CONSTRUCT; });          \
    {                                                                          \
      auto Y = probe::run(NAME ".forward", [&] { return M->forward(__VA_ARGS__); }); \
      probe::run(NAME ".forward.die", [&] { { auto Z = std::move(Y); } return 0; }); \
    }                                                                          \
    M->eval();                                                                 \
    NoGradGuard Guard;                                                         \
    probe::run(NAME ".eval", [&] { M->forward(__VA_ARGS__); return 0; });      \
  }

int main() {
  probe::Session Session;
  auto x = torch::rand({4, 8}).set_requires_grad(true);
  auto s1 = torch::rand({2, 4, 16}).set_requires_grad(true);
  auto s2 = torch::rand({2, 4, 8, 8}).set_requires_grad(true);
  auto s3 = torch::rand({2, 4, 4, 4, 4}).set_requires_grad(true);

  MODULE("Linear", nn::Linear(8, 5), x)
  MODULE("Linear.nobias", nn::Linear(nn::LinearOptions(8, 5).bias(false)), x)
  MODULE("Bilinear", nn::Bilinear(8, 8, 5), x, x)
  MODULE("Identity", nn::Identity(), x)
  MODULE("Flatten", nn::Flatten(), s2)
  MODULE("Unflatten", nn::Unflatten(nn::UnflattenOptions(1, {2, 4})), x)
  MODULE("Conv1d", nn::Conv1d(4, 6, 3), s1)
  MODULE("Conv2d", nn::Conv2d(4, 6, 3), s2)
  MODULE("Conv2d.pad", nn::Conv2d(nn::Conv2dOptions(4, 6, 3).stride(2).padding(1).bias(false)), s2)
  MODULE("Conv2d.same", nn::Conv2d(nn::Conv2dOptions(4, 6, 3).padding(torch::kSame)), s2)
  MODULE("Conv2d.reflect", nn::Conv2d(nn::Conv2dOptions(4, 6, 3).padding(1).padding_mode(torch::kReflect)), s2)
  MODULE("Conv2d.groups", nn::Conv2d(nn::Conv2dOptions(4, 8, 3).groups(4)), s2)
  MODULE("Conv3d", nn::Conv3d(4, 6, 3), s3)
  MODULE("ConvTranspose1d", nn::ConvTranspose1d(4, 6, 3), s1)
  MODULE("ConvTranspose2d", nn::ConvTranspose2d(4, 6, 3), s2)
  MODULE("ConvTranspose2d.stride", nn::ConvTranspose2d(nn::ConvTranspose2dOptions(4, 6, 4).stride(2).padding(1).bias(false)), s2)
  MODULE("ConvTranspose3d", nn::ConvTranspose3d(4, 6, 3), s3)
  MODULE("BatchNorm1d", nn::BatchNorm1d(8), x)
  MODULE("BatchNorm2d", nn::BatchNorm2d(4), s2)
  MODULE("BatchNorm2d.noaffine", nn::BatchNorm2d(nn::BatchNorm2dOptions(4).affine(false)), s2)
  MODULE("BatchNorm2d.notrack", nn::BatchNorm2d(nn::BatchNorm2dOptions(4).track_running_stats(false)), s2)
  MODULE("BatchNorm3d", nn::BatchNorm3d(4), s3)
  MODULE("InstanceNorm1d", nn::InstanceNorm1d(4), s1)
  MODULE("InstanceNorm2d", nn::InstanceNorm2d(4), s2)
  MODULE("InstanceNorm2d.affine", nn::InstanceNorm2d(nn::InstanceNorm2dOptions(4).affine(true)), s2)
  MODULE("InstanceNorm2d.track", nn::InstanceNorm2d(nn::InstanceNorm2dOptions(4).affine(true).track_running_stats(true)), s2)
  MODULE("LayerNorm", nn::LayerNorm(nn::LayerNormOptions({8})), x)
  MODULE("LayerNorm.noaffine", nn::LayerNorm(nn::LayerNormOptions({8}).elementwise_affine(false)), x)
  MODULE("GroupNorm", nn::GroupNorm(2, 4), s2)
  MODULE("LocalResponseNorm", nn::LocalResponseNorm(2), s2)
  MODULE("CrossMapLRN2d", nn::CrossMapLRN2d(2), s2)
  MODULE("Dropout", nn::Dropout(0.5), x)
  MODULE("Dropout2d", nn::Dropout2d(0.5), s2)
  MODULE("Dropout3d", nn::Dropout3d(0.5), s3)
  MODULE("AlphaDropout", nn::AlphaDropout(0.5), x)
  MODULE("FeatureAlphaDropout", nn::FeatureAlphaDropout(0.5), x)
  MODULE("ReLU", nn::ReLU(), x)
  MODULE("ReLU6", nn::ReLU6(), x)
  MODULE("ELU", nn::ELU(), x)
  MODULE("SELU", nn::SELU(), x)
  MODULE("CELU", nn::CELU(), x)
  MODULE("GELU", nn::GELU(), x)
  MODULE("GLU", nn::GLU(), x)
  MODULE("SiLU", nn::SiLU(), x)
  MODULE("Mish", nn::Mish(), x)
  MODULE("Sigmoid", nn::Sigmoid(), x)
  MODULE("LogSigmoid", nn::LogSigmoid(), x)
  MODULE("Tanh", nn::Tanh(), x)
  MODULE("Tanhshrink", nn::Tanhshrink(), x)
  MODULE("Softshrink", nn::Softshrink(), x)
  MODULE("Hardshrink", nn::Hardshrink(), x)
  MODULE("Hardtanh", nn::Hardtanh(), x)
  MODULE("Threshold", nn::Threshold(0.1, 20), x)
  MODULE("LeakyReLU", nn::LeakyReLU(), x)
  MODULE("PReLU", nn::PReLU(), x)
  MODULE("PReLU.n", nn::PReLU(nn::PReLUOptions().num_parameters(8)), x)
  MODULE("RReLU", nn::RReLU(), x)
  MODULE("Softmax", nn::Softmax(1), x)
  MODULE("Softmin", nn::Softmin(1), x)
  MODULE("LogSoftmax", nn::LogSoftmax(1), x)
  MODULE("Softmax2d", nn::Softmax2d(), s2)
  MODULE("Softplus", nn::Softplus(), x)
  MODULE("Softsign", nn::Softsign(), x)
  MODULE("MaxPool1d", nn::MaxPool1d(2), s1)
  MODULE("MaxPool2d", nn::MaxPool2d(2), s2)
  MODULE("MaxPool3d", nn::MaxPool3d(2), s3)
  MODULE("AvgPool1d", nn::AvgPool1d(2), s1)
  MODULE("AvgPool2d", nn::AvgPool2d(2), s2)
  MODULE("AvgPool3d", nn::AvgPool3d(2), s3)
  MODULE("AdaptiveAvgPool1d", nn::AdaptiveAvgPool1d(4), s1)
  MODULE("AdaptiveAvgPool2d", nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions({1, 1})), s2)
  MODULE("AdaptiveAvgPool2d.3", nn::AdaptiveAvgPool2d(3), s2)
  MODULE("AdaptiveAvgPool3d", nn::AdaptiveAvgPool3d(2), s3)
  MODULE("AdaptiveMaxPool1d", nn::AdaptiveMaxPool1d(4), s1)
  MODULE("AdaptiveMaxPool2d", nn::AdaptiveMaxPool2d(3), s2)
  MODULE("AdaptiveMaxPool3d", nn::AdaptiveMaxPool3d(2), s3)
  MODULE("FractionalMaxPool2d", nn::FractionalMaxPool2d(nn::FractionalMaxPool2dOptions(2).output_size(3)), s2)
  MODULE("LPPool1d", nn::LPPool1d(2, 2), s1)
  MODULE("LPPool2d", nn::LPPool2d(nn::LPPool2dOptions(2, {2, 2})), s2)
  MODULE("Upsample.nearest", nn::Upsample(nn::UpsampleOptions().scale_factor(std::vector<double>({2, 2}))), s2)
  MODULE("Upsample.bilinear", nn::Upsample(nn::UpsampleOptions().scale_factor(std::vector<double>({2, 2})).mode(torch::kBilinear).align_corners(true)), s2)
  MODULE("PixelShuffle", nn::PixelShuffle(2), s2)
  MODULE("PixelUnshuffle", nn::PixelUnshuffle(2), s2)
  MODULE("ZeroPad2d", nn::ZeroPad2d(1), s2)
  MODULE("ConstantPad1d", nn::ConstantPad1d(nn::ConstantPad1dOptions(1, 0.5)), s1)
  MODULE("ConstantPad2d", nn::ConstantPad2d(nn::ConstantPad2dOptions(1, 0.5)), s2)
  MODULE("ReflectionPad1d", nn::ReflectionPad1d(1), s1)
  MODULE("ReflectionPad2d", nn::ReflectionPad2d(1), s2)
  MODULE("ReplicationPad1d", nn::ReplicationPad1d(1), s1)
  MODULE("ReplicationPad2d", nn::ReplicationPad2d(1), s2)
  MODULE("ReplicationPad3d", nn::ReplicationPad3d(1), s3)
  MODULE("Fold", nn::Fold(nn::FoldOptions({4, 4}, {2, 2})), torch::rand({1, 16, 9}).set_requires_grad(true))
  MODULE("Unfold", nn::Unfold(nn::UnfoldOptions({2, 2})), s2)
  MODULE("CosineSimilarity", nn::CosineSimilarity(), x, x)
  MODULE("PairwiseDistance", nn::PairwiseDistance(), x, x)

  auto index = torch::randint(10, {3, 5}, torch::kLong);
  auto offsets = torch::tensor({0, 2});
  MODULE("Embedding", nn::Embedding(10, 6), index)
  MODULE("Embedding.padding", nn::Embedding(nn::EmbeddingOptions(10, 6).padding_idx(0)), index)
  MODULE("EmbeddingBag", nn::EmbeddingBag(10, 6), index)

  auto seq = torch::rand({5, 3, 8}).set_requires_grad(true);
  auto row = torch::rand({3, 8}).set_requires_grad(true);
#define RECURRENT(NAME, CONSTRUCT, INPUT)                                      \
  {                                                                            \
    auto M = probe::run(NAME ".construct", [] { return CONSTRUCT; });          \
    {                                                                          \
      auto Y = probe::run(NAME ".forward", [&] { return M->forward(INPUT); }); \
      probe::run(NAME ".forward.die", [&] { { auto Z = std::move(Y); } return 0; }); \
    }                                                                          \
    M->eval();                                                                 \
    NoGradGuard Guard;                                                         \
    probe::run(NAME ".eval", [&] { M->forward(INPUT); return 0; });            \
  }
  RECURRENT("RNN", nn::RNN(8, 6), seq)
  RECURRENT("RNN.2", nn::RNN(nn::RNNOptions(8, 6).num_layers(2).nonlinearity(torch::kReLU)), seq)
  RECURRENT("LSTM", nn::LSTM(8, 6), seq)
  RECURRENT("LSTM.bidirectional", nn::LSTM(nn::LSTMOptions(8, 6).num_layers(2).bidirectional(true).dropout(0.1)), seq)
  RECURRENT("LSTM.nobias", nn::LSTM(nn::LSTMOptions(8, 6).bias(false).batch_first(true)), seq)
  RECURRENT("LSTM.proj", nn::LSTM(nn::LSTMOptions(8, 6).proj_size(4)), seq)
  RECURRENT("GRU", nn::GRU(8, 6), seq)
  RECURRENT("RNNCell", nn::RNNCell(8, 6), row)
  RECURRENT("LSTMCell", nn::LSTMCell(8, 6), row)
  RECURRENT("GRUCell", nn::GRUCell(8, 6), row)

  auto wide = torch::rand({5, 3, 8}).set_requires_grad(true);
#undef RECURRENT
  {
    auto M = probe::run("MultiheadAttention.construct", [] { return nn::MultiheadAttention(8, 2); });
    {
      auto Y = probe::run("MultiheadAttention.forward", [&] { return M->forward(wide, wide, wide); });
      probe::run("MultiheadAttention.forward.die", [&] { { auto Z = std::move(Y); } return 0; });
    }
  }
  MODULE("TransformerEncoderLayer", nn::TransformerEncoderLayer(nn::TransformerEncoderLayerOptions(8, 2).dim_feedforward(16)), wide)
  MODULE("TransformerDecoderLayer", nn::TransformerDecoderLayer(nn::TransformerDecoderLayerOptions(8, 2).dim_feedforward(16)), wide, wide)
  MODULE("TransformerEncoder", nn::TransformerEncoder(nn::TransformerEncoderLayer(nn::TransformerEncoderLayerOptions(8, 2).dim_feedforward(16)), 2), wide)
  MODULE("Transformer", nn::Transformer(nn::TransformerOptions(8, 2, 2, 2).dim_feedforward(16)), wide, wide)

  auto y = torch::rand({4, 8});
  auto labels = torch::randint(8, {4}, torch::kLong);
  auto signs = torch::ones({4});
  MODULE("MSELoss", nn::MSELoss(), x, y)
  MODULE("L1Loss", nn::L1Loss(), x, y)
  MODULE("SmoothL1Loss", nn::SmoothL1Loss(), x, y)
  MODULE("HuberLoss", nn::HuberLoss(), x, y)
  MODULE("KLDivLoss", nn::KLDivLoss(), x, y)
  MODULE("BCELoss", nn::BCELoss(), x, y)
  MODULE("BCEWithLogitsLoss", nn::BCEWithLogitsLoss(), x, y)
  MODULE("CrossEntropyLoss", nn::CrossEntropyLoss(), x, labels)
  MODULE("NLLLoss", nn::NLLLoss(), x, labels)
  MODULE("SoftMarginLoss", nn::SoftMarginLoss(), x, y)
  MODULE("HingeEmbeddingLoss", nn::HingeEmbeddingLoss(), x, y)
  MODULE("PoissonNLLLoss", nn::PoissonNLLLoss(), x, y)
  MODULE("MultiMarginLoss", nn::MultiMarginLoss(), x, labels)
  MODULE("MultiLabelSoftMarginLoss", nn::MultiLabelSoftMarginLoss(), x, y)
  MODULE("CosineEmbeddingLoss", nn::CosineEmbeddingLoss(), x, y, signs)
  MODULE("TripletMarginLoss", nn::TripletMarginLoss(), x, y, y)
  MODULE("MarginRankingLoss", nn::MarginRankingLoss(), x, y, signs.unsqueeze(1))
  MODULE("CTCLoss", nn::CTCLoss(), torch::log_softmax(torch::rand({6, 2, 5}).set_requires_grad(true), 2), torch::randint(1, 5, {2, 3}, torch::kLong), torch::tensor({6, 6}), torch::tensor({3, 3}))

  // Containers: Sequential copies nothing; clone and to() do.
  {
    auto S = probe::run("Sequential.construct", [] { return nn::Sequential(nn::Linear(8, 4), nn::ReLU(), nn::Linear(4, 2)); });
    probe::run("Sequential.to.same", [&] { S->to(torch::kCPU); return 0; });
    probe::run("Sequential.to.double", [&] { S->to(torch::kDouble); return 0; });
    probe::run("Sequential.clone", [&] { S->clone(); return 0; });
    probe::run("Sequential.zero_grad.none", [&] { S->zero_grad(); return 0; });
  }
  {
    auto L = nn::Linear(8, 4);
    L->forward(x).sum().backward();
    probe::run("Linear.to.double.grad", [&] { L->to(torch::kDouble); return 0; });
    probe::run("Linear.zero_grad", [&] { L->zero_grad(); return 0; });
  }
  // Initialisers on an existing weight.
  {
    NoGradGuard Guard;
    auto W = torch::rand({6, 4, 3, 3});
    auto V = torch::rand({6, 8});
    probe::run("init.kaiming_uniform_", [&] { nn::init::kaiming_uniform_(W); return 0; });
    probe::run("init.kaiming_normal_", [&] { nn::init::kaiming_normal_(W); return 0; });
    probe::run("init.xavier_uniform_", [&] { nn::init::xavier_uniform_(W); return 0; });
    probe::run("init.xavier_normal_", [&] { nn::init::xavier_normal_(W); return 0; });
    probe::run("init.normal_", [&] { nn::init::normal_(W); return 0; });
    probe::run("init.uniform_", [&] { nn::init::uniform_(W); return 0; });
    probe::run("init.constant_", [&] { nn::init::constant_(W, 1); return 0; });
    probe::run("init.zeros_", [&] { nn::init::zeros_(W); return 0; });
    probe::run("init.ones_", [&] { nn::init::ones_(W); return 0; });
    probe::run("init.orthogonal_", [&] { try { nn::init::orthogonal_(V); } catch (...) {} return 0; });
    probe::run("init.eye_", [&] { nn::init::eye_(V); return 0; });
    probe::run("init.sparse_", [&] { nn::init::sparse_(V, 0.1); return 0; });
    probe::run("init.dirac_", [&] { nn::init::dirac_(W); return 0; });
  }
}
