/*
 * count THREADS: what C++ adds: methods, virtual calls through several bases, templates,
 * lambdas, constructors, and exceptions thrown through the functions.
 */
#include "victim.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#define FUNCS(X)                                                                                  \
	X(area, "work::Square::area(long) const") X(circle, "work::Circle::area(long) const")     \
	X(name, "work::Circle::name[abi:cxx11]() const")                                          \
	X(scale, "work::Square::scale(long)") X(static_method, "work::Square::make(long)")        \
	X(twice_long, "long work::twice<long>(long)")                                             \
	X(twice_double, "double work::twice<double>(double)")                                     \
	X(thrower, "work::thrower(long)") X(middle, "work::middle(long)")                         \
	X(catcher, "work::catcher(long)") X(rethrow, "work::rethrow(long)")                       \
	X(sum, "work::sum(std::vector<long, std::allocator<long> > const&)")                      \
	X(text, "work::text[abi:cxx11](long)") X(local, "work::(anonymous namespace)::local(long)")

#define NUMBER(id, name) I_##id,
#define NAME(id, name) name,
enum { FUNCS(NUMBER) N_FUNCS };
static const char *const names[] = { FUNCS(NAME) };

namespace work {

struct Named {
	virtual ~Named() = default;
	virtual std::string name() const = 0;
};

struct Shape {
	virtual ~Shape() = default;
	virtual long area(long scale) const = 0;
};

class Square : public Shape {
	long side;

public:
	explicit Square(long s) : side(s) {}
	NOINLINE long area(long scale) const override;
	NOINLINE void scale(long by);
	NOINLINE static std::unique_ptr<Square> make(long side);
};

/* Two bases: calls through Named go by a thunk that adjusts this. */
class Circle : public Shape, public Named {
	long radius;

public:
	explicit Circle(long r) : radius(r) {}
	NOINLINE long area(long scale) const override;
	NOINLINE std::string name() const override;
};

long Square::area(long scale) const
{
	COUNT(I_area);
	return side * side * scale;
}

void Square::scale(long by)
{
	COUNT(I_scale);
	side *= by;
}

std::unique_ptr<Square> Square::make(long side)
{
	COUNT(I_static_method);
	return std::make_unique<Square>(side);
}

long Circle::area(long scale) const
{
	COUNT(I_circle);
	return 3 * radius * radius * scale;
}

std::string Circle::name() const
{
	COUNT(I_name);
	return "a circle with a name longer than the small string " + std::to_string(radius);
}

template <typename T> NOINLINE T twice(T x);

template <> NOINLINE long twice<long>(long x)
{
	COUNT(I_twice_long);
	return x + x;
}

template <> NOINLINE double twice<double>(double x)
{
	COUNT(I_twice_double);
	return x + x;
}

/* Counts how many of its kind live, to see that unwinding destroys all of them. */
static thread_local long alive;

struct Guard {
	Guard() { alive++; }
	~Guard() { alive--; }
};

NOINLINE long thrower(long x)
{
	COUNT(I_thrower);
	Guard guard;
	if (x % 2)
		throw std::runtime_error("odd " + std::to_string(x));
	return x;
}

NOINLINE long middle(long x)
{
	COUNT(I_middle);
	Guard guard;
	return thrower(x) + 1;
}

NOINLINE long rethrow(long x)
{
	COUNT(I_rethrow);
	try {
		return middle(x);
	} catch (const std::exception &) {
		Guard guard;
		throw;
	}
}

NOINLINE long catcher(long x)
{
	COUNT(I_catcher);
	try {
		return rethrow(x);
	} catch (const std::runtime_error &e) {
		return -std::stol(e.what() + 4);
	}
}

NOINLINE long sum(const std::vector<long> &v)
{
	COUNT(I_sum);
	long total = 0;
	for (long x : v)
		total += x;
	return total;
}

NOINLINE std::string text(long x)
{
	COUNT(I_text);
	return std::string(x % 50, 'x');
}

namespace {
NOINLINE long local(long x)
{
	COUNT(I_local);
	auto add = [&](long y) { return x + y; };
	return add(3);
}
}

static void shapes(long x)
{
	auto square = Square::make(x);
	square->scale(2);
	Circle circle(x);
	Shape *volatile shape = square.get();
	CHECK("square", shape->area(3), 12 * x * x);
	shape = &circle;
	CHECK("circle", shape->area(2), 6 * x * x);
	Named *volatile named = &circle;
	CHECK("name", named->name().size(), 50 + std::to_string(x).size());
}

static void round(int id)
{
	static thread_local unsigned seed = 12345;
	seed = seed * 1664525 + 1013904223 + id;
	long x = seed >> 22;
	shapes(x);
	CHECK("twice long", twice<long>(x), 2 * x);
	CHECK("twice double", twice<double>(x), 2 * x);
	CHECK("catcher", catcher(x), x % 2 ? -x : x + 1);
	CHECK("guards alive", alive, 0);
	CHECK("sum", sum(std::vector<long>{ x, 2, 3 }), x + 5);
	CHECK("text", text(x).size(), x % 50);
	CHECK("local", local(x), x + 3);
}

}

static void report()
{
	report_counts(names, N_FUNCS);
}

int main(int argc, char **argv)
{
	victim v = { pool_run, pool_start, pool_stop, report, nullptr };
	pool_init(argc > 1 ? atoi(argv[1]) : 1, work::round);
	serve(&v);
}
