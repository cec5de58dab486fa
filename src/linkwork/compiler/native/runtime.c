/* What kernels call beyond libc and libm: the power of complex numbers, as Python has it (and Numba from there).

   a^b = |a|^b_r exp(-arg(a) b_i)  at the angle  arg(a) b_r + b_i log|a|;  NaN for 0 to a power that has no value.
*/
#include <math.h>

#if defined(__GLIBC__) && defined(__x86_64__) /* by their oldest versions, as in the kernels */
__asm__(".symver exp,exp@GLIBC_2.2.5\n.symver log,log@GLIBC_2.2.5\n.symver pow,pow@GLIBC_2.2.5");
__asm__(".symver hypot,hypot@GLIBC_2.2.5");
#endif

__attribute__((visibility("hidden"))) void numba_cpow(const double *a, const double *b, double *out) {
    if (b[0] == 0.0 && b[1] == 0.0) {
        out[0] = 1.0, out[1] = 0.0;
    } else if (a[0] == 0.0 && a[1] == 0.0) {
        out[0] = out[1] = b[1] != 0.0 || b[0] < 0.0 ? NAN : 0.0;
    } else {
        double size = hypot(a[0], a[1]), angle = atan2(a[1], a[0]);
        double length = pow(size, b[0]), phase = angle * b[0];
        if (b[1] != 0.0) length *= exp(-angle * b[1]), phase += b[1] * log(size);
        out[0] = length * cos(phase), out[1] = length * sin(phase);
    }
}
