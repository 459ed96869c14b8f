// The little of OpenCV's cv::Mat that the tests of the checks need.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

enum {
  CV_8U = 0,
  CV_32F = 5,
  CV_64F = 6,
  CV_8UC3 = 16,
  CV_32FC1 = 5,
  CV_32FC3 = 21
};

namespace cv {

struct Size {
  int width, height;
};
struct Rect {
  int x, y, width, height;
};

// A handle: copies share the data, as cv::Mat's do.
class Mat {
public:
  Mat();
  Mat(int rows, int cols, int type);
  Mat(int rows, int cols, int type, void *data, size_t step = 0);
  Mat(const Mat &);
  Mat &operator=(const Mat &);
  ~Mat();
  Mat clone() const;
  Mat operator()(const Rect &) const;
  void convertTo(Mat &to, int type, double scale = 1, double shift = 0) const;
  void copyTo(Mat &to) const;
  void create(int rows, int cols, int type);
  int channels() const;
  int depth() const;
  int type() const;
  bool empty() const;
  unsigned char *ptr(int row = 0);
  template <typename T> T *ptr(int row = 0);

  int rows, cols;
  unsigned char *data;
};

enum { IMREAD_UNCHANGED = -1, IMREAD_GRAYSCALE = 0, IMREAD_COLOR = 1 };
enum { COLOR_BGR2RGB = 4 };

Mat imread(const std::string &path, int flags = IMREAD_COLOR);
void imwrite(const std::string &path, const Mat &image);
void cvtColor(const Mat &from, Mat &to, int code);
void resize(const Mat &from, Mat &to, Size size);

} // namespace cv
