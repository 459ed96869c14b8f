//===- test/unit/gpu/FitTest.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Fits, their parts and verdicts; the smallest card; the largest batch.

#include "lib/gpu/Fit.h"
#include "lib/gpu/Calibration.h"
#include "lib/gpu/FitTable.h"
#include "test/unit/TraceBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace vramlint;
using testing::HasSubstr;

namespace {

constexpr int64_t MiB = 1 << 20, GiB = 1 << 30;

const GpuSpec &gpu(llvm::StringRef Name) {
  return **GpuCatalog::builtin().find(Name);
}

std::shared_ptr<const Timeline> timelineOf(TraceBuilder &B) {
  return std::make_shared<Timeline>(
      computeTimeline(B.take(), DeviceKind::CUDA));
}

/// One storage of this size.
std::shared_ptr<const Timeline> block(int64_t Size) {
  TraceBuilder B;
  B.alloc(Size);
  return timelineOf(B);
}

TEST(Fit, PartsOfTheNeed) {
  Fit F = computeFit(*block(100 * MiB), gpu("t4"), {});
  EXPECT_EQ(F.Parts.Live.expected(), 100 * MiB);
  EXPECT_EQ(F.Parts.Reserved.expected(), 100 * MiB);
  EXPECT_TRUE(F.Parts.CublasWorkspace.isExact());
  EXPECT_TRUE(F.Parts.CudnnWorkspace.isExact());
  EXPECT_EQ(F.Need.lower(), 100 * MiB + F.Parts.Context.lower());
  EXPECT_EQ(F.Need.upper(), 105 * MiB + F.Parts.Context.upper());
  EXPECT_EQ(F.Need.certainty(), Certainty::Estimate);
  EXPECT_EQ(F.Is, Verdict::Fits);
  EXPECT_FALSE(F.UsableIsNominal);
}

TEST(Fit, Verdicts) {
  const GpuSpec &T4 = gpu("t4");
  FitOptions Options;
  Options.ContextBytes = 0;
  int64_t Usable = T4.usable().Count / (2 * MiB) * (2 * MiB);
  EXPECT_EQ(computeFit(*block(Usable * 95 / 100), T4, Options).Is,
            Verdict::Fits); // 5 % above it are kept for packing.
  EXPECT_EQ(computeFit(*block(Usable), T4, Options).Is, Verdict::ShouldFit);
  EXPECT_EQ(computeFit(*block(Usable + 2 * MiB), T4, Options).Is,
            Verdict::DoesNotFit);
  Quantity Context = contextBytes(T4, {});
  EXPECT_EQ(computeFit(*block(Usable - Context.expected()), T4, {}).Is,
            Verdict::ShouldFit);
  EXPECT_EQ(computeFit(*block(Usable - Context.lower() - MiB), T4, {}).Is,
            Verdict::MayNotFit);
  Options.ReserveBytes = GiB;
  EXPECT_EQ(computeFit(*block(Usable), T4, Options).Is, Verdict::DoesNotFit);
}

TEST(Fit, UnknownSizesAreJudgedOnlyByWhatIsCertain) {
  for (int64_t Known : {1 * GiB, 20 * GiB}) {
    TraceBuilder B;
    B.alloc(Known);
    B.T.Storages[B.alloc(0)].SizeKnown = false;
    Fit F = computeFit(*timelineOf(B), gpu("t4"), {});
    EXPECT_EQ(F.Is, Known == GiB ? Verdict::NotJudged : Verdict::DoesNotFit);
    EXPECT_TRUE(F.Need.isUnknown());
    EXPECT_GE(F.Need.lower(), Known);
  }
}

TEST(Fit, CacheReleaseMakesRoom) {
  TraceBuilder B;
  StorageId A = B.alloc(9 * GiB);
  B.free(A);
  StorageId C = B.alloc(10 * GiB); // Reserves 19 GiB in all if there is room.
  B.free(C);
  auto L = timelineOf(B);
  Fit F = computeFit(*L, gpu("t4"), {});
  EXPECT_TRUE(F.NeedsCacheRelease);
  EXPECT_EQ(F.Parts.Reserved.expected(), 10 * GiB);
  EXPECT_EQ(F.Is, Verdict::ShouldFit);
  EXPECT_EQ(computeFit(*L, gpu("a100-pcie-40gb"), {}).Parts.Reserved.expected(),
            19 * GiB);
}

TEST(Fit, Workspaces) {
  EXPECT_EQ(cublasWorkspaceBytes(gpu("t4")), 8519680);
  EXPECT_EQ(cublasWorkspaceBytes(gpu("nvidia-h100-pcie")), 32 * MiB);
  TraceBuilder B;
  StorageId X = B.alloc(64 * MiB, Category::Input);
  StorageId W = B.alloc(4 * MiB, Category::Parameter);
  B.op("conv2d", {X, W}, [&] { return B.alloc(64 * MiB); });
  auto L = timelineOf(B);
  Fit F = computeFit(*L, gpu("t4"), {});
  EXPECT_EQ(F.Parts.CudnnWorkspace.lower(), 0);
  EXPECT_EQ(F.Parts.CudnnWorkspace.upper(), (9 * 128 / 4 + 16) * MiB);
  // No more than the peak leaves free.
  FitOptions Busy;
  Busy.ReserveBytes = gpu("t4").usable().Count - 500 * MiB;
  EXPECT_LT(computeFit(*L, gpu("t4"), Busy).Parts.CudnnWorkspace.upper(),
            300 * MiB);
  Busy.ReserveBytes = 15 * GiB;
  EXPECT_EQ(computeFit(*L, gpu("t4"), Busy).Parts.CudnnWorkspace.upper(), 0);
  EXPECT_LT(F.Parts.Reserved.lower(), F.Parts.Reserved.expected());
  EXPECT_LT(F.Parts.Reserved.expected(), F.Parts.Reserved.upper());
}

TEST(Fit, ContextsByArchitectureAndRelease) {
  FitOptions Old, New;
  Old.TorchMinor = 10;
  New.TorchMajor = 2;
  New.TorchMinor = 6;
  for (const GpuSpec &G : GpuCatalog::builtin().gpus()) {
    Quantity A = contextBytes(G, Old), B = contextBytes(G, New);
    EXPECT_LE(A.lower(), A.expected()) << G.Id.str();
    EXPECT_LE(A.expected(), A.upper()) << G.Id.str();
    EXPECT_LE(B.expected(), A.expected()) << G.Id.str();
    EXPECT_LE(B.expected(), B.upper()) << G.Id.str();
    EXPECT_FALSE(A.causes().empty());
  }
  // A first tensor on a V100 under CUDA 11.2 shows 1,343 MB.
  EXPECT_NEAR(contextBytes(gpu("v100"), Old).expected(), 1343e6, 2e6);
}

TEST(Fit, SmallestCard) {
  FitOptions Options;
  SmallestFit S = smallestFit(*block(18 * GiB), GpuCatalog::builtin(), Options);
  ASSERT_TRUE(S.Any && S.Datacenter && S.Consumer);
  EXPECT_GE(S.Any->usable().Count, 18 * GiB);
  EXPECT_EQ(S.Datacenter->Market, "datacenter");
  for (const GpuSpec &G : GpuCatalog::builtin().gpus())
    if (G.Vendor == "nvidia" && G.Market == "datacenter" &&
        computeFit(*block(18 * GiB), G, Options).Is == Verdict::Fits) {
      EXPECT_GE(G.usable().Count, S.Datacenter->usable().Count);
    }
  EXPECT_FALSE(
      smallestFit(*block(900 * GiB), GpuCatalog::builtin(), Options).Any);
}

TEST(Fit, Prints) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  printFit(computeFit(*block(20 * GiB), gpu("t4"), {}), OS);
  EXPECT_THAT(Text, HasSubstr("NVIDIA T4: does not fit, usable 15843721216\n"
                              "live: 21474836480 21474836480 21474836480\n"));
}

/// A program of \p PerSample bytes a sample and a fixed rest; counts its runs.
struct Program {
  int64_t PerSample, Rest;
  int64_t Bend = 0;      ///< From this batch on, a sample costs twice.
  bool OddEvent = false; ///< The traces' structure depends on the batch.
  int64_t Samples = 0;   ///< A larger batch finds no data.
  int Runs = 0;

  std::shared_ptr<const Timeline> operator()(int64_t Batch) {
    ++Runs;
    TraceBuilder B;
    if (Samples && Batch > Samples) {
      B.alloc(Rest, Category::Parameter);
      return timelineOf(B);
    }
    B.alloc(Rest, Category::Parameter);
    for (int64_t I = 0; OddEvent && I < Batch % 3; ++I)
      B.alloc(512, Category::Input);
    int64_t Size = PerSample * Batch;
    if (Bend && Batch > Bend)
      Size += PerSample * (Batch - Bend);
    B.free(B.alloc(Size));
    return timelineOf(B);
  }
};

BatchLimit largest(Program &P, int64_t Base, const GpuSpec &G,
                   unsigned MaxRuns = 12) {
  FitOptions Options;
  Options.ContextBytes = 0;
  BatchSearch S([&](int64_t B) { return P(B); }, Base, P(Base), Options,
                MaxRuns);
  return S.largest(G);
}

TEST(BatchSearch, FindsTheLargestInFewRuns) {
  const GpuSpec &T4 = gpu("t4");
  Program P{279 * MiB, 2 * GiB};
  BatchLimit L = largest(P, 64, T4);
  ASSERT_TRUE(L.Known) << L.Why;
  EXPECT_TRUE(L.Verified);
  int64_t Expected = (T4.usable().Count - 2 * GiB) / (279 * MiB);
  EXPECT_NEAR(L.Sure, Expected * 0.95, 2);
  EXPECT_NEAR(L.Possible, Expected, 1);
  EXPECT_LE(P.Runs, 5);
}

TEST(BatchSearch, FarFromTheStart) {
  Program P{int64_t(20) << 10, 100 * MiB};
  BatchLimit L = largest(P, 1, gpu("h200"));
  ASSERT_TRUE(L.Known) << L.Why;
  EXPECT_TRUE(L.AtLimit);
  Program Q{3 * MiB, 100 * MiB};
  BatchLimit M = largest(Q, 4, gpu("h200"));
  EXPECT_FALSE(M.AtLimit);
  EXPECT_NEAR(M.Possible, (gpu("h200").usable().Count - 100 * MiB) / (3 * MiB),
              1);
}

TEST(BatchSearch, NotEvenOne) {
  Program P{20 * GiB, GiB};
  BatchLimit L = largest(P, 8, gpu("t4"));
  ASSERT_TRUE(L.Known);
  EXPECT_EQ(L.Sure, 0);
  EXPECT_EQ(L.Possible, 0);
}

TEST(BatchSearch, ABendIsFoundByVerifying) {
  Program P{100 * MiB, GiB, /*Bend=*/100};
  BatchLimit L = largest(P, 16, gpu("t4"), 200);
  ASSERT_TRUE(L.Known);
  EXPECT_TRUE(L.Verified);
  int64_t Room = gpu("t4").usable().Count - GiB;
  EXPECT_NEAR(L.Possible, 100 + (Room - 100 * 100 * MiB) / (200 * MiB), 1);
}

TEST(BatchSearch, AnotherStructureIsSearchedByRuns) {
  Program P{100 * MiB, GiB};
  P.OddEvent = true;
  BatchLimit L = largest(P, 16, gpu("t4"), 40);
  ASSERT_TRUE(L.Known) << L.Why;
  EXPECT_NEAR(L.Possible, (gpu("t4").usable().Count - GiB) / (100 * MiB), 1);
  EXPECT_LE(P.Runs, 30);
}

TEST(BatchSearch, ABatchLargerThanTheDataTellsNothing) {
  Program P{MiB, GiB};
  P.Samples = 1000;
  BatchLimit L = largest(P, 16, gpu("t4"), 40);
  ASSERT_TRUE(L.Known) << L.Why;
  EXPECT_FALSE(L.Verified); // What fits is more than the data it has.
  EXPECT_NEAR(L.Possible, (gpu("t4").usable().Count - GiB) / MiB, 1);
  Program Q{MiB, GiB};
  Q.Samples = 1000;
  Q.OddEvent = true;
  BatchLimit M = largest(Q, 16, gpu("t4"), 80);
  ASSERT_TRUE(M.Known) << M.Why;
  EXPECT_EQ(M.Possible, 1000);
  EXPECT_FALSE(M.AtLimit);
}

TEST(BatchSearch, SaysWhyNot) {
  Program P{0, GiB};
  BatchLimit L = largest(P, 8, gpu("t4"));
  EXPECT_FALSE(L.Known);
  EXPECT_EQ(L.Why, "another batch changes nothing");
  BatchSearch S([](int64_t) { return nullptr; }, 8, block(GiB));
  EXPECT_THAT(S.largest(gpu("t4")).Why, HasSubstr("cannot be run"));
}

TEST(BatchSearch, CostPerSample) {
  Program P{279 * MiB, 2 * GiB};
  BatchSearch S([&](int64_t B) { return P(B); }, 64, P(64));
  BatchCost C = S.cost();
  EXPECT_TRUE(C.Known);
  EXPECT_EQ(C.PerSampleBytes, 279 * MiB);
  EXPECT_EQ(C.RestBytes, 2 * GiB);
}

TEST(FitTable, AllGpusInFewRuns) {
  Program P{100 * MiB, GiB};
  auto First = P(32);
  BatchSearch S([&](int64_t B) { return P(B); }, 32, First);
  std::vector<const GpuSpec *> Gpus = GpuCatalog::builtin().matching("");
  std::vector<FitRow> Rows = fitTable(*First, Gpus, {}, &S, nullptr);
  ASSERT_EQ(Rows.size(), Gpus.size());
  EXPECT_LE(S.runs(), 4u);
  for (size_t I = 1; I < Rows.size(); ++I) {
    EXPECT_LE(Rows[I - 1].Result.Usable, Rows[I].Result.Usable);
    EXPECT_TRUE(Rows[I].Batch.Known);
    EXPECT_LE(Rows[I].Batch.Sure, Rows[I].Batch.Possible);
    EXPECT_EQ(Rows[I].Result.Is == Verdict::Fits, Rows[I].Batch.Sure >= 32)
        << Rows[I].Result.Gpu.Id.str();
  }
}

/// A program whose one storage grows with the area of its images.
std::shared_ptr<const Timeline> imagesOf(int64_t Side) { return block(Side * Side * 20000); }

TEST(SizeSearch, TheLargestImageIsFoundInFewRuns) {
  unsigned Runs = 0;
  SizeSearch S(
      [&](int64_t Side) {
        ++Runs;
        return imagesOf(Side);
      },
      224, 448, imagesOf(224));
  for (llvm::StringRef Name : {"t4", "h100", "rtx 3060"}) {
    SizeLimit L = S.largest(gpu(Name), /*Verify=*/false);
    ASSERT_TRUE(L.Known) << L.Why;
    EXPECT_GT(L.Sure, 0);
    EXPECT_LE(L.Sure, L.Possible);
    EXPECT_EQ(L.widthFor(L.Sure), 2 * L.Sure);
    EXPECT_EQ(computeFit(*imagesOf(L.Sure), gpu(Name), {}).Is, Verdict::Fits);
  }
  EXPECT_LE(Runs, 3u);
  SizeLimit L = S.largest(gpu("t4"));
  EXPECT_TRUE(L.Verified);
  EXPECT_NE(computeFit(*imagesOf(L.Sure + 32), gpu("t4"), {}).Is, Verdict::Fits);
  EXPECT_EQ(computeFit(*imagesOf(L.Possible + 32), gpu("t4"), {}).Is,
            Verdict::DoesNotFit);
}

TEST(SizeSearch, SaysWhyNot) {
  SizeSearch Fixed([](int64_t) { return nullptr; }, 224, 224, imagesOf(224));
  EXPECT_THAT(Fixed.largest(gpu("t4")).Why, HasSubstr("layers fix"));
  SizeSearch Idle([](int64_t) { return imagesOf(224); }, 224, 224, imagesOf(224));
  EXPECT_THAT(Idle.largest(gpu("t4")).Why, HasSubstr("change nothing"));
}

TEST(Calibration, ItsFiguresReplaceTheEstimatesOfItsCardOnly) {
  auto C = parseCalibration("{\"vramlint_calibration\": 1, \"gpu\": \"Tesla T4\",\n"
                            "\"context_bytes\": 500000000, \"workspace_bytes\": null}",
                            "c.json", GpuCatalog::builtin());
  ASSERT_TRUE(bool(C)) << llvm::toString(C.takeError());
  FitOptions Options;
  Options.Measured.push_back(*C);
  EXPECT_EQ(contextBytes(gpu("t4"), Options).upper(), 500000000);
  EXPECT_NE(contextBytes(gpu("h100"), Options).upper(), 500000000);
}

TEST(Calibration, ErrorsNameThePlace) {
  auto Error = [](llvm::StringRef Text) {
    auto C = parseCalibration(Text, "c.json", GpuCatalog::builtin());
    return C ? std::string() : llvm::toString(C.takeError());
  };
  EXPECT_THAT(Error("{\n\"vramlint_calibration\": 1, \"gpu\": \"t4\",\n\"more\": 1}"),
              HasSubstr("c.json:3: unknown key 'more'"));
  EXPECT_THAT(Error("[]"), HasSubstr("no object"));
  EXPECT_THAT(Error("{\"vramlint_calibration\": 7}"), HasSubstr("version"));
  EXPECT_THAT(Error("{\"vramlint_calibration\": 1, \"gpu\": \"nonsense 9000\"}"),
              HasSubstr("nonsense 9000"));
  EXPECT_THAT(Error("{\"vramlint_calibration\": 1, \"gpu\": \"t4\", "
                    "\"context_bytes\": null, \"workspace_bytes\": null}"),
              HasSubstr("no CUDA context"));
}

} // namespace
