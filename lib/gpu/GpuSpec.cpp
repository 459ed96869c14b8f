//===- lib/gpu/GpuSpec.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Reads one spec file. LLVM's JSON parser gives the values; a scan of the text
// gives each key its line, so that every error names file, line and key.

#include "lib/gpu/GpuSpec.h"

#include "lib/gpu/SpecFields.h"
#include "lib/support/SourcePos.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <deque>
#include <map>
#include <mutex>

namespace vramlint {

llvm::ArrayRef<SpecField<GpuSpec>> gpuFields() {
  using S = GpuSpec;
  static constexpr SpecField<S> Fields[] = {
      {"id", &S::Id},
      {"name", &S::Name},
      {"aliases", &S::Aliases},
      {"vendor", &S::Vendor, false, "nvidia amd intel apple"},
      {"architecture", &S::Architecture},
      {"compute_capability", &S::ComputeCapability, true},
      {"release_year", &S::ReleaseYear},
      {"market", &S::Market, false,
       "datacenter workstation desktop laptop embedded"},
      {"sm_count", &S::SmCount},
      {"cuda_cores", &S::CudaCores},
      {"tensor_cores", &S::TensorCores},
      {"vram_bytes", &S::VramBytes},
      {"usable_vram_bytes", &S::UsableVramBytes},
      {"memory_type", &S::MemoryType},
      {"memory_bus_bits", &S::MemoryBusBits},
      {"memory_bandwidth_gb_s", &S::MemoryBandwidthGbPerSec},
      {"fp32_tflops", &S::Fp32Tflops},
      {"fp16_tflops", &S::Fp16Tflops},
      {"tf32_tensor_tflops", &S::Tf32TensorTflops},
      {"fp16_tensor_tflops", &S::Fp16TensorTflops},
      {"bf16_tensor_tflops", &S::Bf16TensorTflops},
      {"fp8_tensor_tflops", &S::Fp8TensorTflops},
      {"int8_tensor_tops", &S::Int8TensorTops},
      {"fp64_tflops", &S::Fp64Tflops},
      {"l2_cache_bytes", &S::L2CacheBytes},
      {"tdp_watts", &S::TdpWatts},
      {"pcie_generation", &S::PcieGeneration},
      {"pcie_lanes", &S::PcieLanes},
      {"host_link_gb_s", &S::HostLinkGbPerSec},
      {"nvlink_gb_s", &S::NvlinkGbPerSec},
      {"unified_memory", &S::UnifiedMemory},
      {"sources", &S::Sources},
      {"notes", &S::Notes},
  };
  return Fields;
}

llvm::ArrayRef<SpecField<GpuSystem>> systemFields() {
  using S = GpuSystem;
  static constexpr SpecField<S> Fields[] = {
      {"id", &S::Id},
      {"name", &S::Name},
      {"aliases", &S::Aliases},
      {"gpu_id", &S::GpuId},
      {"gpu_count", &S::GpuCount},
      {"interconnect", &S::Interconnect},
      {"per_gpu_link_gb_s", &S::PerGpuLinkGbPerSec},
      {"bisection_gb_s", &S::BisectionGbPerSec},
      {"total_memory_bytes", &S::TotalMemoryBytes},
      {"sources", &S::Sources},
      {"notes", &S::Notes},
  };
  return Fields;
}

namespace {

/// Files larger than this or nested deeper are no specs; LLVM's parser
/// recurses.
constexpr size_t MaxSpecBytes = 1 << 20;
constexpr unsigned MaxDepth = 32;

struct KeyLine {
  std::string Key; ///< As spelt, escapes included.
  unsigned Line;
};

llvm::Error errorAt(llvm::StringRef File, unsigned Line,
                    const llvm::Twine &Message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 File + ":" + llvm::Twine(Line) + ": " +
                                     Message);
}

/// The keys of the outermost object with their lines, in order. Stops quietly
/// at whatever is no JSON: the parser proper reports that. Returns false if the
/// text is nested too deeply, with the line in \p Keys' last entry.
bool scanKeys(llvm::StringRef Text, std::vector<KeyLine> &Keys) {
  unsigned Line = 1, Depth = 0;
  std::string Last;
  unsigned LastLine = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    switch (Text[I]) {
    case '\n':
      ++Line;
      break;
    case '{':
    case '[':
      if (++Depth > MaxDepth) {
        Keys.push_back({"", Line});
        return false;
      }
      break;
    case '}':
    case ']':
      Depth -= Depth ? 1 : 0;
      break;
    case ':':
      if (Depth == 1 && LastLine)
        Keys.push_back({Last, LastLine});
      LastLine = 0;
      break;
    case '"': {
      size_t Start = ++I;
      while (I < Text.size() && Text[I] != '"' && Text[I] != '\n')
        I += Text[I] == '\\' ? 2 : 1;
      Last = Text.slice(Start, I).str();
      LastLine = Line;
      Line += I < Text.size() && Text[I] == '\n';
      break;
    }
    default:
      break;
    }
  }
  return true;
}

/// LLVM says "[12:3, byte=40]: Expected , or }": we say "12: Expected …".
llvm::Error syntaxError(llvm::StringRef File, llvm::Error Failed) {
  std::string Message = llvm::toString(std::move(Failed));
  llvm::StringRef Rest(Message);
  unsigned Line = 1;
  if (Rest.consume_front("[") && !Rest.consumeInteger(10, Line))
    Rest = Rest.split("]: ").second;
  return errorAt(File, Line, "no valid JSON: " + Rest);
}

const char *kindName(const llvm::json::Value &V) {
  switch (V.kind()) {
  case llvm::json::Value::Null:
    return "null";
  case llvm::json::Value::Boolean:
    return "a boolean";
  case llvm::json::Value::Number:
    return V.getAsInteger() ? "an integer" : "a fraction";
  case llvm::json::Value::String:
    return "a string";
  case llvm::json::Value::Array:
    return "a list";
  case llvm::json::Value::Object:
    return "an object";
  }
  return "something else";
}

/// Lists live as long as the process, as interned texts do.
llvm::ArrayRef<llvm::StringRef> internList(std::vector<llvm::StringRef> List) {
  static std::mutex Guard;
  static std::deque<std::vector<llvm::StringRef>> Kept;
  std::lock_guard<std::mutex> Lock(Guard);
  Kept.push_back(std::move(List));
  return Kept.back();
}

/// Stores a value into a member of each type; returns what was expected if \p V
/// is not that, else an empty text.
struct Reader {
  const llvm::json::Value &V;
  bool OrNull;

  std::string read(llvm::StringRef &Out) const {
    if (auto Text = V.getAsString())
      return Out = intern(*Text), "";
    return OrNull && V.getAsNull() ? ""
           : OrNull                ? "a string or null"
                                   : "a string";
  }
  std::string read(llvm::ArrayRef<llvm::StringRef> &Out) const {
    const llvm::json::Array *List = V.getAsArray();
    std::vector<llvm::StringRef> Texts;
    for (size_t I = 0; List && I < List->size(); ++I) {
      auto Text = (*List)[I].getAsString();
      if (!Text || Text->empty())
        return "a list of non-empty strings";
      Texts.push_back(intern(*Text));
    }
    Out = internList(std::move(Texts));
    return List ? "" : "a list of strings";
  }
  std::string read(int64_t &Out) const {
    auto N = V.getAsInteger();
    if (!N || *N < 0)
      return "an integer, not negative";
    return Out = *N, "";
  }
  std::string read(double &Out) const {
    auto N = V.getAsNumber();
    if (!N || *N < 0)
      return "a number, not negative";
    return Out = *N, "";
  }
  std::string read(bool &Out) const {
    auto B = V.getAsBoolean();
    return B ? (Out = *B, "") : "true or false";
  }
  template <typename N> std::string read(std::optional<N> &Out) const {
    if (V.getAsNull())
      return Out.reset(), "";
    N Value;
    std::string Expected = read(Value);
    if (!Expected.empty())
      return Expected + ", or null";
    return Out = Value, "";
  }
};

template <typename T>
llvm::StringRef nearestKey(llvm::StringRef Key,
                           llvm::ArrayRef<SpecField<T>> Fields) {
  llvm::StringRef Best;
  unsigned Least = 1 + Key.size() / 2;
  for (const SpecField<T> &F : Fields)
    if (unsigned D = Key.edit_distance(F.Key, true, Least); D < Least) {
      Least = D;
      Best = F.Key;
    }
  return Best;
}

template <typename T>
llvm::Error checkKeys(llvm::StringRef File, llvm::ArrayRef<KeyLine> Keys,
                      llvm::ArrayRef<SpecField<T>> Fields) {
  std::map<std::string, unsigned> Seen;
  for (const KeyLine &K : Keys) {
    auto [It, New] = Seen.try_emplace(K.Key, K.Line);
    if (!New)
      return errorAt(File, K.Line,
                     "key '" + K.Key + "' is given twice, first in line " +
                         llvm::Twine(It->second));
    if (llvm::any_of(Fields, [&](auto &F) { return F.Key == K.Key; }))
      continue;
    llvm::StringRef Near = nearestKey<T>(K.Key, Fields);
    return errorAt(File, K.Line,
                   "unknown key '" + K.Key + "'" +
                       (Near.empty() ? "" : "; did you mean '" + Near + "'?"));
  }
  return llvm::Error::success();
}

template <typename T>
llvm::Expected<T> parseSpec(llvm::StringRef Text, llvm::StringRef File,
                            llvm::ArrayRef<SpecField<T>> Fields,
                            std::map<std::string, unsigned> &LineOf) {
  if (Text.size() > MaxSpecBytes)
    return errorAt(File, 1, "too large to be a GPU spec");
  std::vector<KeyLine> Keys;
  if (!scanKeys(Text, Keys))
    return errorAt(File, Keys.back().Line, "nested too deeply");
  llvm::Expected<llvm::json::Value> Parsed = llvm::json::parse(Text);
  if (!Parsed)
    return syntaxError(File, Parsed.takeError());
  const llvm::json::Object *Object = Parsed->getAsObject();
  if (!Object)
    return errorAt(
        File, 1, llvm::Twine("expected an object, found ") + kindName(*Parsed));
  if (llvm::Error E = checkKeys<T>(File, Keys, Fields))
    return E;
  for (const KeyLine &K : Keys)
    LineOf[K.Key] = K.Line;
  T Spec;
  for (const SpecField<T> &F : Fields) {
    const llvm::json::Value *V = Object->get(F.Key);
    if (!V)
      return errorAt(File, 1, "key '" + F.Key + "' is missing");
    unsigned Line = LineOf[F.Key.str()];
    std::string Expected = std::visit(
        [&](auto M) { return Reader{*V, F.OrNull}.read(Spec.*M); }, F.Where);
    if (!Expected.empty())
      return errorAt(File, Line,
                     "key '" + F.Key + "': expected " + Expected + ", found " +
                         kindName(*V));
    if (F.OneOf.empty())
      continue;
    llvm::SmallVector<llvm::StringRef, 8> Allowed;
    F.OneOf.split(Allowed, ' ');
    if (!llvm::is_contained(Allowed, *V->getAsString()))
      return errorAt(File, Line,
                     "key '" + F.Key + "': expected one of " +
                         llvm::join(Allowed, ", ") + ", found '" +
                         *V->getAsString() + "'");
  }
  if (Spec.Id != llvm::sys::path::stem(File))
    return errorAt(File, LineOf["id"],
                   "key 'id': expected the file's stem '" +
                       llvm::sys::path::stem(File) + "', found '" + Spec.Id +
                       "'");
  return Spec;
}

} // namespace

llvm::Expected<GpuSpec> parseGpuSpec(llvm::StringRef Text,
                                     llvm::StringRef File) {
  std::map<std::string, unsigned> LineOf;
  llvm::Expected<GpuSpec> Spec = parseSpec(Text, File, gpuFields(), LineOf);
  if (!Spec)
    return Spec;
  if (Spec->VramBytes == 0)
    return errorAt(File, LineOf["vram_bytes"],
                   "key 'vram_bytes': expected more than 0");
  if (Spec->MemoryBandwidthGbPerSec == 0)
    return errorAt(File, LineOf["memory_bandwidth_gb_s"],
                   "key 'memory_bandwidth_gb_s': expected more than 0");
  if (Spec->UsableVramBytes &&
      (*Spec->UsableVramBytes == 0 || *Spec->UsableVramBytes > Spec->VramBytes))
    return errorAt(File, LineOf["usable_vram_bytes"],
                   "key 'usable_vram_bytes': expected more than 0 and at most "
                   "vram_bytes");
  return Spec;
}

llvm::Expected<GpuSystem> parseGpuSystem(llvm::StringRef Text,
                                         llvm::StringRef File) {
  std::map<std::string, unsigned> LineOf;
  return parseSpec(Text, File, systemFields(), LineOf);
}

unsigned lineOfKey(llvm::StringRef Text, llvm::StringRef Key) {
  std::vector<KeyLine> Keys;
  scanKeys(Text, Keys);
  for (const KeyLine &K : Keys)
    if (K.Key == Key)
      return K.Line;
  return 0;
}

unsigned GpuSpec::cudaCapability() const {
  auto [Major, Minor] = ComputeCapability.split('.');
  unsigned A, B;
  if (Major.getAsInteger(10, A) || Minor.getAsInteger(10, B) || B > 9)
    return 0;
  return A * 10 + B;
}

std::string normaliseGpuName(llvm::StringRef Name) {
  std::string Text;
  for (char C : Name)
    if (llvm::isAlnum(C))
      Text += llvm::toLower(C);
  llvm::StringRef Rest(Text);
  bool Again = true;
  while (Again) {
    Again = false;
    for (llvm::StringRef Brand : {"nvidia", "geforce", "tesla", "amd", "radeon",
                                  "instinct", "intel", "apple"})
      if (Rest.size() > Brand.size() && Rest.consume_front(Brand))
        Again = true;
  }
  if (Rest.size() > 3)
    Rest.consume_back("gpu");
  return Rest.str();
}

} // namespace vramlint
