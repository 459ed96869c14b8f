//===- test/unit/modules/OptimTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Every optimizer, event by event, against test/oracle/probes/optim.cpp.

#include "Probe.h"
#include "lib/torch/Optim.h"

namespace vramlint {
namespace {

struct Case {
  const char *Name, *Class;
  OptionMap Options;
};

const std::vector<Case> &cases() {
  static const std::vector<Case> All = {
      {"SGD", "SGD", {}},
      {"SGD.momentum", "SGD", {{"momentum", Arg(0.5)}}},
      {"SGD.decay", "SGD", {{"weight_decay", Arg(0.5)}}},
      {"SGD.momentum.decay", "SGD", {{"momentum", Arg(0.5)}, {"weight_decay", Arg(0.1)}}},
      {"SGD.nesterov", "SGD", {{"momentum", Arg(0.5)}, {"nesterov", Arg(true)}}},
      {"SGD.nesterov.decay", "SGD", {{"momentum", Arg(0.5)}, {"nesterov", Arg(true)}, {"weight_decay", Arg(0.1)}}},
      {"Adam", "Adam", {}},
      {"Adam.decay", "Adam", {{"weight_decay", Arg(0.1)}}},
      {"Adam.amsgrad", "Adam", {{"amsgrad", Arg(true)}}},
      {"AdamW", "AdamW", {}},
      {"AdamW.nodecay", "AdamW", {{"weight_decay", Arg(0.0)}}},
      {"AdamW.amsgrad", "AdamW", {{"amsgrad", Arg(true)}}},
      {"RMSprop", "RMSprop", {}},
      {"RMSprop.decay", "RMSprop", {{"weight_decay", Arg(0.1)}}},
      {"RMSprop.momentum", "RMSprop", {{"momentum", Arg(0.5)}}},
      {"RMSprop.centered", "RMSprop", {{"centered", Arg(true)}}},
      {"RMSprop.centered.momentum", "RMSprop", {{"centered", Arg(true)}, {"momentum", Arg(0.5)}}},
      {"Adagrad", "Adagrad", {}},
      {"Adagrad.decay", "Adagrad", {{"weight_decay", Arg(0.1)}}},
  };
  return All;
}

class OptimTest : public testing::TestWithParam<size_t> {};

TEST_P(OptimTest, AllocatesWhatLibTorchDoes) {
  const Case &C = cases()[GetParam()];
  Bench B;
  std::vector<TensorRef> P{B.tensor({6, 4}), B.tensor({5})};
  auto Expect = [&](const std::string &What) {
    auto Want = recorded("optim", std::string(C.Name) + What);
    ASSERT_TRUE(Want.has_value()) << C.Name << What;
    EXPECT_EQ(print(B.events()), print(*Want)) << C.Name << What;
  };
  B.start();
  std::shared_ptr<Optimizer> O = makeOptimizer(B.R, C.Class, P, C.Options);
  ASSERT_TRUE(O);
  Expect(".construct");
  for (const char *Step : {".step1", ".step2", ".step3"}) {
    for (TensorRef &T : P)
      T->Grad = B.R.make(T->Sizes, T->Type, T->Dev, Category::Gradient, "rand");
    B.start();
    O->step(B.R);
    Expect(Step);
  }
  B.start();
  O->zeroGrad(B.R, std::nullopt);
  Expect(".zero_grad");
}

INSTANTIATE_TEST_SUITE_P(All, OptimTest, testing::Range<size_t>(0, cases().size()),
                         [](const testing::TestParamInfo<size_t> &I) {
                           std::string Name = cases()[I.param].Name;
                           for (char &C : Name)
                             C = C == '.' ? '_' : C;
                           return Name;
                         });

TEST(OptimTest, ParametersWithoutGradientStay) {
  Bench B;
  auto O = makeOptimizer(B.R, "Adam", {B.tensor({6, 4}), nullptr}, {});
  B.start();
  O->step(B.R);
  EXPECT_TRUE(B.events().empty());
}

TEST(OptimTest, UnknownOptionIsNotedOnce) {
  Bench B;
  auto P = B.tensor({6, 4});
  auto O = makeOptimizer(B.R, "SGD", {P}, {{"momentum", Arg(Arg::UnknownArg{"read from a file"})}});
  P->Grad = B.tensor({6, 4}, false);
  O->step(B.R);
  O->step(B.R);
  ASSERT_EQ(B.Out.Unknowns.size(), 1u);
  EXPECT_EQ(B.Out.Unknowns[0].What, "SGD's momentum");
}

TEST(OptimTest, ZeroGradDropsGradientsFromLibTorch2On) {
  Trace Out;
  TargetConfig C;
  C.Target = DeviceKind::CPU;
  C.TorchMajor = 2;
  C.TorchMinor = 6;
  Runtime R(C, Out);
  Shape S;
  S.Dims = {Dim(4)};
  TensorRef P = R.make(S, DType::Float32, Device{}, Category::Parameter, "rand");
  P->Grad = R.make(S, DType::Float32, Device{}, Category::Gradient, "rand");
  auto O = makeOptimizer(R, "SGD", {P}, {});
  O->zeroGrad(R, false);
  EXPECT_TRUE(P->Grad);
  O->zeroGrad(R, std::nullopt);
  EXPECT_FALSE(P->Grad);
}

TEST(OptimTest, LbfgsRunsTheClosureMaxIterTimes) {
  Bench B;
  auto P = B.tensor({6, 4});
  auto O = makeOptimizer(B.R, "LBFGS", {P}, {{"max_iter", Arg(int64_t(3))}, {"history_size", Arg(int64_t(2))}});
  int Calls = 0;
  O->step(B.R, [&] { ++Calls; });
  EXPECT_EQ(Calls, 3);
  int64_t After = B.R.liveBytes(DeviceKind::CPU);
  O->step(B.R, [&] { ++Calls; });
  O->step(B.R, [&] { ++Calls; });
  EXPECT_EQ(B.R.liveBytes(DeviceKind::CPU), After); // The history is full.
}

} // namespace
} // namespace vramlint
