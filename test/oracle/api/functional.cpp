//===- test/oracle/api/functional.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// torch::nn::functional, each function once or twice; torch::fft, torch::linalg,
// torch::special, torch::nn::init and torch::nn::utils as they are called in C++.

#include "show.h"

namespace F = torch::nn::functional;
using torch::Tensor;

static void activations(Tensor x, Tensor s2) {
  SHOW(F::celu(x, F::CELUFuncOptions().alpha(0.5)));
  SHOW(F::elu(x, F::ELUFuncOptions().alpha(0.5)));
  SHOW(F::gelu(x));
  SHOW(F::glu(x, F::GLUFuncOptions(1)));
  SHOW(F::hardshrink(x, F::HardshrinkFuncOptions().lambda(0.4)));
  SHOW(F::hardtanh(x, F::HardtanhFuncOptions().min_val(-0.5).max_val(0.5)));
  SHOW(F::leaky_relu(x, F::LeakyReLUFuncOptions().negative_slope(0.1)));
  SHOW(F::logsigmoid(x));
  SHOW(F::gumbel_softmax(x, F::GumbelSoftmaxFuncOptions().hard(false).dim(-1)));
  SHOW(F::softmax(x, F::SoftmaxFuncOptions(1)));
  SHOW(F::softmin(x, F::SoftminFuncOptions(1)));
  SHOW(F::log_softmax(x, F::LogSoftmaxFuncOptions(1)));
  SHOW(F::mish(x));
  SHOW(F::prelu(x, torch::rand({1})));
  SHOW(F::relu(x));
  SHOW(F::relu6(x));
  SHOW(F::rrelu(x, F::RReLUFuncOptions().training(false)));
  SHOW(F::selu(x));
  SHOW(F::silu(x));
  SHOW(F::softplus(x));
  SHOW(F::softshrink(x));
  SHOW(F::softsign(x));
  SHOW(F::tanhshrink(x));
  SHOW(F::threshold(x, F::ThresholdFuncOptions(0.5, 0.1)));
  SHOW(F::normalize(x, F::NormalizeFuncOptions().p(1).dim(1)));
  SHOW(F::dropout(x, F::DropoutFuncOptions().p(0.3)));
  SHOW(F::dropout2d(s2, F::Dropout2dFuncOptions().p(0.3)));
  SHOW(F::dropout3d(torch::rand({2, 3, 2, 2, 2})));
  SHOW(F::alpha_dropout(x, F::AlphaDropoutFuncOptions().p(0.3).training(true)));
  SHOW(F::feature_alpha_dropout(s2, F::FeatureAlphaDropoutFuncOptions().p(0.3).training(true)));
}

static void convolutions(Tensor s1, Tensor s2, Tensor s3) {
  SHOW(F::conv1d(s1, torch::rand({6, 4, 3})));
  SHOW(F::conv2d(s2, torch::rand({6, 4, 3, 3}), F::Conv2dFuncOptions().stride(2).padding(1)));
  SHOW(F::conv3d(s3, torch::rand({6, 4, 3, 3, 3})));
  SHOW(F::conv_transpose1d(s1, torch::rand({4, 6, 3})));
  SHOW(F::conv_transpose2d(s2, torch::rand({4, 6, 3, 3}), F::ConvTranspose2dFuncOptions().stride(2)));
  SHOW(F::conv_transpose3d(s3, torch::rand({4, 6, 3, 3, 3})));
  SHOW(F::unfold(s2, F::UnfoldFuncOptions({2, 2}).stride(2)));
  SHOW(F::fold(torch::rand({1, 16, 9}), F::FoldFuncOptions({4, 4}, {2, 2})));
}

static void pooling(Tensor s1, Tensor s2, Tensor s3) {
  SHOW(F::avg_pool1d(s1, F::AvgPool1dFuncOptions(2)));
  SHOW(F::avg_pool2d(s2, F::AvgPool2dFuncOptions(2).stride(1)));
  SHOW(F::avg_pool3d(s3, F::AvgPool3dFuncOptions(2)));
  SHOW(F::max_pool1d(s1, F::MaxPool1dFuncOptions(2)));
  SHOW(F::max_pool2d(s2, F::MaxPool2dFuncOptions(3).stride(2).padding(1)));
  SHOW(F::max_pool3d(s3, F::MaxPool3dFuncOptions(2)));
  SHOW(std::get<1>(F::max_pool1d_with_indices(s1, F::MaxPool1dFuncOptions(2))));
  SHOW(std::get<1>(F::max_pool2d_with_indices(s2, F::MaxPool2dFuncOptions(2))));
  SHOW(std::get<1>(F::max_pool3d_with_indices(s3, F::MaxPool3dFuncOptions(2))));
  SHOW(F::adaptive_avg_pool1d(s1, F::AdaptiveAvgPool1dFuncOptions(3)));
  SHOW(F::adaptive_avg_pool2d(s2, F::AdaptiveAvgPool2dFuncOptions({3, 2})));
  SHOW(F::adaptive_avg_pool3d(s3, F::AdaptiveAvgPool3dFuncOptions(2)));
  SHOW(F::adaptive_max_pool1d(s1, F::AdaptiveMaxPool1dFuncOptions(3)));
  SHOW(F::adaptive_max_pool2d(s2, F::AdaptiveMaxPool2dFuncOptions({3, 2})));
  SHOW(F::adaptive_max_pool3d(s3, F::AdaptiveMaxPool3dFuncOptions(2)));
  SHOW(std::get<1>(F::adaptive_max_pool2d_with_indices(s2, F::AdaptiveMaxPool2dFuncOptions(3))));
  SHOW(std::get<1>(F::adaptive_max_pool3d_with_indices(s3, F::AdaptiveMaxPool3dFuncOptions(2))));
  SHOW(F::fractional_max_pool2d(s2, F::FractionalMaxPool2dFuncOptions(2).output_size(3)));
  SHOW(F::fractional_max_pool3d(s3, F::FractionalMaxPool3dFuncOptions(2).output_size(2)));
  SHOW(std::get<1>(F::fractional_max_pool2d_with_indices(s2, F::FractionalMaxPool2dFuncOptions(2).output_size(3))));
  SHOW(std::get<1>(F::fractional_max_pool3d_with_indices(s3, F::FractionalMaxPool3dFuncOptions(2).output_size(2))));
  SHOW(F::lp_pool1d(s1, F::LPPool1dFuncOptions(2, 2)));
  SHOW(F::lp_pool2d(s2, F::LPPool2dFuncOptions(2, 2)));
  auto i1 = torch::arange(8, torch::kLong).reshape({1, 1, 8});
  SHOW(F::max_unpool1d(torch::rand({1, 1, 8}), i1, F::MaxUnpool1dFuncOptions(2)));
  SHOW(F::max_unpool2d(torch::rand({1, 1, 2, 4}), i1.reshape({1, 1, 2, 4}), F::MaxUnpool2dFuncOptions(2)));
  SHOW(F::max_unpool3d(torch::rand({1, 1, 2, 2, 2}), i1.reshape({1, 1, 2, 2, 2}), F::MaxUnpool3dFuncOptions(2)));
}

static void norms(Tensor s2, Tensor x) {
  SHOW(F::batch_norm(s2, torch::zeros(4), torch::ones(4), F::BatchNormFuncOptions().training(true)));
  SHOW(F::instance_norm(s2));
  SHOW(F::layer_norm(x, F::LayerNormFuncOptions({8})));
  SHOW(F::group_norm(s2, F::GroupNormFuncOptions(2)));
  SHOW(F::local_response_norm(s2, F::LocalResponseNormFuncOptions(2)));
  SHOW(F::pad(s2, F::PadFuncOptions({1, 2, 0, 1}).value(0.5)));
  SHOW(F::pad(s2, F::PadFuncOptions({1, 1, 2, 2}).mode(torch::kReflect)));
  SHOW(F::pad(s2, F::PadFuncOptions({1, 1, 2, 2}).mode(torch::kReplicate)));
  SHOW(F::pad(s2, F::PadFuncOptions({1, 1, 2, 2}).mode(torch::kCircular)));
  SHOW(F::interpolate(s2, F::InterpolateFuncOptions().size(std::vector<int64_t>({5, 6})).mode(torch::kNearest)));
  SHOW(F::interpolate(s2, F::InterpolateFuncOptions().scale_factor(std::vector<double>({2, 2})).mode(torch::kBilinear).align_corners(false)));
  SHOW(F::grid_sample(s2, torch::rand({2, 5, 6, 2}), F::GridSampleFuncOptions().mode(torch::kBilinear).align_corners(false)));
  SHOW(F::affine_grid(torch::rand({2, 2, 3}), {2, 4, 5, 6}));
  SHOW(F::pixel_shuffle(s2, F::PixelShuffleFuncOptions(2)));
  SHOW(F::pixel_unshuffle(s2, F::PixelUnshuffleFuncOptions(2)));
}

static void lookups(Tensor x) {
  auto index = torch::tensor({0, 1, 2, 3, 4, 5});
  SHOW(F::linear(x, torch::rand({5, 8}), torch::rand({5})));
  SHOW(F::bilinear(x, x, torch::rand({5, 8, 8})));
  SHOW(F::embedding(index, torch::rand({10, 6})));
  SHOW(F::embedding_bag(index, torch::rand({10, 6}), F::EmbeddingBagFuncOptions().mode(torch::kSum).offsets(torch::tensor({0, 3}))));
  SHOW(F::one_hot(index, 7));
  SHOW(F::cosine_similarity(x, x, F::CosineSimilarityFuncOptions().dim(1)));
  SHOW(F::pairwise_distance(x, x, F::PairwiseDistanceFuncOptions().p(1)));
  SHOW(F::pdist(x));
  auto seq = torch::rand({5, 3, 8});
  auto out = F::multi_head_attention_forward(seq, seq, seq, F::MultiheadAttentionForwardFuncOptions(8, 2, torch::rand({24, 8}), torch::rand({24}), {}, {}, false, 0.0, torch::rand({8, 8}), torch::rand({8})));
  SHOW(std::get<0>(out));
  SHOW(std::get<1>(out));
}

static void losses(Tensor x, Tensor y) {
  auto labels = torch::tensor({0, 1, 2, 3});
  SHOW(F::binary_cross_entropy(torch::sigmoid(x), torch::ones({4, 8})));
  SHOW(F::binary_cross_entropy_with_logits(x, torch::ones({4, 8})));
  SHOW(F::binary_cross_entropy_with_logits(x, torch::ones({4, 8}), F::BinaryCrossEntropyWithLogitsFuncOptions().pos_weight(torch::ones({8})).reduction(torch::kNone)));
  SHOW(F::cross_entropy(x, labels));
  SHOW(F::cross_entropy(x, labels, F::CrossEntropyFuncOptions().label_smoothing(0.1)));
  SHOW(F::cross_entropy(x, labels, F::CrossEntropyFuncOptions().reduction(torch::kNone)));
  SHOW(F::cosine_embedding_loss(x, y, torch::ones({4})));
  SHOW(F::ctc_loss(torch::log_softmax(torch::rand({6, 2, 5}), 2), torch::ones({2, 3}, torch::kLong), torch::tensor({6, 6}), torch::tensor({3, 3})));
  SHOW(F::hinge_embedding_loss(x, torch::ones({4, 8})));
  SHOW(F::huber_loss(x, y));
  SHOW(F::kl_div(x, y, F::KLDivFuncOptions().reduction(torch::kSum)));
  SHOW(F::l1_loss(x, y, F::L1LossFuncOptions(torch::kNone)));
  SHOW(F::margin_ranking_loss(x, y, torch::ones({4, 8})));
  SHOW(F::mse_loss(x, y, F::MSELossFuncOptions(torch::kNone)));
  SHOW(F::mse_loss(x, y));
  SHOW(F::multi_margin_loss(x, labels));
  SHOW(F::multilabel_margin_loss(x, torch::zeros({4, 8}, torch::kLong)));
  SHOW(F::multilabel_soft_margin_loss(x, torch::ones({4, 8})));
  SHOW(F::nll_loss(x, labels, F::NLLLossFuncOptions().reduction(torch::kNone)));
  SHOW(F::poisson_nll_loss(x, y));
  SHOW(F::smooth_l1_loss(x, y));
  SHOW(F::soft_margin_loss(x, torch::ones({4, 8})));
  SHOW(F::triplet_margin_loss(x, y, y, F::TripletMarginLossFuncOptions().margin(0.5)));
  SHOW(F::triplet_margin_with_distance_loss(x, y, y));
}

static void spaces(Tensor x) {
  SHOW(torch::fft::fft(x));
  SHOW(torch::fft::rfft(x, 6));
  SHOW(torch::fft::irfft(torch::fft::rfft(x)));
  SHOW(torch::fft::fft2(x));
  SHOW(torch::fft::fftn(x));
  SHOW(torch::fft::fftshift(x));
  SHOW(torch::fft::fftfreq(8));
  SHOW(torch::linalg::norm(x, torch::Scalar(2), torch::IntArrayRef({1}), false, {}));
  SHOW(torch::linalg::vector_norm(x, 2, torch::IntArrayRef({1}), true, {}));
  SHOW(torch::linalg::matrix_norm(x, "fro", {0, 1}, false, {}));
  SHOW(torch::linalg::inv(torch::eye(3)));
  SHOW(torch::linalg::pinv(x));
  SHOW(torch::linalg::det(torch::eye(3)));
  SHOW(std::get<1>(torch::linalg::svd(x, false, {})));
  SHOW(std::get<0>(torch::linalg::qr(x)));
  SHOW(std::get<1>(torch::linalg::eigh(torch::eye(3), "L")));
  SHOW(torch::linalg::cholesky(torch::eye(3)));
  SHOW(torch::linalg::solve(torch::eye(3), torch::rand({3, 2}), true));
  SHOW(torch::linalg::matrix_power(torch::eye(3), 3));
  SHOW(torch::special::expit(x));
  SHOW(torch::special::gammaln(x));
  SHOW(torch::special::logsumexp(x, 1, true));
  SHOW(torch::special::xlogy(x, x));
}

static void utilities() {
  auto w = torch::rand({6, 4});
  SHOW(torch::nn::init::xavier_uniform_(w));
  SHOW(torch::nn::init::xavier_normal_(w, torch::nn::init::calculate_gain(torch::kReLU)));
  SHOW(torch::nn::init::kaiming_uniform_(w, 0, torch::kFanIn, torch::kReLU));
  SHOW(torch::nn::init::kaiming_normal_(w));
  SHOW(torch::nn::init::constant_(w, 1));
  SHOW(torch::nn::init::zeros_(w));
  SHOW(torch::nn::init::ones_(w));
  SHOW(torch::nn::init::normal_(w, 0, 1));
  SHOW(torch::nn::init::uniform_(w));
  SHOW(torch::nn::init::eye_(w));
  SHOW(torch::nn::init::orthogonal_(w));
  SHOW(torch::nn::init::sparse_(w, 0.1));
  auto c = torch::rand({6, 4, 3, 3});
  SHOW(torch::nn::init::dirac_(c));
  torch::nn::Linear layer(4, 3);
  layer->forward(torch::rand({2, 4})).sum().backward();
  torch::nn::utils::clip_grad_norm_(layer->parameters(), 1.0);
  torch::nn::utils::clip_grad_value_(layer->parameters(), 1.0);
  SHOW(layer->weight.grad());
  auto vec = torch::nn::utils::parameters_to_vector(layer->parameters());
  SHOW(vec);
  torch::nn::utils::vector_to_parameters(vec, layer->parameters());
  SHOW(layer->weight);
  std::vector<Tensor> list = {torch::rand({3, 2}), torch::rand({5, 2})};
  SHOW(torch::nn::utils::rnn::pad_sequence(list, true));
  SHOW(torch::nn::utils::rnn::invert_permutation(torch::tensor({2, 0, 1})));
}

int main() {
  auto x = torch::rand({4, 8}).set_requires_grad(true);
  auto s1 = torch::rand({2, 4, 8}), s2 = torch::rand({2, 4, 8, 8});
  auto s3 = torch::rand({2, 4, 4, 4, 4});
  activations(x, s2);
  convolutions(s1, s2, s3);
  pooling(s1, s2, s3);
  norms(s2, x);
  lookups(x);
  losses(x, torch::rand({4, 8}));
  spaces(torch::rand({4, 8}));
  utilities();
}
