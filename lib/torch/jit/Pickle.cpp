//===- lib/torch/jit/Pickle.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// See Pickle.h. The opcodes are those that LibTorch's Pickler writes (protocol 2)
// and those of Python's up to protocol 4 that torch.save uses.

#include "lib/torch/jit/Pickle.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"

namespace vramlint {

using namespace llvm::support::endian;

static constexpr size_t MaxArgs = 8; ///< Of a call, as far as they matter.

namespace {

class Reader {
public:
  Reader(llvm::StringRef Bytes, const ArchiveLimits &Limits)
      : Rest(Bytes), Limits(Limits) {}
  llvm::Expected<PickleTree> run();

private:
  bool step(uint8_t Op); ///< False: it ends, or Error is set.
  bool constant(uint8_t Op);
  bool text(uint8_t Op);
  bool memo(uint8_t Op);
  bool collect(uint8_t Op);
  bool make(uint8_t Op);
  void reduce();
  void newObject();
  void build();
  void persistent();
  void global(std::string Text);
  void tensor(llvm::ArrayRef<PickleRef> Args, bool Quantized);
  bool ints(PickleRef R, std::vector<int64_t> &Out);

  PickleRef add(PickleValue V);
  void push(PickleRef R) { Stack.push_back(R); }
  PickleRef pop();
  std::vector<PickleRef> popToMark();
  void tuple(size_t N);
  void append(PickleRef List, llvm::ArrayRef<PickleRef> Items);
  llvm::StringRef take(uint64_t N);
  llvm::StringRef line();
  template <typename T> T number() {
    llvm::StringRef B = take(sizeof(T));
    return B.empty() ? T() : read<T>(B.data(), llvm::endianness::little);
  }
  void fail(llvm::StringRef Text) {
    if (Error.empty())
      Error = Text.str();
  }
  PickleValue &at(PickleRef R) { return Tree.Values[R]; }

  llvm::StringRef Rest;
  const ArchiveLimits &Limits;
  PickleTree Tree;
  std::vector<PickleRef> Stack;
  std::vector<size_t> Marks;
  llvm::DenseMap<uint32_t, PickleRef> Memo;
  llvm::StringMap<uint32_t> StorageByKey;
  size_t Items = 0;
  uint64_t TextBytes = 0;
  std::string Error;
  bool Done = false;
};

} // namespace

PickleRef Reader::add(PickleValue V) {
  TextBytes += V.Text.size(); // Objects repeat their class's name.
  if (Tree.Values.size() >= Limits.MaxValues || TextBytes > Limits.MaxTextBytes) {
    fail("makes too many values");
    return 0;
  }
  Tree.Values.push_back(std::move(V));
  return PickleRef(Tree.Values.size() - 1);
}

PickleRef Reader::pop() {
  // Nothing below a mark may be taken: that is another list's.
  if (Stack.empty() || (!Marks.empty() && Stack.size() <= Marks.back())) {
    fail("is damaged");
    return 0;
  }
  PickleRef R = Stack.back();
  Stack.pop_back();
  return R;
}

std::vector<PickleRef> Reader::popToMark() {
  if (Marks.empty() || Marks.back() > Stack.size()) {
    fail("is damaged");
    return {};
  }
  std::vector<PickleRef> Out(Stack.begin() + Marks.back(), Stack.end());
  Stack.resize(Marks.back());
  Marks.pop_back();
  return Out;
}

llvm::StringRef Reader::take(uint64_t N) {
  if (N > Rest.size()) {
    fail("is cut off");
    return {};
  }
  llvm::StringRef Out = Rest.take_front(N);
  Rest = Rest.drop_front(N);
  return Out;
}

llvm::StringRef Reader::line() {
  size_t End = Rest.find('\n');
  if (End == llvm::StringRef::npos) {
    fail("is cut off");
    return {};
  }
  llvm::StringRef Out = Rest.take_front(End);
  Rest = Rest.drop_front(End + 1);
  return Out;
}

void Reader::append(PickleRef List, llvm::ArrayRef<PickleRef> More) {
  Items += More.size();
  if (Items > Limits.MaxItems)
    return fail("makes too many values");
  if (Error.empty())
    at(List).Items.insert(at(List).Items.end(), More.begin(), More.end());
}

void Reader::tuple(size_t N) {
  PickleValue V;
  V.Kind = PickleValue::Tuple;
  V.Items.resize(N);
  for (size_t I = N; I-- > 0;)
    V.Items[I] = pop();
  push(add(std::move(V)));
}

void Reader::global(std::string Text) {
  PickleValue V;
  V.Kind = PickleValue::Global;
  V.Text = std::move(Text);
  push(add(std::move(V)));
}

bool Reader::ints(PickleRef R, std::vector<int64_t> &Out) {
  const PickleValue &V = at(R);
  if (V.Kind != PickleValue::Tuple && V.Kind != PickleValue::List)
    return false;
  if (V.Items.size() > Limits.MaxRank)
    return false;
  for (PickleRef I : V.Items) {
    if (at(I).Kind != PickleValue::Int || at(I).Number < 0)
      return false;
    Out.push_back(at(I).Number);
  }
  return true;
}

/// _rebuild_tensor_v2(storage, offset, size, stride, requires_grad, hooks), and
/// the quantized one, which has its quantizer before requires_grad. The tensor must
/// lie inside of its storage.
void Reader::tensor(llvm::ArrayRef<PickleRef> Args, bool Quantized) {
  PickleValue V;
  V.Kind = PickleValue::Tensor;
  std::vector<int64_t> Strides;
  if (Args.size() < 4 || at(Args[0]).Kind != PickleValue::Storage ||
      at(Args[1]).Kind != PickleValue::Int || at(Args[1]).Number < 0 ||
      !ints(Args[2], V.Shape) || !ints(Args[3], Strides) ||
      Strides.size() != V.Shape.size())
    return fail("has a tensor that isn't understood");
  V.StorageIndex = at(Args[0]).StorageIndex;
  size_t Grad = Quantized ? 5 : 4;
  if (Args.size() > Grad)
    V.Number = at(Args[Grad]).Number != 0;
  Bytes Last{at(Args[1]).Number};
  bool Empty = false;
  for (size_t I = 0; I < V.Shape.size(); ++I) {
    Empty |= V.Shape[I] == 0;
    if (V.Shape[I])
      Last += Bytes{V.Shape[I] - 1} * Strides[I];
  }
  if (!Empty && Last.Count >= Tree.Storages[V.StorageIndex].Elements)
    return fail("has a tensor that is larger than its storage");
  push(add(std::move(V)));
}

void Reader::reduce() {
  PickleRef ArgsRef = pop(), Callee = pop();
  if (!Error.empty())
    return;
  if (at(ArgsRef).Kind != PickleValue::Tuple)
    return fail("is damaged");
  // A copy of no more than is looked at: one list may be given again and again.
  llvm::ArrayRef<PickleRef> All = at(ArgsRef).Items;
  std::vector<PickleRef> Args = All.take_front(MaxArgs).vec();
  llvm::StringRef Name = at(Callee).Kind == PickleValue::Global
                             ? llvm::StringRef(at(Callee).Text)
                             : llvm::StringRef();
  enum { Plain, Quantized, First, OrderedDict, Unknown } What =
      llvm::StringSwitch<decltype(Unknown)>(Name)
          .Cases("torch._utils _rebuild_tensor_v2", "torch._utils _rebuild_tensor",
                 Plain)
          .Case("torch._utils _rebuild_qtensor", Quantized)
          .Cases("torch._utils _rebuild_parameter",
                 "torch.jit._pickle restore_type_tag",
                 "torch.jit._pickle build_intlist",
                 "torch.jit._pickle build_doublelist",
                 "torch.jit._pickle build_boollist", First)
          .Case("torch.jit._pickle build_tensorlist", First)
          .Case("collections OrderedDict", OrderedDict)
          .Default(Unknown);
  if (What == Plain || What == Quantized)
    return tensor(Args, What == Quantized);
  if (What == First && !Args.empty())
    return push(Args[0]);
  PickleValue V;
  V.Kind = What == OrderedDict ? PickleValue::Dict : PickleValue::Other;
  V.Text = Name.str();
  push(add(std::move(V)));
}

void Reader::newObject() {
  PickleRef Args = pop(), Class = pop();
  if (!Error.empty())
    return;
  (void)Args; // A TorchScript class is made without any.
  if (at(Class).Kind != PickleValue::Global)
    return fail("is damaged");
  PickleValue V;
  V.Kind = PickleValue::Object;
  V.Text = at(Class).Text;
  push(add(std::move(V)));
}

void Reader::build() {
  PickleRef State = pop();
  if (!Error.empty() || Stack.empty())
    return fail("is damaged");
  PickleValue &V = at(Stack.back());
  if (V.Kind == PickleValue::Object || V.Kind == PickleValue::Other)
    V.State = State;
}

/// ("storage", torch.FloatStorage, "0", "cpu", 32)
void Reader::persistent() {
  PickleRef Id = pop();
  if (!Error.empty())
    return;
  llvm::ArrayRef<PickleRef> All = at(Id).Items;
  std::vector<PickleRef> P = All.take_front(MaxArgs).vec();
  if (at(Id).Kind != PickleValue::Tuple || P.size() < 5 ||
      at(P[0]).Text != "storage" || at(P[1]).Kind != PickleValue::Global ||
      at(P[2]).Kind != PickleValue::String ||
      at(P[4]).Kind != PickleValue::Int || at(P[4]).Number < 0)
    return fail("has a storage that isn't understood");
  PickleStorage S;
  S.Key = at(P[2]).Text;
  S.Elements = at(P[4]).Number;
  llvm::StringRef Type = at(P[1]).Text;
  Type.consume_front("torch ");
  S.Type = llvm::StringSwitch<DType>(Type)
               .Case("FloatStorage", DType::Float32)
               .Case("DoubleStorage", DType::Float64)
               .Case("HalfStorage", DType::Float16)
               .Case("BFloat16Storage", DType::BFloat16)
               .Case("LongStorage", DType::Int64)
               .Case("IntStorage", DType::Int32)
               .Case("ShortStorage", DType::Int16)
               .Cases("CharStorage", "QInt8Storage", DType::Int8)
               .Cases("ByteStorage", "QUInt8Storage", DType::UInt8)
               .Case("QInt32Storage", DType::Int32)
               .Case("BoolStorage", DType::Bool)
               .Case("ComplexFloatStorage", DType::ComplexFloat)
               .Case("ComplexDoubleStorage", DType::ComplexDouble)
               .Default(DType::Unknown);
  S.ItemBytes = itemSize(S.Type);
  auto [It, New] = StorageByKey.try_emplace(S.Key, Tree.Storages.size());
  if (New)
    Tree.Storages.push_back(S);
  else if (Tree.Storages[It->second].Elements != S.Elements ||
           Tree.Storages[It->second].ItemBytes != S.ItemBytes)
    return fail("has a storage of two sizes");
  PickleValue V;
  V.Kind = PickleValue::Storage;
  V.StorageIndex = It->second;
  push(add(std::move(V)));
}

/// Numbers, None, True and False.
bool Reader::constant(uint8_t Op) {
  PickleValue V;
  V.Kind = PickleValue::Int;
  switch (Op) {
  case 'N':
    V.Kind = PickleValue::None;
    break;
  case 0x88:
  case 0x89:
    V.Kind = PickleValue::Bool;
    V.Number = Op == 0x88;
    break;
  case 'J':
    V.Number = number<int32_t>();
    break;
  case 'K':
    V.Number = number<uint8_t>();
    break;
  case 'M':
    V.Number = number<uint16_t>();
    break;
  case 'G':
    V.Kind = PickleValue::Float;
    take(8);
    break;
  case 0x8a: { // LONG1: little endian, as many bytes as it needs.
    uint64_t N = number<uint8_t>();
    llvm::StringRef B = take(N);
    if (B.size() > 8) {
      V.Kind = PickleValue::Other;
      break;
    }
    uint64_t Bits = !B.empty() && (B.back() & 0x80) ? ~0ull : 0;
    for (size_t I = B.size(); I-- > 0;)
      Bits = Bits << 8 | uint8_t(B[I]);
    V.Number = int64_t(Bits);
    break;
  }
  default:
    return false;
  }
  push(add(std::move(V)));
  return true;
}

/// Strings and bytes.
bool Reader::text(uint8_t Op) {
  uint64_t N;
  switch (Op) {
  case 'X': // BINUNICODE
  case 'T': // BINSTRING
  case 'B': // BINBYTES
    N = number<uint32_t>();
    break;
  case 'U':
  case 'C':
  case 0x8c: // SHORT_BINUNICODE
    N = number<uint8_t>();
    break;
  default:
    return false;
  }
  PickleValue V;
  V.Kind = PickleValue::String;
  V.Text = take(N).str();
  push(add(std::move(V)));
  return true;
}

bool Reader::memo(uint8_t Op) {
  uint32_t Key;
  switch (Op) {
  case 'q':
  case 'h':
    Key = number<uint8_t>();
    break;
  case 'r':
  case 'j':
    Key = number<uint32_t>();
    break;
  case 0x94: // MEMOIZE
    Key = uint32_t(Memo.size());
    break;
  default:
    return false;
  }
  // Larger keys are none that a DenseMap may be asked for.
  if (Key >= Limits.MaxOpcodes) {
    fail("is damaged");
  } else if (Op == 'h' || Op == 'j') {
    auto It = Memo.find(Key);
    if (It == Memo.end())
      fail("is damaged");
    else
      push(It->second);
  } else if (Stack.empty()) {
    fail("is damaged");
  } else {
    Memo[Key] = Stack.back();
  }
  return true;
}

/// Lists, tuples and dictionaries.
bool Reader::collect(uint8_t Op) {
  PickleValue V;
  switch (Op) {
  case '(':
    Marks.push_back(Stack.size());
    return true;
  case ')':
  case 0x85:
  case 0x86:
  case 0x87:
    tuple(Op == ')' ? 0 : Op - 0x84);
    return true;
  case 't':
    V.Kind = PickleValue::Tuple;
    V.Items = popToMark();
    break;
  case 'l':
    V.Kind = PickleValue::List;
    V.Items = popToMark();
    break;
  case ']':
    V.Kind = PickleValue::List;
    break;
  case '}':
    V.Kind = PickleValue::Dict;
    break;
  case 'a':
  case 'e':
  case 's':
  case 'u': {
    std::vector<PickleRef> More;
    if (Op == 'e' || Op == 'u')
      More = popToMark();
    else if (Op == 's')
      More = {0, pop()}, More[0] = pop();
    else
      More = {pop()};
    if (Stack.empty() || ((Op == 's' || Op == 'u') && More.size() % 2))
      fail("is damaged");
    else
      append(Stack.back(), More);
    return true;
  }
  default:
    return false;
  }
  Items += V.Items.size();
  push(add(std::move(V)));
  return true;
}

/// What would call something.
bool Reader::make(uint8_t Op) {
  switch (Op) {
  case 'c': {
    llvm::StringRef Module = line(), Name = line();
    if (Module.size() + Name.size() > Limits.MaxNameBytes)
      fail("has a name that is too long");
    else
      global((Module + " " + Name).str());
    return true;
  }
  case 0x93: { // STACK_GLOBAL
    PickleRef Name = pop(), Module = pop();
    if (at(Module).Text.size() + at(Name).Text.size() > Limits.MaxNameBytes)
      fail("has a name that is too long");
    else if (Error.empty())
      global(at(Module).Text + " " + at(Name).Text);
    return true;
  }
  case 'R':
    reduce();
    return true;
  case 0x81:
    newObject();
    return true;
  case 'b':
    build();
    return true;
  case 'Q':
    persistent();
    return true;
  default:
    return false;
  }
}

bool Reader::step(uint8_t Op) {
  switch (Op) {
  case 0x80: // PROTO
    number<uint8_t>();
    return true;
  case 0x95: // FRAME
    number<uint64_t>();
    return true;
  case '0':
    pop();
    return true;
  case '1':
    popToMark();
    return true;
  case '2': {
    PickleRef Top = pop();
    push(Top);
    push(Top);
    return true;
  }
  case '.':
    Tree.Root = pop();
    Done = true;
    return true;
  default:
    return constant(Op) || text(Op) || memo(Op) || collect(Op) || make(Op);
  }
}

llvm::Expected<PickleTree> Reader::run() {
  add(PickleValue()); // What a failed step refers to.
  for (size_t I = 0; !Done && Error.empty(); ++I) {
    if (I >= Limits.MaxOpcodes || Stack.size() > Limits.MaxValues) {
      fail("has too many steps");
      break;
    }
    llvm::StringRef Op = take(1);
    if (Error.empty() && !step(uint8_t(Op[0])))
      fail("has a step that isn't known");
  }
  if (!Error.empty())
    return llvm::createStringError(Error);
  return std::move(Tree);
}

llvm::Expected<PickleTree> readPickle(llvm::StringRef Bytes,
                                      const ArchiveLimits &Limits) {
  return Reader(Bytes, Limits).run();
}

} // namespace vramlint
