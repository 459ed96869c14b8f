// RUN: %check_torch %s torch-from-blob-dtype-mismatch %t -- --quiet -- -std=c++17 -I%S/../Inputs
//
// Memory read as another type than it holds, and pairs of types that fit.
#include <torch/torch.h>

#include "cv.h"
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

void absentBad(std::vector<double> &v, std::vector<int> &ids) {
  // CHECK-MESSAGES: :[[@LINE+1]]:12: warning: expected torch::kDouble for memory of 'double' values, got the default: float32{{.*}} [torch-from-blob-dtype-mismatch]
  auto a = torch::from_blob(v.data(), {2, 2});
  // CHECK-FIXES: auto a = torch::from_blob(v.data(), {2, 2}, torch::kDouble);
  // CHECK-MESSAGES: :[[@LINE+1]]:12: warning: expected at::kInt for memory of 'int' values, got the default: float32
  auto b = at::from_blob(&ids[0], {4});
  // CHECK-FIXES: auto b = at::from_blob(&ids[0], {4}, at::kInt);
  // CHECK-MESSAGES: :[[@LINE+1]]:12: warning: expected torch::kDouble for
  auto c = torch::from_blob(v.data(), {4}, torch::device(torch::kCPU));
  // CHECK-FIXES: auto c = torch::from_blob(v.data(), {4}, torch::device(torch::kCPU).dtype(torch::kDouble));
  // CHECK-MESSAGES: :[[@LINE+1]]:12: warning: expected torch::kDouble for
  auto d = torch::from_blob(v.data(), {2, 2}, {1, 2});
  // CHECK-FIXES: auto d = torch::from_blob(v.data(), {2, 2}, {1, 2}, torch::kDouble);
}

void wrongBad(std::vector<int64_t> &labels, const float *f) {
  // CHECK-MESSAGES: :[[@LINE+1]]:12: warning: expected torch::kLong for memory of 'long' values, got torch::kInt
  auto a = torch::from_blob(labels.data(), {4}, torch::kInt32);
  // CHECK-FIXES: auto a = torch::from_blob(labels.data(), {4}, torch::kLong);
  // CHECK-MESSAGES: :[[@LINE+1]]:12: warning: expected torch::kFloat for memory of 'float' values, got torch::kDouble
  auto b = torch::from_blob(const_cast<float *>(f), {4}, torch::TensorOptions().dtype(torch::kFloat64));
  // CHECK-FIXES: auto b = torch::from_blob(const_cast<float *>(f), {4}, torch::TensorOptions().dtype(torch::kFloat));
  auto options = torch::TensorOptions().dtype(torch::kByte);
  // CHECK-MESSAGES: :[[@LINE+1]]:12: warning: expected torch::kFloat for memory of 'float' values, got torch::kByte
  auto c = torch::from_blob((void *)f, {4}, options);
}

void arraysBad() {
  double matrix[2][3] = {};
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: expected torch::kDouble for memory of 'double' values
  torch::from_blob(matrix, {2, 3}).sum();
  std::array<int, 4> four{};
  void *p = four.data();
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: expected torch::kInt for memory of 'int' values
  torch::from_blob(p, {4}).sum();
  std::vector<double> v(4);
  char *bytes = reinterpret_cast<char *>(v.data());
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: expected torch::kDouble for memory of 'double' values
  torch::from_blob(bytes, {4}).sum();
}

struct Point {
  double x, y;
};
void structBad(std::vector<Point> &points) {
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: expected torch::kDouble for memory of 'Point' values
  torch::from_blob(points.data(), {4, 2}).sum();
}

void objectBad(std::vector<float> &v, std::vector<std::vector<float>> &rows,
               float **pointers) {
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: expected a pointer to elements, got the address of a 'std::vector<float>' object
  torch::from_blob(&v, {4}).sum();
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: expected a pointer to elements, got the address of a 'std::vector<float>' object
  torch::from_blob(rows.data(), {2, 2}).sum();
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: expected a pointer to elements, got 'float **': from_blob reads the pointers as numbers
  torch::from_blob(pointers, {2, 2}).sum();
}

void bytesBad(int h, int w) {
  std::vector<uint8_t> pixels(h * w * 3);
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: expected torch::kByte for memory of {{.*}} values, got the default: float32
  torch::from_blob(pixels.data(), {h, w, 3}).sum();
}

void matBad(std::string path) {
  cv::Mat image = cv::imread(path);
  cv::Mat rgb;
  cv::cvtColor(image, rgb, cv::COLOR_BGR2RGB);
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: expected torch::kByte for 'rgb' of 'unsigned char' values, got the default: float32
  torch::from_blob(rgb.data, {1, rgb.rows, rgb.cols, 3}).sum();
  rgb.convertTo(rgb, CV_32FC3, 1.0 / 255);
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: expected torch::kFloat for 'rgb' of 'float' values, got torch::kByte
  torch::from_blob(rgb.data, {1, rgb.rows, rgb.cols, 3}, torch::kByte).sum();
  cv::Mat d(4, 4, CV_64F);
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: expected torch::kDouble for 'd' of 'double' values
  torch::from_blob(d.ptr(), {4, 4}).sum();
}

template <typename T> void templateBad(std::vector<T> &v) {
  // Reported once.
  // CHECK-MESSAGES: :[[@LINE+1]]:3: warning: expected torch::kDouble for memory of 'double' values
  torch::from_blob(v.data(), {2}).sum();
}
template void templateBad(std::vector<double> &);
template void templateBad(std::vector<float> &);

void forBlobBad(std::vector<double> &v) {
  // CHECK-MESSAGES: :[[@LINE+1]]:12: warning: expected torch::kDouble for memory of 'double' values, got torch::kFloat
  auto t = torch::for_blob(v.data(), {2}).options(torch::kFloat).make_tensor();
}

void fittingOk(std::vector<float> &f, std::vector<double> &d, std::vector<int64_t> &l,
               std::vector<long long> &ll, std::vector<unsigned> &u, bool *b) {
  torch::from_blob(f.data(), {2}).sum();
  torch::from_blob(f.data(), {2}, torch::kFloat32).sum();
  torch::from_blob(d.data(), {2}, torch::TensorOptions(torch::kDouble)).sum();
  torch::from_blob(l.data(), {2}, torch::kInt64).sum();
  torch::from_blob(ll.data(), {2}, torch::kLong).sum();
  torch::from_blob(u.data(), {2}, torch::dtype(torch::kInt)).sum();
  torch::from_blob(b, {2}, torch::kByte).sum();
}

// Halves kept as integers, complex numbers as pairs.
void equivalentOk(std::vector<uint16_t> &raw, c10::Half *half, std::complex<float> *c,
                  float *pairs, c10::BFloat16 *b) {
  torch::from_blob(raw.data(), {2}, torch::kHalf).sum();
  torch::from_blob(raw.data(), {2}, torch::kBFloat16).sum();
  torch::from_blob(half, {2}, torch::kFloat16).sum();
  torch::from_blob(b, {2}, torch::kBFloat16).sum();
  torch::from_blob(c, {2}, torch::kComplexFloat).sum();
  torch::from_blob(c, {2, 2}).sum();
  torch::from_blob(pairs, {2}, torch::kComplexFloat).sum();
}

// Bytes may hold anything.
void rawBytesOk(std::vector<char> &file, void *p, std::byte *b, uint8_t *u, float *f) {
  torch::from_blob(file.data(), {4}, torch::kFloat).sum();
  torch::from_blob(p, {4}).sum();
  torch::from_blob(b, {4}, torch::kDouble).sum();
  torch::from_blob(u, {4}).sum();
  torch::from_blob(reinterpret_cast<float *>(file.data()), {4}).sum();
  torch::from_blob(reinterpret_cast<uint8_t *>(f), {16}, torch::kByte).sum();
  torch::from_blob(f, {int64_t(4 * sizeof(float))}, torch::kByte).sum();
}

void unknownMatOk(cv::Mat &image, const std::string &path, bool convert) {
  torch::from_blob(image.data, {1, image.rows, image.cols, 3}).sum();
  cv::Mat raw = cv::imread(path, cv::IMREAD_UNCHANGED);
  torch::from_blob(raw.data, {raw.rows, raw.cols}).sum();
  cv::Mat maybe = cv::imread(path);
  if (convert)
    maybe.convertTo(maybe, CV_32FC3);
  torch::from_blob(maybe.data, {maybe.rows, maybe.cols, 3}).sum();
}

void fillElsewhere(cv::Mat &m);
void matOk(const std::string &path) {
  cv::Mat image = cv::imread(path), small;
  cv::resize(image, small, {224, 224});
  torch::from_blob(small.data, {224, 224, 3}, torch::kByte).sum();
  small.convertTo(small, CV_32F);
  torch::from_blob(small.data, {224, 224, 3}).sum();
  fillElsewhere(image);
  torch::from_blob(image.data, {image.rows, image.cols, 3}).sum();
}

// Options from elsewhere.
void unknownOptionsOk(std::vector<double> &v, torch::Tensor like,
                      torch::ScalarType type, torch::TensorOptions options) {
  torch::from_blob(v.data(), {2}, like.options()).sum();
  torch::from_blob(v.data(), {2}, type).sum();
  torch::from_blob(v.data(), {2}, options).sum();
}

// A template for any T that names the type itself.
template <typename T> torch::Tensor wrapOk(T *data, int64_t n) {
  return torch::from_blob(data, {n}, c10::CppTypeToScalarType<T>::value);
}
template torch::Tensor wrapOk(double *, int64_t);
template torch::Tensor wrapOk(float *, int64_t);
