// REQUIRES: libtorch-1
// RUN: %check_torch %s torch-accessor-long %t
//
// Unsigned types: LibTorch has them since 2.3.
#include <torch/torch.h>

#include <cstddef>

// No fix: which type is meant depends on the tensor.
void unsignedBad(torch::Tensor t) {
  // CHECK-MESSAGES: :[[@LINE+1]]:10: warning: LibTorch has no definition of 'item<size_t>'
  t.item<size_t>();
  // CHECK-MESSAGES: :[[@LINE+1]]:14: warning: LibTorch has no definition of 'data_ptr<unsigned int>'
  t.data_ptr<unsigned>();
}
