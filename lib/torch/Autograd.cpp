//===- lib/torch/Autograd.cpp
// Part of vramlint, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The autograd engine (torch/csrc/autograd/engine.cpp, accumulate_grad.h,
// input_buffer.cpp of LibTorch 1.13), one thread:
//
//   root gradients ─► ready queue, highest sequence number first,
//                     AccumulateGrad before all ─► call node ─► check results
//                     ─► release saved tensors ─► add to the inputs of the next
//
// A leaf takes over the gradient it is given if nobody else holds it, else it
// clones it; a later one is added in place. Two gradients for one node are added
// into a new tensor.
//
// With create_graph, formulas made of recorded ops get a graph of their own;
// results of others get a node that says it has no second derivative here.

#include "lib/torch/Rules.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace vramlint {

static constexpr uint64_t AccumulateSequence = ~uint64_t(0);

void TensorImpl::renewHistory() const {
  if (!FollowsBase || !Base || !Store || HistoryVersion == Store->Version ||
      (!GradFn && !Base->needsGrad()))
    return;
  TensorImpl &Self = const_cast<TensorImpl &>(*this);
  Self.HistoryVersion = Store->Version;
  Self.GradFn = aten::asStridedNode(Store->R, Base, Self);
  Self.OutputNr = 0;
}

Edge gradientEdge(const TensorRef &T) {
  if (!T)
    return Edge();
  T->renewHistory();
  if (T->GradFn)
    return Edge{T->GradFn, T->OutputNr};
  if (!T->RequiresGrad)
    return Edge();
  if (T->Accumulator)
    return Edge{NodeRef(T->Accumulator), 0};
  NodeRef N(new Node);
  N->Name = "AccumulateGrad";
  N->Sequence = AccumulateSequence;
  N->Variable = T;
  N->Outputs.push_back({T->Sizes, T->Type, T->Dev});
  T->Accumulator = N.get();
  return Edge{N, 0};
}

namespace {

/// The gradients collected so far for the outputs of one node.
using InputBuffer = Node::Gradients;

struct Task {
  NodeRef Fn;
  InputBuffer Inputs;
};

/// Gives saved results their history back while a backward that is itself
/// recorded runs. For ever would be a cycle.
class SavedHistory {
public:
  explicit SavedHistory(Node &N) : N(N) {
    for (SavedTensor &S : N.Saved)
      if (S.resultNr() >= 0 && S.get()) {
        S.get()->GradFn = NodeRef(&N);
        S.get()->OutputNr = S.resultNr();
      }
  }
  ~SavedHistory() {
    for (SavedTensor &S : N.Saved)
      if (S.resultNr() >= 0 && S.get())
        S.get()->GradFn = nullptr;
  }

private:
  Node &N;
};

class Engine {
public:
  Engine(Runtime &R, bool KeepGraph) : R(R), KeepGraph(KeepGraph) {}
  /// Where captured gradients go instead of into leaves: autograd::grad.
  struct Capture { NodeRef Fn; unsigned InputNr; TensorRef Result; };
  llvm::SmallVector<Capture, 2> Captures;
  bool Capturing = false;

  void run(llvm::ArrayRef<TensorRef> Roots, llvm::ArrayRef<TensorRef> Grads);

private:
  void countDependencies(Node *Root);
  void evaluate(Task &T);
  Node::Gradients callNode(Node &N, InputBuffer Inputs);
  void checkResults(Node &N, Node::Gradients &Outputs);
  void markUnrecorded(Node &N, InputBuffer &Inputs, Node::Gradients &Outputs);
  void accumulate(Node &N, InputBuffer &Inputs);
  void addToBuffer(InputBuffer &Buffer, unsigned Nr, TensorRef &Value);
  void push(NodeRef Fn, InputBuffer Inputs);
  bool wanted(Node *N) const { return !Capturing || Needed.contains(N); }

  Runtime &R;
  bool KeepGraph;
  llvm::DenseMap<Node *, unsigned> Dependencies;
  llvm::DenseSet<Node *> Needed;
  llvm::DenseMap<Node *, InputBuffer> NotReady;
  std::vector<Task> Ready; ///< Few at a time, so a scan finds the next.
};

void Engine::push(NodeRef Fn, InputBuffer Inputs) {
  Ready.push_back({std::move(Fn), std::move(Inputs)});
}

void Engine::countDependencies(Node *Root) {
  llvm::DenseSet<Node *> Seen = {Root};
  std::vector<Node *> All = {Root};
  for (size_t I = 0; I < All.size(); ++I)
    for (const Edge &E : All[I]->Next) {
      if (!E.Fn)
        continue;
      ++Dependencies[E.Fn.get()];
      if (Seen.insert(E.Fn.get()).second)
        All.push_back(E.Fn.get());
    }
  if (!Capturing)
    return;
  // A node is needed if a captured one can be reached from it. Sequence numbers
  // grow from inputs to outputs, so one pass in their order is enough.
  for (const Capture &C : Captures)
    Needed.insert(C.Fn.get());
  llvm::sort(All, [](Node *A, Node *B) {
    bool LeafA = A->Sequence == AccumulateSequence;
    bool LeafB = B->Sequence == AccumulateSequence;
    return LeafA != LeafB ? LeafA : A->Sequence < B->Sequence;
  });
  for (Node *N : All)
    for (const Edge &E : N->Next)
      if (E.Fn && Needed.contains(E.Fn.get()))
        Needed.insert(N);
}

/// Takes \p Value only where it is the first: LibTorch's sums leave both sides to
/// die with the node's results.
void Engine::addToBuffer(InputBuffer &Buffer, unsigned Nr, TensorRef &Value) {
  if (!Value)
    return;
  if (Buffer.size() <= Nr)
    Buffer.resize(Nr + 1);
  TensorRef &Old = Buffer[Nr];
  if (!Old) {
    Old = std::move(Value);
    return;
  }
  Old = aten::add(R, Old, Value);
}

void Engine::accumulate(Node &N, InputBuffer &Inputs) {
  if (Inputs.empty() || !Inputs[0])
    return;
  TensorRef New = std::move(Inputs[0]);
  TensorRef &Leaf = N.Variable;
  if (Leaf->Grad) {
    if (R.GradMode)
      Leaf->Grad = aten::add(R, Leaf->Grad, New);
    else
      aten::addInPlace(R, Leaf->Grad, New);
  } else if (!R.GradMode && New.useCount() == 1 &&
             aten::obeysLayout(*New, *Leaf)) {
    Leaf->Grad = R.alias(New); // detach()
  } else {
    Leaf->Grad = R.GradMode ? aten::clone(R, New) // A part of the graph.
                            : aten::cloneLike(R, New, *Leaf);
  }
  if (Leaf->Grad && Leaf->Grad->Store)
    R.recategorize(Leaf->Grad, Category::Gradient);
}

void Engine::checkResults(Node &N, Node::Gradients &Outputs) {
  for (unsigned I = 0; I < N.Next.size() && I < Outputs.size(); ++I) {
    const Edge &E = N.Next[I];
    TensorRef &G = Outputs[I];
    if (!E.Fn || !G || E.InputNr >= E.Fn->Outputs.size())
      continue;
    const Node::OutputMeta &Meta = E.Fn->Outputs[E.InputNr];
    if (!(G->Sizes == Meta.Sizes) && Meta.Sizes.RankKnown &&
        G->Sizes.RankKnown)
      G = aten::sumTo(R, G, Meta.Sizes);
    if (G && G->Type != Meta.Type && Meta.Type != DType::Unknown)
      G = aten::toDType(R, G, Meta.Type);
  }
}

void Engine::markUnrecorded(Node &N, InputBuffer &Inputs,
                            Node::Gradients &Outputs) {
  NodeRef Mark(new Node);
  Mark->Name = N.Name;
  Mark->Sequence = R.NextSequence++;
  auto Visit = [&](const TensorRef &T) {
    if (T && T->needsGrad())
      Mark->Next.push_back(gradientEdge(T));
  };
  for (const TensorRef &T : Inputs)
    Visit(T);
  for (const SavedTensor &S : N.Saved)
    Visit(S.get());
  if (Mark->Next.empty())
    return;
  Mark->Backward = [](Runtime &R, Node &N, Node::Gradients &) {
    R.failNotModelled(("second derivative of " + llvm::Twine(N.Name)).str());
    return Node::Gradients(N.Next.size());
  };
  for (TensorRef &T : Outputs) {
    if (!T || T->needsGrad())
      continue;
    T->GradFn = Mark;
    T->OutputNr = Mark->Outputs.size();
    Mark->Outputs.push_back({T->Sizes, T->Type, T->Dev});
  }
}

Node::Gradients Engine::callNode(Node &N, InputBuffer Inputs) {
  Node::Gradients Outputs;
  if (N.Sequence == AccumulateSequence) {
    accumulate(N, Inputs);
    return Outputs;
  }
  if (N.Released && !KeepGraph) {
    R.fail("trying to backward through the graph a second time",
           FailureKind::Other);
    return Outputs;
  }
  Inputs.resize(std::max<size_t>(N.Outputs.size(), 1));
  bool Any = llvm::any_of(Inputs, [](const TensorRef &T) { return bool(T); });
  if (!N.Backward) {
    R.failNotModelled(("backward of " + llvm::Twine(N.Name)).str());
    return Outputs;
  }
  if (Any && R.GradMode) {
    SavedHistory History(N);
    Outputs = N.Backward(R, N, Inputs);
    markUnrecorded(N, Inputs, Outputs);
  } else if (Any) {
    Outputs = N.Backward(R, N, Inputs);
  }
  Outputs.resize(N.Next.size());
  checkResults(N, Outputs);
  return Outputs;
}

void Engine::evaluate(Task &T) {
  Node &N = *T.Fn;
  // A gradient asked for is taken from the buffer before the node runs.
  for (Capture &C : Captures)
    if (C.Fn == T.Fn && C.InputNr < T.Inputs.size())
      C.Result = T.Inputs[C.InputNr];
  if (Capturing && N.Sequence == AccumulateSequence)
    return;
  if (Capturing && llvm::none_of(N.Next, [&](const Edge &E) {
        return E.Fn && Needed.contains(E.Fn.get());
      }))
    return;
  Node::Gradients Outputs;
  if (N.Sequence == AccumulateSequence) {
    Outputs = callNode(N, std::move(T.Inputs));
  } else {
    // What backward allocates belongs to the module whose forward it undoes.
    R.Modules.push_back(
        {N.ModulePath, N.ModuleClass, N.BuiltinModule, N.Module});
    // Only what leads to a gradient asked for is computed.
    llvm::SmallVector<Edge, 4> AllEdges;
    if (Capturing) {
      AllEdges = N.Next;
      for (Edge &E : N.Next)
        if (E.Fn && !Needed.contains(E.Fn.get()))
          E.Fn = nullptr;
    }
    R.asOp(N.Name, [&] { Outputs = callNode(N, std::move(T.Inputs)); });
    if (Capturing)
      N.Next = std::move(AllEdges);
    R.Modules.pop_back();
  }
  T.Inputs.clear();
  if (R.failed())
    return;
  if (!KeepGraph && N.Sequence != AccumulateSequence) {
    // A node that kept nothing may run again.
    for (SavedTensor &S : N.Saved) {
      N.Released |= bool(S.get());
      S.reset();
    }
  }
  for (unsigned I = 0; I < Outputs.size(); ++I) {
    const Edge &E = N.Next[I];
    if (!E.Fn || !wanted(E.Fn.get()))
      continue;
    bool IsReady = --Dependencies[E.Fn.get()] == 0;
    InputBuffer &Buffer = NotReady[E.Fn.get()];
    addToBuffer(Buffer, E.InputNr, Outputs[I]);
    if (!IsReady)
      continue;
    InputBuffer Taken = std::move(Buffer);
    NotReady.erase(E.Fn.get());
    push(E.Fn, std::move(Taken));
  }
}

void Engine::run(llvm::ArrayRef<TensorRef> Roots,
                 llvm::ArrayRef<TensorRef> Grads) {
  llvm::SmallVector<Edge, 2> Edges;
  for (const TensorRef &T : Roots)
    Edges.push_back(gradientEdge(T));
  NodeRef Start;
  InputBuffer First;
  if (Roots.size() == 1) {
    Start = Edges[0].Fn;
    TensorRef Root = Grads[0];
    addToBuffer(First, Edges[0].InputNr, Root);
  } else {
    Start = new Node; // GraphRoot: hands each gradient to its root.
    Start->Name = "GraphRoot";
    Start->Sequence = R.NextSequence++;
    Start->Next.assign(Edges.begin(), Edges.end());
    llvm::SmallVector<TensorRef, 2> Copy(Grads);
    Start->Backward = [Copy](Runtime &, Node &, Node::Gradients &) {
      return Node::Gradients(Copy.begin(), Copy.end());
    };
    First.push_back(Grads[0]);
  }
  countDependencies(Start.get());
  push(Start, std::move(First));
  while (!Ready.empty() && !R.failed()) {
    size_t Best = 0;
    for (size_t I = 1; I < Ready.size(); ++I)
      if (Ready[I].Fn->Sequence > Ready[Best].Fn->Sequence)
        Best = I;
    Task T = std::move(Ready[Best]);
    Ready.erase(Ready.begin() + Best);
    StackId Stack = R.CurrentStack;
    evaluate(T);
    R.CurrentStack = Stack;
  }
}

/// Sets grad mode and phase for one run of the engine.
class BackwardScope {
public:
  BackwardScope(Runtime &R, bool CreateGraph)
      : R(R), GradMode(R.GradMode), In(R.In), Below(R.Below),
        Modules(std::move(R.Modules)) {
    R.GradMode = CreateGraph;
    R.In = Phase::Backward;
    R.Below = 0;
    R.Modules.clear();
    R.event(EventKind::PhaseBegin, None, int64_t(Phase::Backward));
  }
  ~BackwardScope() {
    R.event(EventKind::PhaseEnd, None, int64_t(Phase::Backward));
    R.GradMode = GradMode;
    R.In = In;
    R.Below = Below;
    R.Modules = std::move(Modules);
  }

private:
  Runtime &R;
  bool GradMode;
  Phase In;
  unsigned Below;
  std::vector<Runtime::ModuleScope> Modules;
};

} // namespace

/// Checks roots and makes the gradients that were not given. False: failed.
static bool makeGradients(Runtime &R, llvm::ArrayRef<TensorRef> Roots,
                          llvm::MutableArrayRef<TensorRef> Grads) {
  for (size_t I = 0; I < Roots.size(); ++I) {
    const TensorRef &T = Roots[I];
    if (!T || !T->needsGrad()) {
      // A tensor that nothing is known of may well have a history.
      if (T && !T->Sizes.RankKnown)
        R.failNotModelled("backward of a tensor that is not known");
      else
        R.fail("the tensor does not require grad and does not have a grad_fn",
               FailureKind::Other);
      return false;
    }
    if (Grads[I])
      continue;
    int64_t N = T->elements();
    if (N >= 0 && N != 1) {
      R.fail("grad can be implicitly created only for scalar outputs, got " +
             T->Sizes.str());
      return false;
    }
    Grads[I] = R.make(T->Sizes, T->Type, T->Dev);
  }
  return true;
}

OpResult Runtime::backward(const TensorRef &Root, TensorRef Gradient,
                           bool RetainGraph, bool CreateGraph) {
  return backward(llvm::ArrayRef<TensorRef>(Root),
                  llvm::ArrayRef<TensorRef>(Gradient), RetainGraph,
                  CreateGraph);
}

OpResult Runtime::backward(llvm::ArrayRef<TensorRef> Roots,
                           llvm::ArrayRef<TensorRef> Gradients,
                           bool RetainGraph, bool CreateGraph) {
  if (If.Autocast)
    clearAutocastCache();
  std::optional<OpResult> Outer;
  std::swap(Outer, Error);
  {
    BackwardScope Scope(*this, CreateGraph);
    llvm::SmallVector<TensorRef, 2> Grads(Gradients);
    Grads.resize(Roots.size());
    if (makeGradients(*this, Roots, Grads)) {
      Engine E(*this, RetainGraph || CreateGraph);
      E.run(Roots, Grads);
    }
  }
  std::swap(Outer, Error);
  return Outer ? *Outer : OpResult();
}

OpResult Runtime::grad(llvm::ArrayRef<TensorRef> Roots,
                       llvm::ArrayRef<TensorRef> Gradients,
                       llvm::ArrayRef<TensorRef> Inputs, bool RetainGraph,
                       bool CreateGraph, bool AllowUnused) {
  std::optional<OpResult> Outer;
  std::swap(Outer, Error);
  std::vector<TensorRef> Results;
  {
    BackwardScope Scope(*this, CreateGraph);
    llvm::SmallVector<TensorRef, 2> Grads(Gradients);
    Grads.resize(Roots.size());
    if (makeGradients(*this, Roots, Grads)) {
      Engine E(*this, RetainGraph || CreateGraph);
      E.Capturing = true;
      for (const TensorRef &T : Inputs) {
        Edge Target = gradientEdge(T);
        if (!Target.Fn)
          fail("one of the differentiated tensors does not require grad");
        E.Captures.push_back({Target.Fn, Target.InputNr, nullptr});
      }
      if (!failed())
        E.run(Roots, Grads);
      for (Engine::Capture &C : E.Captures) {
        if (!C.Result && !AllowUnused)
          fail("one of the differentiated tensors was not used in the graph");
        Results.push_back(std::move(C.Result));
      }
    }
  }
  std::swap(Outer, Error);
  if (Outer)
    return *Outer;
  OpResult Result = OpResult::one(std::move(Results));
  Result.IsList = true;
  return Result;
}

} // namespace vramlint
