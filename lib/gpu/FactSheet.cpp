//===- lib/gpu/FactSheet.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Tables and sheets of GPU facts.

#include "lib/gpu/FactSheet.h"

#include "lib/gpu/SpecFields.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

namespace vramlint {

namespace {

/// Columns of text as wide as their widest cell; the first ones to the left.
class Table {
public:
  explicit Table(unsigned LeftColumns) : LeftColumns(LeftColumns) {}
  void row(std::vector<std::string> Cells) { Rows.push_back(std::move(Cells)); }
  void print(llvm::raw_ostream &OS) const {
    std::vector<size_t> Widths;
    for (const auto &Row : Rows) {
      Widths.resize(std::max(Widths.size(), Row.size()));
      for (size_t I = 0; I < Row.size(); ++I)
        Widths[I] = std::max(Widths[I], columns(Row[I]));
    }
    for (const auto &Row : Rows) {
      std::string Line;
      for (size_t I = 0; I < Row.size(); ++I) {
        std::string Pad(Widths[I] - columns(Row[I]), ' ');
        Line += I ? "  " : "";
        Line += I < LeftColumns ? Row[I] + Pad : Pad + Row[I];
      }
      OS << llvm::StringRef(Line).rtrim() << '\n';
    }
  }

private:
  /// Columns of UTF-8 text: what is no continuation byte.
  static size_t columns(llvm::StringRef Text) {
    return llvm::count_if(Text, [](char C) { return (C & 0xC0) != 0x80; });
  }
  unsigned LeftColumns;
  std::vector<std::vector<std::string>> Rows;
};

std::string number(std::optional<double> N) {
  if (!N)
    return "·";
  std::string Text = llvm::formatv("{0:f2}", *N).str();
  llvm::StringRef Ref(Text);
  if (Ref.contains('.'))
    Ref = Ref.rtrim('0').rtrim('.');
  return Ref.str();
}

std::string memory(const GpuSpec &Gpu) {
  return formatBytes(Gpu.usable()) + (Gpu.usableIsNominal() ? "*" : " ");
}

llvm::StringRef shortestAlias(const GpuSpec &Gpu) {
  llvm::StringRef Best = Gpu.Id;
  for (llvm::StringRef Alias : Gpu.Aliases)
    if (Alias.size() < Best.size())
      Best = Alias;
  return Best;
}

template <typename T>
llvm::json::Object toJson(const T &Spec, llvm::ArrayRef<SpecField<T>> Fields) {
  llvm::json::Object Object;
  auto Value = [](const auto &V) -> llvm::json::Value {
    using Type = std::decay_t<decltype(V)>;
    if constexpr (std::is_same_v<Type, llvm::ArrayRef<llvm::StringRef>>) {
      llvm::json::Array List;
      for (llvm::StringRef Text : V)
        List.push_back(Text);
      return List;
    } else if constexpr (requires { V.has_value(); }) {
      return V ? llvm::json::Value(*V) : llvm::json::Value(nullptr);
    } else {
      return V;
    }
  };
  for (const SpecField<T> &F : Fields)
    Object[F.Key] =
        std::visit([&](auto Member) { return Value(Spec.*Member); }, F.Where);
  return Object;
}

void printNotes(llvm::ArrayRef<llvm::StringRef> Sources, llvm::StringRef Notes,
                llvm::raw_ostream &OS) {
  if (!Notes.empty())
    OS << "note: " << Notes << '\n';
  OS << "sources:\n";
  for (llvm::StringRef Source : Sources)
    OS << "  " << Source << '\n';
}

} // namespace

void printGpuTable(llvm::ArrayRef<const GpuSpec *> Gpus,
                   llvm::raw_ostream &OS) {
  Table T(3);
  T.row({"GPU", "--gpu", "architecture", "year", "usable ", "GB/s",
         "FP32 TFLOPS", "FP16 tensor"});
  bool Nominal = false;
  for (const GpuSpec *G : Gpus) {
    Nominal |= G->usableIsNominal();
    T.row({G->Name.str(), shortestAlias(*G).str(), G->Architecture.str(),
           std::to_string(G->ReleaseYear), memory(*G),
           number(G->MemoryBandwidthGbPerSec), number(G->Fp32Tflops),
           number(G->Fp16TensorTflops)});
  }
  T.print(OS);
  if (Nominal)
    OS << "* nominal: what CUDA reports as usable is not known\n";
}

void printSystemTable(llvm::ArrayRef<const GpuSystem *> Systems,
                      const GpuCatalog &Catalog, llvm::raw_ostream &OS) {
  Table T(2);
  T.row({"system", "GPUs", "memory", "GB/s per GPU"});
  for (const GpuSystem *S : Systems) {
    const GpuSpec *G = Catalog.byId(S->GpuId);
    T.row({S->Name.str(),
           std::to_string(S->GpuCount) + " × " + (G ? G->Name : S->GpuId).str(),
           formatBytes(Bytes{S->TotalMemoryBytes}),
           number(S->PerGpuLinkGbPerSec)});
  }
  T.print(OS);
}

void printGpuDetail(const GpuSpec &Gpu, llvm::raw_ostream &OS) {
  auto Count = [](std::optional<int64_t> N) {
    return N ? formatCount(*N) : std::string("·");
  };
  Table T(2);
  T.row({"id", Gpu.Id.str()});
  T.row({"aliases", llvm::join(Gpu.Aliases, ", ")});
  T.row({"architecture",
         (Gpu.Architecture +
          (Gpu.ComputeCapability.empty() ? "" : ", " + Gpu.ComputeCapability) +
          ", " + llvm::Twine(Gpu.ReleaseYear) + ", " + Gpu.Market)
             .str()});
  T.row({"units", Count(Gpu.SmCount) + " SMs, " + Count(Gpu.CudaCores) +
                      " cores, " + Count(Gpu.TensorCores) + " tensor cores"});
  std::string Usable =
      Gpu.usableIsNominal()
          ? std::string("usable not known, the nominal size is used")
          : formatBytes(Gpu.usable()) + " (" + formatCount(Gpu.usable().Count) +
                " B) usable";
  T.row({"memory", formatBytes(Bytes{Gpu.VramBytes}) + " " +
                       Gpu.MemoryType.str() + ", " + Usable +
                       (Gpu.UnifiedMemory ? ", shared with the CPU" : "")});
  T.row({"bandwidth", number(Gpu.MemoryBandwidthGbPerSec) + " GB/s, " +
                          std::to_string(Gpu.MemoryBusBits) + " bit"});
  if (Gpu.L2CacheBytes)
    T.row({"L2 cache", formatBytes(Bytes{*Gpu.L2CacheBytes})});
  T.row({"TFLOPS", "FP32 " + number(Gpu.Fp32Tflops) + ", FP16 " +
                       number(Gpu.Fp16Tflops) + ", FP64 " +
                       number(Gpu.Fp64Tflops)});
  T.row({"tensor TFLOPS", "TF32 " + number(Gpu.Tf32TensorTflops) + ", FP16 " +
                              number(Gpu.Fp16TensorTflops) + ", BF16 " +
                              number(Gpu.Bf16TensorTflops) + ", FP8 " +
                              number(Gpu.Fp8TensorTflops) + ", INT8 " +
                              number(Gpu.Int8TensorTops)});
  T.row({"power", Count(Gpu.TdpWatts) + " W"});
  T.row({"host link", "PCIe " + Count(Gpu.PcieGeneration) + " ×" +
                          Count(Gpu.PcieLanes) + ", " +
                          number(Gpu.HostLinkGbPerSec) + " GB/s"});
  if (Gpu.NvlinkGbPerSec)
    T.row({"NVLink", number(Gpu.NvlinkGbPerSec) + " GB/s"});
  OS << Gpu.Name << '\n';
  T.print(OS);
  printNotes(Gpu.Sources, Gpu.Notes, OS);
}

bool printFactSheet(llvm::StringRef Pattern, const GpuCatalog &Catalog,
                    llvm::raw_ostream &OS) {
  std::vector<const GpuSpec *> Gpus = Catalog.matching(Pattern);
  std::vector<const GpuSystem *> Systems = Catalog.matchingSystems(Pattern);
  if (Gpus.empty() && Systems.empty())
    return false;
  // A name that is one GPU's own comes first, though others contain it.
  if (llvm::Expected<const GpuSpec *> One = Catalog.find(Pattern)) {
    printGpuDetail(**One, OS);
    return true;
  } else {
    llvm::consumeError(One.takeError());
  }
  if (Gpus.size() == 1)
    printGpuDetail(*Gpus.front(), OS);
  else if (!Gpus.empty())
    printGpuTable(Gpus, OS);
  if (Systems.empty())
    return true;
  if (!Gpus.empty())
    OS << '\n';
  printSystemTable(Systems, Catalog, OS);
  if (Systems.size() == 1)
    printNotes(Systems.front()->Sources, Systems.front()->Notes, OS);
  return true;
}

llvm::json::Object gpuToJson(const GpuSpec &Gpu) {
  llvm::json::Object Object = toJson(Gpu, gpuFields());
  if (Gpu.ComputeCapability.empty())
    Object["compute_capability"] = nullptr;
  return Object;
}

llvm::json::Object systemToJson(const GpuSystem &System) {
  return toJson(System, systemFields());
}

} // namespace vramlint
