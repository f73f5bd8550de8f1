#include <vector>
#define LIMIT 10
/* Squares. */
#define SQUARE(x) \
    ((x) * (x))

#ifdef _WIN32
int open_it(const char *p, int flags) {
#else
int open_it(const char *p) {
#endif
    return 1;
}

namespace geo::flat {
namespace {
static const double kRate = 0.5;
int table[] = {1, 2, 3};
}

template <typename T, typename U = std::vector<T>>
class GEO_EXPORT Shape : public Base<T>, private Other {
 public:
    explicit Shape(int n) : Base<T>(n), items_{n}, names_{} { count_++; }
    virtual ~Shape() = default;
    /// Area.
    virtual double area() const noexcept override { return 1'000; }
    bool operator==(const Shape &o) const { return true; }
    int operator()(int x) { return x; }
    static int count;
 private:
    U items_{};
    std::map<int, std::string> names_;
};

struct Point { int x, y; };
enum class Colour : int { Red, Green = 2 };
union Either { int a; float b; };

}  // namespace

double geo::flat::Shape<int>::grow(int by) const {
    auto f = [&](int x) { return x; };
    const char *s = R"x(} int fake() { )x";
    if (by > '{') { return 2; }
    return f(by);
}

static inline struct node *
make_node(int v, struct node *next)
{
    struct node *n = malloc(sizeof(*n));
    return n;
}

typedef struct { int a; } anon_t;
typedef int (*callback)(int);
using Alias = std::vector<int>;
extern "C" {
void c_api(int x);
int c_def(void) { return 0; }
}
__attribute__((unused)) static int helper(int a) { return a; }
int global_value = 3;
