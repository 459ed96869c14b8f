//===- test/unit/modules/ModuleTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The registries of modules, and what a call of forward writes down.

#include "Probe.h"
#include "lib/torch/modules/ModuleRow.h"

namespace vramlint {
namespace {

ModuleRef make(Bench &B, llvm::StringRef Class, OptionMap Options = {}) {
  std::string Why;
  ModuleRef M = makeBuiltinModule(B.R, Class, Options, Why);
  EXPECT_TRUE(M) << Why;
  return M;
}

ModuleRef linear(Bench &B, int64_t In, int64_t Out) {
  return make(B, "Linear", {{"in_features", Arg(In)}, {"out_features", Arg(Out)}});
}

TEST(ModuleTest, ParametersInLibTorchsOrder) {
  Bench B;
  ModuleRef Net = std::make_shared<Module>(B.R, "Net");
  ModuleRef Fc1 = linear(B, 4, 3), Fc2 = linear(B, 3, 2);
  Net->registerModule("fc1", Fc1, nullptr);
  Net->registerModule("fc2", Fc2, nullptr);
  Net->registerParameter("scale", B.tensor({7}), true);
  std::vector<std::string> Names;
  for (auto &[Name, T] : Net->parameters(true))
    Names.push_back(Name);
  EXPECT_EQ(Names, (std::vector<std::string>{"scale", "fc1.weight", "fc1.bias",
                                             "fc2.weight", "fc2.bias"}));
  EXPECT_EQ(Net->parameters(false).size(), 1u);
  const ModuleInfo &Info = B.Out.Modules[Net->Id];
  ASSERT_EQ(Info.Children.size(), 2u);
  EXPECT_EQ(Info.Children[1].Name, "fc2");
  EXPECT_TRUE(B.Out.Modules[Fc1->Id].HasParent);
  EXPECT_EQ(B.Out.Modules[Fc1->Id].Options, "Linear(4, 3)");
}

TEST(ModuleTest, ConvTransposesColumnsDifferByVersion) {
  // ConvTranspose2d(4, 6, 3) of 2×4×8×8, as recorded with either LibTorch.
  auto Run = [](unsigned Major, unsigned Minor) {
    Bench B(Major, Minor);
    TensorRef X = B.tensor({2, 4, 8, 8}), W = B.tensor({4, 6, 3, 3}), Bias = B.tensor({6});
    Args A;
    A.add("input", X);
    A.add("weight", W);
    A.add("bias", Bias);
    B.start();
    OpResult Result = B.R.call("conv_transpose2d", A);
    return B.events();
  };
  EXPECT_EQ(print(Run(1, 13)), print({4800, 13824, 400, -400, -13824}));
  EXPECT_EQ(print(Run(2, 6)), print({4800, 27648, -27648}));
}

TEST(ModuleTest, TrainReachesAllChildren) {
  Bench B;
  ModuleRef Net = std::make_shared<Module>(B.R, "Net");
  ModuleRef Drop = make(B, "Dropout");
  Net->registerModule("drop", Drop, nullptr);
  Net->train(false);
  EXPECT_FALSE(Drop->Training);
}

TEST(ModuleTest, ToReplacesStoragesOneByOne) {
  Bench B;
  ModuleRef S = make(B, "Sequential");
  S->registerModule("0", linear(B, 8, 4), nullptr);
  S->registerModule("1", make(B, "ReLU"), nullptr);
  S->registerModule("2", linear(B, 4, 2), nullptr);
  B.start();
  S->to(Device{}, std::nullopt);
  EXPECT_EQ(B.events(), *recorded("modules", "Sequential.to.same"));
  B.start();
  S->to(std::nullopt, DType::Float64);
  EXPECT_EQ(B.events(), *recorded("modules", "Sequential.to.double"));
}

TEST(ModuleTest, CallForwardScopesPathsAndRecordsTheCall) {
  Bench B;
  ModuleRef Net = std::make_shared<Module>(B.R, "Net");
  ModuleRef S = make(B, "Sequential");
  S->registerModule("0", linear(B, 8, 4), nullptr);
  S->registerModule("1", make(B, "ReLU"), nullptr);
  Net->registerModule("body", S, nullptr);
  Net->UserForward = [&](Module &, const Args &A) { return S->callForward(A); };
  Args A;
  A.add("x", B.tensor({2, 8}, false));
  OpResult R = Net->callForward(A);
  ASSERT_EQ(R.Kind, OpResult::Ok) << R.Message;
  ASSERT_EQ(B.Out.Ops.size(), 2u);
  EXPECT_EQ(B.Out.Ops[0].ModulePath, "body.0");
  EXPECT_EQ(B.Out.Ops[1].ModulePath, "body.1");
  EXPECT_TRUE(B.Out.Ops[1].BuiltinModule);
  ASSERT_EQ(B.Out.Forwards.size(), 1u);
  const ForwardCall &F = B.Out.Forwards[0];
  EXPECT_EQ(F.Module, Net->Id);
  EXPECT_EQ(F.EndOp - F.FirstOp, 2u);
  EXPECT_EQ(F.Outputs.size(), 1u);
  EXPECT_TRUE(R.Values.size() == 1);
}

TEST(ModuleTest, WrongChannelsAreAFailure) {
  Bench B;
  ModuleRef M = linear(B, 320, 50);
  Args A;
  A.add("input", B.tensor({64, 400}));
  OpResult R = M->callForward(A);
  EXPECT_EQ(R.Kind, OpResult::Failed);
  EXPECT_NE(R.Message.find("64×400"), std::string::npos) << R.Message;
}

TEST(ModuleTest, UnknownOptionGivesUnknownShape) {
  Bench B;
  ModuleRef M = make(B, "Linear", {{"in_features", Arg(Arg::UnknownArg{"argv[1]"})}, {"out_features", Arg(int64_t(2))}});
  TensorRef W = M->Parameters[0].second;
  EXPECT_EQ(W->Sizes.elements(), -1);
  EXPECT_EQ(W->Sizes.Why, "argv[1]");
}

TEST(ModuleTest, NoSuchModule) {
  Bench B;
  std::string Why;
  EXPECT_FALSE(makeBuiltinModule(B.R, "Conv4d", {}, Why));
  EXPECT_EQ(Why, "no row for the module Conv4d");
}

} // namespace
} // namespace vramlint
