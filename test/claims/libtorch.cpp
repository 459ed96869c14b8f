// What the checks believe about LibTorch, held against the headers that are installed;
// a belief that doesn't hold is an error. versions.test holds it against others.
// RUN: %vramlint --checks=-*,torch-* --dump-trace --device cpu %s -- -std=c++17 -I%S/../Inputs > %t
// RUN: FileCheck %s < %t
// REQUIRES: libtorch, vramlint
#include <torch/script.h>
#include <torch/torch.h>

#include <type_traits>
#include <utility>
#include <vector>

#include "reveal.h"

namespace F = torch::nn::functional;
using torch::Tensor;

// Guards: one class under several names, alive while the object is.
static_assert(std::is_same_v<torch::NoGradGuard, at::NoGradGuard>);
static_assert(std::is_same_v<at::AutoGradMode, torch::AutoGradMode>);
static_assert(std::is_base_of_v<at::AutoGradMode, at::NoGradGuard>);
static_assert(std::is_same_v<torch::InferenceMode, c10::InferenceMode>);
static_assert(std::is_default_constructible_v<c10::InferenceMode>);
static_assert(std::is_constructible_v<c10::InferenceMode, bool>);
static_assert(std::is_void_v<decltype(at::GradMode::set_enabled(false))>);

// In-place operations are const and give the tensor back; the others a new one.
static_assert(std::is_same_v<decltype(std::declval<const Tensor &>().add_(1)), Tensor &>);
static_assert(std::is_same_v<decltype(std::declval<const Tensor &>().relu_()), Tensor &>);
static_assert(std::is_same_v<decltype(std::declval<const Tensor &>().relu()), Tensor>);
static_assert(std::is_same_v<decltype(std::declval<const Tensor &>().to(torch::kCPU)), Tensor>);
static_assert(std::is_same_v<decltype(std::declval<const Tensor &>().contiguous()), Tensor>);
static_assert(std::is_same_v<decltype(std::declval<const Tensor &>().clone()), Tensor>);
static_assert(std::is_void_v<decltype(std::declval<torch::nn::Module &>().to(torch::kCPU))>);

// from_blob: options may be left out, a deleter may be given.
static_assert(std::is_same_v<decltype(torch::from_blob(nullptr, {1})), Tensor>);
static_assert(std::is_same_v<decltype(torch::from_blob(nullptr, {1}, torch::kInt)), Tensor>);
static_assert(std::is_same_v<decltype(torch::from_blob(nullptr, {1}, std::declval<void (&)(void *)>())), Tensor>);

// An accessor of a temporary does not compile, a pointer into one does.
template <typename T, typename = void> struct HasAccessor : std::false_type {};
template <typename T>
struct HasAccessor<T, std::void_t<decltype(std::declval<T>().template accessor<float, 2>())>>
    : std::true_type {};
static_assert(HasAccessor<Tensor &>::value);
static_assert(!HasAccessor<Tensor>::value);
static_assert(std::is_same_v<decltype(std::declval<Tensor>().data_ptr<float>()), float *>);

// References to elements: any vector or list of numbers becomes one.
static_assert(std::is_convertible_v<std::vector<int64_t>, at::IntArrayRef>);
static_assert(std::is_constructible_v<at::IntArrayRef, std::initializer_list<int64_t>>);

// TorchScript: what runs a model, what freezes it.
static_assert(std::is_same_v<torch::jit::Module, torch::jit::script::Module>);
static_assert(std::is_same_v<decltype(torch::jit::freeze(std::declval<torch::jit::Module>())),
                             torch::jit::Module>);
static_assert(std::is_same_v<decltype(std::declval<torch::jit::Module &>().get_method("f")),
                             torch::jit::Method>);
static_assert(std::is_void_v<decltype(std::declval<torch::jit::Module &>().eval())>);
static_assert(std::is_void_v<decltype(std::declval<torch::nn::Module &>().eval())>);

int main() {
  // Defaults, as the headers' own code says.
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} 1
  vramlint_reveal(F::DropoutFuncOptions().training());
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} 1
  vramlint_reveal(F::Dropout2dFuncOptions().training());
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} 1
  vramlint_reveal(F::Dropout3dFuncOptions().training());
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} 0
  vramlint_reveal(F::AlphaDropoutFuncOptions().training());
  // CHECK: reveal {{.*}}:[[@LINE+1]]:{{.*}} 0
  vramlint_reveal(F::FeatureAlphaDropoutFuncOptions().training());
}
