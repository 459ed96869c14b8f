// scaled_dot_product_attention of LibTorch 2.6: a kernel that holds a tile of the scores,
// not their matrix. Alive after each statement and the peak inside it, as LibTorch 2.6.0
// reported them on the CPU with one thread.
// REQUIRES: vramlint, libtorch-1, headers-2.6.0
//
// RUN: %vramlint --dump-statements --device cpu %s -- %flags-2.6.0 | FileCheck %s
// On a GPU the matrix is never there either; LibTorch 1.13 keeps it.
// RUN: %vramlint --dump-trace --gpu t4 --args cuda %s -- %flags-2.6.0 | FileCheck --check-prefix=CUDA %s
//
// A head of 64, 197 tokens: 64 rows at once; the gradient of a sum is copied.
// CHECK: 9720768 {{ *}}9788096 {{.*}}:[[#FORWARD:]]:
// CHECK: 9720772 {{ *}}9720772 {{.*}}:[[#FORWARD + 1]]:
// CHECK: 16945156 {{ *}}19504840 {{.*}}:[[#FORWARD + 2]]:
// CHECK: 19365892 {{ *}}19471044 {{.*}}:[[#FORWARD + 4]]:
//
// 1000 tokens: 256 rows of 512.
// CHECK: 1064000 {{ *}}1624128 {{.*}}:[[#FORWARD]]:
// CHECK: 1848004 {{ *}}3169608 {{.*}}:[[#FORWARD + 2]]:
//
// A mask; one of bool becomes one of numbers, which backward keeps; bfloat16.
// CHECK: 84160 {{ *}}92096 {{.*}}:[[#FORWARD]]:
// CHECK: 92160 {{ *}}100096 {{.*}}:[[#FORWARD]]:
// CHECK: 142404 {{ *}}179336 {{.*}}:[[#FORWARD + 2]]:
// CHECK: 39360 {{ *}}49856 {{.*}}:[[#FORWARD]]:
// CHECK: 67202 {{ *}}93252 {{.*}}:[[#FORWARD + 2]]:
//
// CUDA: op scaled_dot_product_attention({{.*}} -> 4x12x197x64 float32
// CUDA-NOT: alloc {{.*}} 7451328 B
// CUDA: op end
#include <torch/script.h>
#include <torch/torch.h>

#include <type_traits>
#include <utility>
#include <vector>

void run(at::IntArrayRef sizes, c10::optional<torch::Tensor> mask, torch::TensorOptions options) {
  auto q = torch::randn(sizes, options).requires_grad_();
  auto k = torch::randn(sizes, options).requires_grad_();
  auto v = torch::randn(sizes, options).requires_grad_();
  auto out = at::scaled_dot_product_attention(q, k, v, mask);
  auto loss = out.sum();
  loss.backward();
  torch::NoGradGuard no_grad;
  auto again = at::scaled_dot_product_attention(q, k, v, mask);
}

int main(int argc, char **) {
  if (torch::cuda::is_available())
    return run({4, 12, 197, 64}, {}, torch::kCUDA), 0;
  run({4, 12, 197, 64}, {}, torch::kFloat);
  run({1, 2, 1000, 33}, {}, torch::kFloat);
  run({2, 3, 40, 20}, torch::zeros({40, 40}), torch::kFloat);
  run({2, 3, 40, 20}, torch::zeros({40, 40}).to(torch::kBool), torch::kFloat);
  run({2, 3, 40, 20}, {}, torch::kBFloat16);
}
