//===- lib/torch/modules/Attention.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Rows: attention and transformers. Mirrors torch/csrc/api/src/nn/modules/
// transformer.cpp and F::multi_head_attention_forward.

#include "lib/torch/modules/ModuleRow.h"

#include "lib/torch/Rules.h"

namespace vramlint {

static void buildAttention(BuiltinModule &M) {
  Dim E = M.dim("embed_dim");
  bool Bias = M.boolean("bias", true);
  auto Width = [&](const char *Name) {
    std::optional<int64_t> N = M.Given.integer(Name);
    return N && *N > 0 ? Dim(*N) : E;
  };
  Dim K = Width("kdim"), V = Width("vdim");
  bool Same = K == E && V == E;
  if (Same) {
    M.parameter("in_proj_weight", {Dim(3) * E, E});
    for (const char *Name : {"q_proj_weight", "k_proj_weight", "v_proj_weight"})
      M.parameter(Name, {}, false);
  } else {
    M.parameter("q_proj_weight", {E, E});
    M.parameter("k_proj_weight", {E, K});
    M.parameter("v_proj_weight", {E, V});
    M.parameter("in_proj_weight", {}, false);
  }
  M.parameter("in_proj_bias", {Dim(3) * E}, Bias);
  Arg Length = E.known() ? Arg(E.Length) : Arg(Arg::UnknownArg{"embed_dim not known"});
  M.child("out_proj", "Linear", {{"in_features", Length}, {"out_features", Length}, {"bias", Arg(Bias)}});
  bool BiasKv = M.boolean("add_bias_kv", false);
  M.parameter("bias_k", {Dim(1), Dim(1), E}, BiasKv);
  M.parameter("bias_v", {Dim(1), Dim(1), E}, BiasKv);
}

static OpResult forwardAttention(BuiltinModule &M, Args &A) {
  Args Call;
  const char *Names[] = {"query", "key", "value", "key_padding_mask",
                         "need_weights", "attn_mask", "average_attn_weights"};
  for (unsigned I = 0; I < A.List.size() && I < 7; ++I)
    Call.add(Names[I], nth(A, I));
  for (const auto &[Name, T] : M.Parameters)
    Call.add(Name, T);
  if (auto *Out = static_cast<BuiltinModule *>(M.childNamed("out_proj"))) {
    Call.add("out_proj_weight", Out->own("weight"));
    Call.add("out_proj_bias", Out->own("bias"));
  }
  Call.add("num_heads", Arg(M.integer("num_heads", 1)));
  Call.add("dropout_p", Arg(M.number("dropout", 0)));
  Call.add("add_zero_attn", Arg(M.boolean("add_zero_attn", false)));
  Call.add("training", Arg(M.Training));
  return M.R.call("multi_head_attention_forward", Call);
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

/// An option of the layer as an Arg for a child, or its default.
static Arg option(BuiltinModule &M, const char *Name, Arg Default) {
  auto It = M.Options->find(Name);
  return It == M.Options->end() ? Default : It->second;
}

static OptionMap linearOptions(Arg In, Arg Out) {
  return {{"in_features", In}, {"out_features", Out}};
}

static void addAttention(BuiltinModule &M, const char *Name) {
  M.child(Name, "MultiheadAttention",
          {{"embed_dim", option(M, "d_model", Arg(int64_t(512)))},
           {"num_heads", option(M, "nhead", Arg(int64_t(8)))},
           {"dropout", option(M, "dropout", Arg(0.1))}});
}

/// Both layers' reset(): attention first, then the feed-forward part.
static void buildLayer(BuiltinModule &M, bool Decoder) {
  Arg Width = option(M, "d_model", Arg(int64_t(512)));
  Arg Inner = option(M, "dim_feedforward", Arg(int64_t(2048)));
  OptionMap Drop{{"p", option(M, "dropout", Arg(0.1))}};
  OptionMap Norm{{"normalized_shape", Arg(Arg::Ints{std::get_if<int64_t>(&Width.V)
                                                        ? Arg::Int(*std::get_if<int64_t>(&Width.V))
                                                        : std::nullopt})}};
  addAttention(M, "self_attn");
  if (Decoder) {
    M.child("dropout1", "Dropout", Drop);
    addAttention(M, "multihead_attn");
    M.child("dropout2", "Dropout", Drop);
  }
  M.child("linear1", "Linear", linearOptions(Width, Inner));
  M.child("dropout", "Dropout", Drop);
  M.child("linear2", "Linear", linearOptions(Inner, Width));
  if (Decoder)
    M.child("dropout3", "Dropout", Drop);
  M.child("norm1", "LayerNorm", Norm);
  M.child("norm2", "LayerNorm", Norm);
  if (Decoder) {
    M.child("norm3", "LayerNorm", Norm);
  } else {
    M.child("dropout1", "Dropout", Drop);
    M.child("dropout2", "Dropout", Drop);
  }
}

static void buildEncoderLayer(BuiltinModule &M) { buildLayer(M, false); }
static void buildDecoderLayer(BuiltinModule &M) { buildLayer(M, true); }

/// Runs child by child; the first failure ends it. What a statement of LibTorch's
/// forward makes on the way lives until endStatement().
class LayerRun {
public:
  explicit LayerRun(BuiltinModule &M) : M(M) {}
  std::optional<OpResult> Error;

  TensorRef call(const char *Child, std::initializer_list<Arg> Inputs) {
    Args A;
    for (const Arg &I : Inputs)
      A.add("input", I);
    Module *C = M.childNamed(Child);
    if (Error)
      return nullptr;
    return keep(C ? C->callForward(A) : OpResult::notModelled(Child));
  }
  TensorRef op(llvm::StringRef Op, const TensorRef &A, const TensorRef &B = nullptr) {
    if (Error)
      return nullptr;
    Args Call;
    Call.add("self", A);
    if (B)
      Call.add("other", B);
    return keep(M.R.call(Op, Call));
  }
  /// std::get<0>(attn(q, k, k, padding, need_weights, mask))
  TensorRef attend(const char *Child, const TensorRef &Q, const TensorRef &K,
                   const Arg &Mask, const Arg &Padding, bool Weights) {
    return call(Child, {Arg(Q), Arg(K), Arg(K), Padding, Arg(Weights), Mask});
  }
  /// linear2(dropout(activation(linear1(x))))
  TensorRef feedForward(const TensorRef &X) {
    bool Gelu = M.keyword("activation", "relu") == "gelu";
    TensorRef Inner = call("linear1", {Arg(X)});
    Inner = op(Gelu ? "gelu" : "relu", Inner);
    Inner = call("dropout", {Arg(Inner)});
    return call("linear2", {Arg(Inner)});
  }
  void endStatement() { Temporaries.clear(); }

private:
  TensorRef keep(OpResult R) {
    if (R.Kind != OpResult::Ok || R.Values.empty()) {
      Error = std::move(R);
      return nullptr;
    }
    for (Arg &V : R.Values)
      if (auto *T = std::get_if<TensorRef>(&V.V))
        Temporaries.push_back(*T);
    auto *T = std::get_if<TensorRef>(&R.Values[0].V);
    return T ? *T : nullptr;
  }
  BuiltinModule &M;
  std::vector<TensorRef> Temporaries;
};

static OpResult forwardEncoderLayer(BuiltinModule &M, Args &A) {
  LayerRun L(M);
  TensorRef Src = nthTensor(A, 0);
  TensorRef Src2 = L.attend("self_attn", Src, Src, nth(A, 1), nth(A, 2), true);
  L.endStatement();
  TensorRef Ret = L.call("norm1", {Arg(L.op("add", Src, L.call("dropout1", {Arg(Src2)})))});
  L.endStatement();
  Src2 = L.feedForward(Ret);
  L.endStatement();
  TensorRef Result = L.call("norm2", {Arg(L.op("add", Ret, L.call("dropout2", {Arg(Src2)})))});
  L.endStatement();
  return L.Error ? *L.Error : OpResult::one(Result);
}

static OpResult forwardDecoderLayer(BuiltinModule &M, Args &A) {
  LayerRun L(M);
  TensorRef Tgt = nthTensor(A, 0), Memory = nthTensor(A, 1);
  auto Join = [&](TensorRef &Ret, const TensorRef &To, const TensorRef &What,
                  const char *Drop, const char *Norm) {
    Ret = L.op("add", To, L.call(Drop, {Arg(What)}));
    L.endStatement();
    Ret = L.call(Norm, {Arg(Ret)});
    L.endStatement();
  };
  TensorRef Ret, Tgt2 = L.attend("self_attn", Tgt, Tgt, nth(A, 2), nth(A, 4), false);
  L.endStatement();
  Join(Ret, Tgt, Tgt2, "dropout1", "norm1");
  Tgt2 = L.attend("multihead_attn", Ret, Memory, nth(A, 3), nth(A, 5), false);
  L.endStatement();
  Join(Ret, Ret, Tgt2, "dropout2", "norm2");
  Tgt2 = L.feedForward(Ret);
  L.endStatement();
  Join(Ret, Ret, Tgt2, "dropout3", "norm3");
  return L.Error ? *L.Error : OpResult::one(Ret);
}

//===----------------------------------------------------------------------===//
// Stacks of layers
//===----------------------------------------------------------------------===//

/// TransformerEncoder and -Decoder: clones of a layer that the program made. The
/// options are kept, and with them, as in LibTorch, that first layer.
static void buildStack(BuiltinModule &M, const char *LayerOption, const char *Class) {
  const Arg *Given = M.Given.find(LayerOption);
  // Options of a layer: the stack's own options make it, and keep it too.
  if (const auto *Of = Given ? std::get_if<std::shared_ptr<OptionMap>>(&Given->V) : nullptr;
      Of && *Of) {
    std::string Why;
    Arg Made(makeBuiltinModule(M.R, Class, **Of, Why));
    (*M.Options)[LayerOption] = Made;
    for (auto &[Name, V] : M.Given.List)
      if (Name == LayerOption)
        V = Made;
    Given = M.Given.find(LayerOption);
  }
  const auto *Layer = Given ? std::get_if<ModuleRef>(&Given->V) : nullptr;
  int64_t Count = std::min<int64_t>(M.integer("num_layers", 1), 1024);
  auto List = M.child("layers", "ModuleList", {});
  for (int64_t I = 0; Layer && *Layer && I < Count; ++I)
    if (ModuleRef Copy = (*Layer)->clone())
      List->registerModule(std::to_string(I), Copy, Copy);
  const Arg *Norm = M.Given.find("norm");
  if (const auto *N = Norm ? std::get_if<ModuleRef>(&Norm->V) : nullptr; N && *N)
    if (ModuleRef Copy = (*N)->clone())
      M.registerModule("norm", Copy, Copy);
}

static void buildEncoder(BuiltinModule &M) {
  buildStack(M, "encoder_layer", "TransformerEncoderLayer");
}
static void buildDecoder(BuiltinModule &M) {
  buildStack(M, "decoder_layer", "TransformerDecoderLayer");
}

/// The layers one after the other; \p Inputs of the call go to each unchanged but
/// for the first.
static OpResult forwardStack(BuiltinModule &M, Args &A) {
  Module *List = M.childNamed("layers");
  if (!M.integer("num_layers", 1))
    return OpResult::failed("layers should not be empty");
  if (!List || List->Children.empty())
    return OpResult::notModelled("the layer that a " + M.ClassName + " is made of");
  OpResult Result = OpResult::one(nth(A, 0));
  auto Run = [&](Module &Layer, bool All) {
    Args Next;
    Next.add("input", Result.Values[0]);
    for (unsigned I = 1; All && I < A.List.size(); ++I)
      Next.add(A.List[I].first, A.List[I].second);
    Result = Layer.callForward(Next);
    return Result.Kind == OpResult::Ok && !Result.Values.empty();
  };
  for (Module::Child &C : List->Children)
    if (!C.M || !Run(*C.M, true))
      return Result;
  if (Module *Norm = M.childNamed("norm"))
    Run(*Norm, false);
  return Result;
}

/// nn::Transformer keeps the layers that its encoder and decoder were cloned from
/// in their options: not registered, but there.
static void buildTransformer(BuiltinModule &M) {
  OptionMap Layer;
  for (const char *Name : {"d_model", "nhead", "dim_feedforward", "dropout", "activation"})
    if (auto It = M.Options->find(Name); It != M.Options->end())
      Layer.insert(*It);
  Layer.try_emplace("d_model", Arg(int64_t(512)));
  Arg Width = Layer["d_model"];
  const auto *N = std::get_if<int64_t>(&Width.V);
  OptionMap Norm{{"normalized_shape", Arg(Arg::Ints{N ? Arg::Int(*N) : std::nullopt})}};
  std::string Why;
  auto Stack = [&](const char *Name, const char *Class, const char *LayerClass,
                   const char *LayerOption, const char *Count) {
    // Evaluated as in transformer.cpp: the norm first, then the layer.
    ModuleRef NormModule = makeBuiltinModule(M.R, "LayerNorm", Norm, Why);
    ModuleRef LayerModule = makeBuiltinModule(M.R, LayerClass, Layer, Why);
    M.child(Name, Class,
            {{LayerOption, Arg(LayerModule)},
             {"num_layers", option(M, Count, Arg(int64_t(6)))},
             {"norm", Arg(NormModule)}});
  };
  Stack("encoder", "TransformerEncoder", "TransformerEncoderLayer",
        "encoder_layer", "num_encoder_layers");
  Stack("decoder", "TransformerDecoder", "TransformerDecoderLayer",
        "decoder_layer", "num_decoder_layers");
}

static OpResult forwardTransformer(BuiltinModule &M, Args &A) {
  Module *Encoder = M.childNamed("encoder"), *Decoder = M.childNamed("decoder");
  Args First;
  First.add("src", nth(A, 0));
  First.add("src_mask", nth(A, 2));
  First.add("src_key_padding_mask", nth(A, 5));
  OpResult Memory = Encoder->callForward(First);
  if (Memory.Kind != OpResult::Ok || Memory.Values.empty())
    return Memory;
  Args Second;
  Second.add("tgt", nth(A, 1));
  Second.add("memory", Memory.Values[0]);
  Second.add("tgt_mask", nth(A, 3));
  Second.add("memory_mask", nth(A, 4));
  Second.add("tgt_key_padding_mask", nth(A, 6));
  Second.add("memory_key_padding_mask", nth(A, 7));
  return Decoder->callForward(Second);
}

llvm::ArrayRef<ModuleRow> attentionModules() {
  static const ModuleRow Rows[] = {
      {.Class = "MultiheadAttention", .Build = buildAttention, .Forward = forwardAttention, .Shown = "embed_dim,num_heads"},
      {.Class = "Transformer", .Build = buildTransformer, .Forward = forwardTransformer, .Shown = "d_model,nhead"},
      {.Class = "TransformerDecoder", .Build = buildDecoder, .Forward = forwardStack, .Shown = "num_layers"},
      {.Class = "TransformerDecoderLayer", .Build = buildDecoderLayer, .Forward = forwardDecoderLayer, .Shown = "d_model,nhead"},
      {.Class = "TransformerEncoder", .Build = buildEncoder, .Forward = forwardStack, .Shown = "num_layers"},
      {.Class = "TransformerEncoderLayer", .Build = buildEncoderLayer, .Forward = forwardEncoderLayer, .Shown = "d_model,nhead"},
  };
  return Rows;
}

} // namespace vramlint
