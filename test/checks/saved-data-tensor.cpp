// RUN: %check_torch %s torch-saved-data-tensor %t
// REQUIRES: libtorch
//
// What goes into a custom function's saved_data: numbers, not tensors.
#include <torch/torch.h>

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct ScaleBad : torch::autograd::Function<ScaleBad> {
  static torch::Tensor forward(AutogradContext *ctx, torch::Tensor x, torch::Tensor w, double k) {
    // CHECK-MESSAGES: :[[@LINE+1]]:5: warning: saved_data holds the tensor 'x' where autograd doesn't see it: backward() does not free it, and an output kept there is never freed [torch-saved-data-tensor]
    ctx->saved_data["x"] = x;
    // CHECK-MESSAGES: :[[@LINE-1]]:5: note: give tensors to save_for_backward({x}), and read them with get_saved_variables()
    ctx->saved_data["k"] = k;
    auto out = x * w * k;
    // CHECK-MESSAGES: :[[@LINE+1]]:5: warning: saved_data holds the tensor 'out'
    ctx->saved_data["out"] = out;
    return out;
  }
  static variable_list backward(AutogradContext *ctx, variable_list grad) {
    return {grad[0] * ctx->saved_data["x"].toTensor(), torch::Tensor(), torch::Tensor()};
  }
};

struct ScaleOk : torch::autograd::Function<ScaleOk> {
  static torch::Tensor forward(AutogradContext *ctx, torch::Tensor x, double k) {
    ctx->save_for_backward({x});
    ctx->saved_data["k"] = k;
    ctx->saved_data["n"] = x.size(0);
    ctx->saved_data["sizes"] = x.sizes();
    return x * k;
  }
  static variable_list backward(AutogradContext *ctx, variable_list grad) {
    ctx->saved_data["seen"] = grad[0]; // A second pass reads it.
    return {grad[0] * ctx->saved_data["k"].toDouble(), torch::Tensor()};
  }
};

// Another class's field of that name.
struct Other {
  std::map<std::string, torch::Tensor> saved_data;
  void forward(torch::Tensor x) { saved_data["x"] = x; }
};

torch::Tensor use(torch::Tensor x) { return ScaleBad::apply(ScaleOk::apply(x, 2.0), x, 2.0); }
