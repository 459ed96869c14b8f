//===- test/oracle/api/modules.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The modules that test/oracle/probes/modules.cpp leaves out, and containers.

#include "show.h"

namespace nn = torch::nn;
using torch::Tensor;

static void padding(Tensor s1, Tensor s3) {
  SHOW(nn::ConstantPad3d(nn::ConstantPad3dOptions(1, 0.5))->forward(s3));
  SHOW(nn::ReflectionPad3d(nn::ReflectionPad3dOptions(1))->forward(s3));
  SHOW(nn::ReplicationPad3d(nn::ReplicationPad3dOptions({1, 1, 0, 2, 1, 0}))->forward(s3));
  SHOW(nn::InstanceNorm3d(4)->forward(s3));
  SHOW(nn::FractionalMaxPool3d(nn::FractionalMaxPool3dOptions(2).output_size(2))->forward(s3));
  auto i1 = torch::arange(8, torch::kLong).reshape({1, 1, 8});
  SHOW(nn::MaxUnpool1d(nn::MaxUnpool1dOptions(2))->forward(torch::rand({1, 1, 8}), i1));
  SHOW(nn::MaxUnpool2d(nn::MaxUnpool2dOptions(2))->forward(torch::rand({1, 1, 2, 4}), i1.reshape({1, 1, 2, 4})));
  SHOW(nn::MaxUnpool3d(nn::MaxUnpool3dOptions(2))->forward(torch::rand({1, 1, 2, 2, 2}), i1.reshape({1, 1, 2, 2, 2})));
}

static void losses(Tensor x, Tensor y) {
  SHOW(nn::MultiLabelMarginLoss()->forward(x, torch::zeros({4, 8}, torch::kLong)));
  SHOW(nn::TripletMarginWithDistanceLoss()->forward(x, y, y));
  nn::AdaptiveLogSoftmaxWithLoss adaptive(nn::AdaptiveLogSoftmaxWithLossOptions(32, 20, {4, 12}));
  SHOW(adaptive->head->weight);
  auto wider = torch::rand({4, 32});
  SHOW(adaptive->log_prob(wider));
  SHOW(adaptive->predict(wider));
  auto out = adaptive->forward(wider, torch::tensor({0, 5, 13, 2}));
  SHOW(out.output);
}

static void bounded(Tensor x, Tensor y, Tensor s2) {
  SHOW(nn::Bilinear(8, 8, 5)->forward(x, x));
  SHOW(nn::LocalResponseNorm(2)->forward(s2));
  SHOW(nn::CrossMapLRN2d(2)->forward(s2));
  SHOW(nn::RReLU()->forward(x));
  SHOW(nn::Softsign()->forward(x));
  SHOW(nn::FractionalMaxPool2d(nn::FractionalMaxPool2dOptions(2).output_size(3))->forward(s2));
  SHOW(nn::Fold(nn::FoldOptions({4, 4}, {2, 2}))->forward(torch::rand({1, 16, 9})));
  SHOW(nn::Unfold(nn::UnfoldOptions({2, 2}))->forward(s2));
  SHOW(nn::PairwiseDistance()->forward(x, y));
  SHOW(nn::EmbeddingBag(10, 6)->forward(torch::zeros({3, 5}, torch::kLong)));
  SHOW(nn::HingeEmbeddingLoss()->forward(x, y));
  SHOW(nn::MultiLabelSoftMarginLoss()->forward(x, y));
  SHOW(nn::CosineEmbeddingLoss()->forward(x, y, torch::ones({4})));
  SHOW(nn::TripletMarginLoss()->forward(x, y, y));
}

static void transformers(Tensor wide) {
  nn::TransformerDecoder decoder(nn::TransformerDecoderOptions(nn::TransformerDecoderLayerOptions(8, 2).dim_feedforward(16), 2));
  SHOW(decoder->forward(wide, wide));
}

struct Twice : nn::Module {
  Tensor forward(Tensor x) { return torch::cat({x, x}, 1); }
};

static void containers(Tensor x) {
  nn::Functional relu(torch::relu);
  SHOW(relu->forward(x));
  nn::Functional leaky(torch::leaky_relu, 0.2);
  SHOW(leaky(x));
  nn::AnyModule any(nn::Linear(8, 3));
  SHOW(any.forward(x));
  nn::Sequential seq(nn::Linear(8, 4), nn::Functional(torch::tanh), nn::Linear(4, 2));
  SHOW(seq->forward(x));
  nn::ModuleList list(nn::Linear(8, 4), nn::Linear(4, 3));
  SHOW(list[1]->as<nn::Linear>()->weight);
  torch::OrderedDict<std::string, std::shared_ptr<nn::Module>> items = {{"a", nn::Linear(8, 5).ptr()}};
  nn::ModuleDict dict(items);
  SHOW(dict["a"]->as<nn::Linear>()->forward(x));
  nn::ParameterList parameters(torch::rand({2, 3}), torch::rand({4}));
  SHOW(parameters[0]);
  nn::ParameterDict named;
  named->insert("w", torch::rand({5}));
  SHOW(named["w"]);
}

int main() {
  auto x = torch::rand({4, 8}).set_requires_grad(true);
  padding(torch::rand({2, 4, 8}), torch::rand({2, 4, 4, 4, 4}));
  losses(x, torch::rand({4, 8}));
  bounded(x, torch::rand({4, 8}), torch::rand({2, 4, 8, 8}));
  transformers(torch::rand({5, 3, 8}));
  containers(x);
}
