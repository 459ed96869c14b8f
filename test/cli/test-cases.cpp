// A file without main whose macros make test cases: each is run. What a test case is
// refused may be what it is about, so that it is no finding.
// REQUIRES: libtorch, vramlint
//
// RUN: %vramlint summary --format json %s > %t.json
// RUN: FileCheck --input-file=%t.json %s
//
// CHECK: "findings": []
// CHECK: "class": "Scaled",
// CHECK: "kind": "exact",
// CHECK: "value": 28
// CHECK: "class": "Head",
// CHECK: "kind": "exact",
// CHECK: "value": 10
// CHECK: "class": "Body",
// CHECK: "kind": "exact",
// CHECK: "value": 90
#include <torch/torch.h>

namespace testing {
class Test {
public:
  virtual ~Test();
  virtual void SetUp();
  virtual void TearDown();
};
} // namespace testing

struct ScaledImpl : torch::nn::Module {
  ScaledImpl(int In, int Out) : Fc(In, Out) { register_module("fc", Fc); }
  torch::Tensor forward(torch::Tensor X) { return Fc(X); }
  torch::nn::Linear Fc;
};
TORCH_MODULE(Scaled);

struct HeadImpl : torch::nn::Module {
  HeadImpl(int Out) : Fc(4, Out) { register_module("fc", Fc); }
  torch::nn::Linear Fc;
};
TORCH_MODULE(Head);

struct BodyImpl : torch::nn::Module {
  BodyImpl(int Out) : Fc(8, Out) { register_module("fc", Fc); }
  torch::nn::Linear Fc;
};
TORCH_MODULE(Body);

// What TEST_F(Fixture, Runs) of GoogleTest becomes.
class Fixture : public testing::Test {
protected:
  void SetUp() override { Width = 6; }
  int Width = 0;
};
class Fixture_Runs_Test : public Fixture {
  void TestBody();
};
void Fixture_Runs_Test::TestBody() {
  Scaled Model(Width, 4);
  Model(torch::ones({1, Width + 1})); // Refused: the test expects that.
}

// What a TEST_CASE of doctest becomes, and one of Catch2.
static void DOCTEST_ANON_FUNC_2() { Head Model(2); }
static void CATCH2_INTERNAL_TEST_0() { Body Model(10); }
