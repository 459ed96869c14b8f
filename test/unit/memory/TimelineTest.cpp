//===- test/unit/memory/TimelineTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The timeline's peak and its owners, and the table of lines.

#include "lib/memory/Timeline.h"
#include "lib/memory/LineTable.h"
#include "test/unit/TraceBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace vramlint;

namespace {

TEST(Timeline, FindsThePeakAndItsOwners) {
  TraceBuilder B;
  StorageId W = B.alloc(1000, Category::Parameter, B.at(1), "init", "fc");
  StorageId X = B.alloc(300, Category::Input, B.at(2), "randn");
  StorageId Y = B.alloc(500, Category::Activation, B.at(3, 20), "linear", "fc");
  B.event(EventKind::Save, Y);
  StorageId Z = B.alloc(200, Category::Activation, B.at(3, 21), "relu", "act");
  B.event(EventKind::Unsave, Y);
  B.free(Y);
  B.free(Z);
  B.free(X);
  B.free(W);
  Timeline L = computeTimeline(B.take(), DeviceKind::CUDA);
  EXPECT_EQ(L.Highest.SizeBytes, 2000);
  EXPECT_EQ(L.Highest.EventIndex, 4u);
  EXPECT_TRUE(L.Live.isExact());
  EXPECT_EQ(L.AtEndBytes, 0);
  EXPECT_EQ(L.Highest.of(Holding::Parameters), 1000);
  EXPECT_EQ(L.Highest.of(Holding::KeptForBackward), 500);
  EXPECT_EQ(L.Highest.of(Holding::Activations), 200);
  EXPECT_EQ(L.Highest.of(Holding::Inputs), 300);
  ASSERT_EQ(L.Highest.Alive.size(), 4u);
  EXPECT_EQ(L.Highest.Alive.front().Id, W);
  const Owner &First = L.Highest.ByModule.front();
  EXPECT_EQ(First.Name, "fc");
  EXPECT_EQ(First.SizeBytes, 1500);
  EXPECT_EQ(First.Storages.size(), 2u);
  EXPECT_EQ(L.Highest.ByLine[1].Pos.Line, 20u);
  EXPECT_EQ(L.Highest.ByOp.size(), 4u);
}

/// Temporaries that aren't modelled make the peak an estimate only where they may
/// reach above it.
TEST(Timeline, BoundsWhatIsNotModelled) {
  for (int64_t Scratch : {0, 600, 900}) {
    TraceBuilder B;
    StorageId X = B.alloc(1000, Category::Input);
    B.op("quantile", {X}, [&] { return B.alloc(200); });
    B.T.Ops.back().ScratchBytesMax = Scratch;
    StorageId Y = B.alloc(600); // The peak: 1800, later.
    B.free(Y);
    Timeline L = computeTimeline(B.take(), DeviceKind::CUDA);
    EXPECT_EQ(L.Highest.SizeBytes, 1800);
    bool Above = Scratch == 900;
    EXPECT_EQ(L.Live.isExact(), !Above);
    EXPECT_EQ(L.Live.lower(), 1800);
    EXPECT_EQ(L.Live.expected(), 1800);
    EXPECT_EQ(L.Live.upper(), Above ? 2100 : 1800);
    EXPECT_EQ(L.Live.causes().size(), Above ? 1u : 0u);
  }
}

TEST(Timeline, ReplaysOneDevice) {
  TraceBuilder B;
  B.Device = DeviceKind::CPU;
  B.alloc(5000, Category::Input);
  B.Device = DeviceKind::CUDA;
  B.alloc(700, Category::Input);
  auto T = B.take();
  EXPECT_EQ(computeTimeline(T, DeviceKind::CUDA).Highest.SizeBytes, 700);
  EXPECT_EQ(computeTimeline(T, DeviceKind::CPU).Highest.SizeBytes, 5000);
}

TEST(Timeline, AnUnknownSizeMakesALowerBound) {
  TraceBuilder B;
  B.alloc(100);
  StorageId U = B.alloc(8);
  B.T.Storages[U].SizeKnown = false;
  B.T.Storages[U].Unknown = "batch";
  Timeline L = computeTimeline(B.take(), DeviceKind::CUDA);
  EXPECT_TRUE(L.Live.isUnknown());
  EXPECT_EQ(L.Live.lower(), 108);
  EXPECT_EQ(L.Live.causes(), std::vector<std::string>{"batch"});
}

TEST(Timeline, AnUnknownSizeOfAnotherDeviceDoesNot) {
  TraceBuilder B;
  B.alloc(100);
  B.Device = DeviceKind::CPU;
  B.T.Storages[B.alloc(8)].SizeKnown = false;
  EXPECT_TRUE(computeTimeline(B.take(), DeviceKind::CUDA).Live.isExact());
}

TEST(Timeline, FollowsCategories) {
  TraceBuilder B;
  StorageId G = B.alloc(40, Category::Temporary);
  B.event(EventKind::Recategorize, G, static_cast<int64_t>(Category::Gradient));
  B.alloc(1);
  Timeline L = computeTimeline(B.take(), DeviceKind::CUDA);
  EXPECT_EQ(L.Highest.of(Holding::Gradients), 40);
}

TEST(Timeline, AGrowingLoopIsNotExact) {
  TraceBuilder B;
  for (int64_t I = 0; I < 2; ++I) {
    B.iteration(7, I);
    B.alloc(10);
  }
  B.event(EventKind::LoopJump, 7, 98);
  B.event(EventKind::LoopEnd, 7);
  Timeline L = computeTimeline(B.take(), DeviceKind::CUDA);
  ASSERT_EQ(L.Growth.size(), 1u);
  EXPECT_EQ(L.Growth[0].BytesPerIteration, 10);
  EXPECT_EQ(L.Growth[0].Skipped, 98);
  EXPECT_TRUE(L.Live.isUnknown());
}

TEST(Timeline, AnEmptyTraceHasNoPeak) {
  Timeline L = computeTimeline(std::make_shared<Trace>(), DeviceKind::CUDA);
  EXPECT_EQ(L.Highest.EventIndex, None);
  EXPECT_TRUE(L.Live.isExact());
  EXPECT_TRUE(computeLineTable(L).Rows.empty());
}

TEST(Timeline, Prints) {
  TraceBuilder B;
  StorageId X = B.alloc(300, Category::Input, B.at(2), "randn");
  B.free(X, B.at(4));
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  printTimeline(computeTimeline(B.take(), DeviceKind::CUDA), OS);
  EXPECT_EQ(
      Text,
      "timeline of cuda, bytes\n"
      "     0 +300                   300  #0 randn train.cpp:2:3 <- peak\n"
      "     1 -300                     0  #0 randn train.cpp:4:3\n"
      "peak 300 at train.cpp:2:3\n"
      "  inputs 300\n"
      "at end 0\n");
}

/// The training loop of twelve lines whose figures were measured on LibTorch
/// 1.13.1 (CPU): Linear(784, 256), ReLU, Linear(256, 10), Adam, batch 64.
class TwelveLines {
public:
  static constexpr int64_t W1 = 802816, B1 = 1024, W2 = 10240, B2 = 40;
  static constexpr int64_t Sizes[] = {W1, B1, W2, B2};

  std::shared_ptr<const Trace> build() {
    B.Device = DeviceKind::CPU;
    for (int64_t Size : Sizes)
      B.alloc(Size, Category::Parameter, B.at(6));
    B.endStatement(6);
    B.endStatement(7);
    for (int64_t I = 0; I < 2; ++I) {
      B.iteration(0, I);
      iterate(I == 0);
    }
    B.event(EventKind::LoopJump, 0, 98);
    B.event(EventKind::LoopEnd, 0);
    return B.take();
  }

private:
  StorageId act(int64_t Size, unsigned Line) {
    return B.alloc(Size, Category::Activation, B.at(Line));
  }
  StorageId saved(int64_t Size, unsigned Line) {
    StorageId Id = act(Size, Line);
    B.event(EventKind::Save, Id);
    return Id;
  }

  void iterate(bool First) {
    StorageId X = B.alloc(200704, Category::Input, B.at(9));
    B.endStatement(9);
    StorageId Y = B.alloc(512, Category::Input, B.at(10));
    B.endStatement(10);
    StorageId L1 = act(65536, 11);
    StorageId Relu = saved(65536, 11);
    B.free(L1, B.at(11));
    StorageId Out = act(2560, 11);
    B.endStatement(11);
    StorageId LogSoftmax = saved(2560, 12);
    StorageId Total = saved(4, 12);
    StorageId Loss = act(4, 12);
    B.endStatement(12);
    B.endStatement(13);
    backward(First, Relu, LogSoftmax, Total);
    step(First);
    B.endStatement(16);
    for (StorageId Id : {Loss, Out, Y, X})
      B.free(Id, B.at(17));
  }

  /// A leaf's gradient: taken over the first time, else added and freed.
  void accumulate(StorageId G, bool First) {
    if (First)
      B.event(EventKind::Recategorize, G,
              static_cast<int64_t>(Category::Gradient));
    else
      B.free(G, B.at(14));
  }

  void backward(bool First, StorageId Relu, StorageId LogSoftmax,
                StorageId Total) {
    StackId S = B.at(14);
    auto Temp = [&](int64_t Size) {
      return B.alloc(Size, Category::Temporary, S);
    };
    B.phase(Phase::Backward, true, S);
    StorageId Seed = Temp(4), Nll = Temp(2560);
    B.free(Seed, S);
    B.free(Total, S);
    StorageId Lsm = Temp(2560);
    B.free(Nll, S);
    B.free(LogSoftmax, S);
    StorageId G2 = Temp(W2), GIn = Temp(65536), Gb2 = Temp(B2);
    B.free(Lsm, S);
    accumulate(G2, First);
    accumulate(Gb2, First);
    StorageId GRelu = Temp(65536);
    B.free(GIn, S);
    B.free(Relu, S);
    StorageId G1 = Temp(W1), Gb1 = Temp(B1);
    B.free(GRelu, S);
    accumulate(G1, First);
    accumulate(Gb1, First);
    B.phase(Phase::Backward, false, S);
    B.endStatement(14);
  }

  void step(bool First) {
    StackId S = B.at(15);
    B.phase(Phase::OptimizerStep, true, S);
    for (int64_t Size : Sizes) {
      if (First)
        for (int I = 0; I < 2; ++I)
          B.alloc(Size, Category::OptimizerState, S);
      StorageId A = B.alloc(Size, Category::Temporary, S);
      StorageId C = B.alloc(Size, Category::Temporary, S);
      B.free(C, S);
      B.free(A, S);
    }
    B.phase(Phase::OptimizerStep, false, S);
    B.endStatement(15);
  }

  TraceBuilder B;
};

TEST(LineTable, TheTrainingLoopOfTwelveLines) {
  Timeline L = computeTimeline(TwelveLines().build(), DeviceKind::CPU);
  // LibTorch: 5,065,904; three scalars of the step are left out here.
  EXPECT_EQ(L.Highest.SizeBytes, 5065904 - 12);
  EXPECT_EQ(L.Highest.In, Phase::OptimizerStep);
  EXPECT_EQ(L.Highest.Iteration, 2u);
  EXPECT_EQ(L.Highest.of(Holding::Parameters), 814120);
  EXPECT_EQ(L.Highest.of(Holding::Gradients), 814120);
  EXPECT_EQ(L.Highest.of(Holding::OptimizerState), 2 * 814120);
  EXPECT_EQ(L.Highest.of(Holding::Temporaries), 2 * 802816);

  LineTable Table = computeLineTable(L);
  EXPECT_TRUE(Table.HasSteadyLoop);
  EXPECT_EQ(Table.SteadyIteration, 2u);
  auto Kibibytes = [](int64_t N) { return (N * 10 + 512) / 1024 / 10.0; };
  struct Expected {
    unsigned Line;
    double Allocated, Freed, Alive, Peak;
  };
  for (const Expected &E :
       std::initializer_list<Expected>{{6, 795.0, 0, 795.0, 795.0},
                                       {7, 0, 0, 795.0, 795.0},
                                       {9, 196.0, 0, 3376.2, 3376.2},
                                       {10, 0.5, 0, 3376.7, 3376.7},
                                       {11, 130.5, 64.0, 3443.2, 3504.7},
                                       {12, 2.5, 0, 3445.7, 3445.7},
                                       {13, 0, 0, 3445.7, 3445.7},
                                       {14, 928.0, 994.5, 3379.2, 4228.2},
                                       {15, 1590.1, 1590.1, 3379.2, 4947.2},
                                       {16, 0, 0, 3379.2, 3379.2},
                                       {17, 0, 199.0, 3180.2, 3379.2}}) {
    const LineRow *R = Table.find("train.cpp", E.Line);
    ASSERT_TRUE(R) << E.Line;
    EXPECT_EQ(Kibibytes(R->Use.AllocatedBytes), E.Allocated) << E.Line;
    EXPECT_EQ(Kibibytes(R->Use.FreedBytes), E.Freed) << E.Line;
    EXPECT_NEAR(Kibibytes(R->Use.AliveAfterBytes), E.Alive, 0.11) << E.Line;
    EXPECT_NEAR(Kibibytes(R->Use.PeakBytes), E.Peak, 0.11) << E.Line;
    EXPECT_EQ(R->InLoop, E.Line > 8) << E.Line;
    EXPECT_EQ(R->First.has_value(), E.Line == 14 || E.Line == 15) << E.Line;
    EXPECT_EQ(R->HoldsPeak, E.Line == 15) << E.Line;
  }
  EXPECT_EQ(Table.Rows.size(), 11u);
  EXPECT_EQ(Table.find("train.cpp", 15)->First->AllocatedBytes -
                Table.find("train.cpp", 15)->Use.AllocatedBytes,
            2 * 814120);
}

TEST(LineTable, ACalleesEventsCountForTheCaller) {
  TraceBuilder B;
  B.alloc(100, Category::Activation, B.at(5, 20));
  StorageId Y = B.alloc(30, Category::Activation, B.at(5, 21));
  B.free(Y, B.at(5, 21));
  B.endStatement(5);
  LineTable Table =
      computeLineTable(computeTimeline(B.take(), DeviceKind::CUDA));
  EXPECT_EQ(Table.find("train.cpp", 5)->Use, (LineUse{130, 30, 100, 130}));
  EXPECT_EQ(Table.find("net.h", 20)->Use, (LineUse{100, 0, 100, 100}));
  EXPECT_EQ(Table.find("net.h", 21)->Use, (LineUse{30, 30, 100, 130}));
  EXPECT_TRUE(Table.find("net.h", 21)->InnermostPeak);
  EXPECT_TRUE(Table.find("train.cpp", 5)->HoldsPeak);
  EXPECT_FALSE(Table.find("train.cpp", 5)->InnermostPeak);
  EXPECT_EQ(Table.of("net.h").size(), 2u);
}

TEST(LineTable, AConstructorsLoopAddsUp) {
  TraceBuilder B;
  for (int64_t I = 0; I < 3; ++I) {
    B.iteration(1, I);
    B.alloc(100 * (I + 1), Category::Parameter, B.at(8));
    B.endStatement(8);
  }
  B.event(EventKind::LoopEnd, 1);
  LineTable Table =
      computeLineTable(computeTimeline(B.take(), DeviceKind::CUDA));
  EXPECT_EQ(Table.find("train.cpp", 8)->Use, (LineUse{600, 0, 600, 600}));
  EXPECT_FALSE(Table.find("train.cpp", 8)->InLoop);
}

TEST(LineTable, TwoTrainingIterationsShowTheSecond) {
  TraceBuilder B;
  for (int64_t I = 0; I < 2; ++I) {
    B.iteration(1, I);
    StorageId X = B.alloc(100, Category::Input, B.at(8));
    if (I == 0)
      B.alloc(1000, Category::OptimizerState, B.at(9));
    B.free(X, B.at(10));
  }
  B.event(EventKind::LoopEnd, 1);
  LineTable Table =
      computeLineTable(computeTimeline(B.take(), DeviceKind::CUDA));
  EXPECT_EQ(Table.find("train.cpp", 8)->Use, (LineUse{100, 0, 1100, 1100}));
  EXPECT_EQ(Table.find("train.cpp", 8)->Iteration, 2u);
  // Only the first iteration runs it: that is what is shown.
  EXPECT_EQ(Table.find("train.cpp", 9)->Use.AllocatedBytes, 1000);
  EXPECT_EQ(Table.find("train.cpp", 9)->Iteration, 1u);
}

TEST(LineTable, NestedLoopsAndALastPartialBatch) {
  TraceBuilder B;
  for (int64_t Epoch = 0; Epoch < 2; ++Epoch) {
    B.iteration(1, Epoch);
    for (int64_t I : {0, 1, 9}) {
      B.iteration(2, I);
      StorageId X = B.alloc(I == 9 ? 40 : 100, Category::Input, B.at(8));
      B.free(X, B.at(9));
      if (I == 1)
        B.event(EventKind::LoopJump, 2, 7);
    }
    B.event(EventKind::LoopEnd, 2);
  }
  B.event(EventKind::LoopJump, 1, 98);
  B.event(EventKind::LoopEnd, 1);
  LineTable Table =
      computeLineTable(computeTimeline(B.take(), DeviceKind::CUDA));
  const LineRow *R = Table.find("train.cpp", 8);
  EXPECT_EQ(R->Use, (LineUse{100, 0, 100, 100}));
  EXPECT_EQ(R->Iteration, 1u); // All full batches are alike.
  EXPECT_FALSE(R->First);
}

TEST(LineTable, ARecursiveLineCountsOnce) {
  TraceBuilder B;
  B.T.Stacks.push_back({{{"a.cpp", 3, 1}, "f"}, {{"a.cpp", 3, 1}, "f"}});
  B.alloc(10, Category::Activation, B.T.Stacks.size() - 1);
  LineTable Table =
      computeLineTable(computeTimeline(B.take(), DeviceKind::CUDA));
  EXPECT_EQ(Table.find("a.cpp", 3)->Use.AllocatedBytes, 10);
}

} // namespace
