// Operations on floats of which the result may be rounded in several ways.
PUT(a / (abs(b) + CONST(1)));
PUT(fmod(a, abs(b) + CONST(1)));
PUT(sqrt(abs(a)));
PUT(rsqrt(abs(a) + CONST(1)));
PUT(cos(a));
PUT(sin(a));
PUT(tan(saturate(a)));
PUT(acos(saturate(a)));
PUT(asin(saturate(b)));
PUT(atan(a));
PUT(cosh(saturate(a)));
PUT(sinh(saturate(a)));
PUT(tanh(a));
PUT(exp2(a * CONST(0.25)));
PUT(log2(abs(a) + CONST(1)));
PUT(exp(saturate(a)));
PUT(log(abs(b) + CONST(1)));
PUTS(dot(saturate(a), saturate(b)));
