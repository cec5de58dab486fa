/* Calls of the native library's kernels from Python: every argument is checked, then the GIL is released, unless the
   calls are brief.

   entry(name, ((address, returns, ((argument, type), ...)), ...), brief)    a function that calls the first overload that
   fits
   describer(name, ((field, type), ...))                              a function of a tuple of arrays: (description, address)

   A type is a letter for a number (d real, q whole, ? truth, s address of a stage), a pair (dtype, axes) for an array, and
   for a structure by reference what the reference has as `type`.  What is returned is so many letters; none: nothing.
   How an array is described: references.py.  Arrays are read by the C API of NumPy: by the buffer protocol each costs
   some 50 ns, as much as the inverse dynamics of a link.  The stable ABI: one binary for all Pythons from 3.11 on, and
   for all NumPys from 2.0 on.
*/
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <Python.h>
#include <numpy/arrayobject.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = 40, MOST_AXES = 4, ARRAY_WORDS = 5 + 2 * MOST_AXES, MOST_RETURNED = 8 };

typedef union { double real; int64_t whole; const void *at; } word;
typedef int32_t (*kernel)(word *result, const word *arguments);

typedef struct {
    char kind; /* d q ? s, a: array, r: reference */
    const char *name;
    PyObject *type; /* dtype of an array, type of a reference */
    int axes;
    Py_ssize_t alignment;
} argument;

typedef struct { kernel function; const char *returns; Py_ssize_t count; argument *arguments; } overload;
typedef struct { PyMethodDef method; Py_ssize_t count, recent; int brief; overload *overloads; } callee;

static PyObject *type_name, *address_name;

static int refuse(const char *who, const argument *a, const char *why, void *found, void *wanted) {
    PyErr_Clear();
    PyObject *reason = PyUnicode_FromFormat(why, found, wanted);
    if (reason) PyErr_Format(PyExc_TypeError, "%s: %s %U", who, a->name, reason);
    Py_XDECREF(reason);
    return -1;
}

static int refuse_kind(const char *who, const argument *a, const char *why, PyObject *given, PyObject *wanted) {
    PyErr_Clear();
    PyObject *kind = PyType_GetName(Py_TYPE(given));
    if (kind) refuse(who, a, why, kind, wanted);
    Py_XDECREF(kind);
    return -1;
}

/* An equal one is kept, so that the next comparison is one of addresses. */
static int is_type(PyObject *found, argument *a) {
    if (found == a->type) return 1;
    if (PyObject_RichCompareBool(found, a->type, Py_EQ) != 1) return 0;
    Py_INCREF(found);
    a->type = found;
    return 1;
}

/* Describe an array, which who calls this keeps alive. */
static int describe(const char *who, argument *a, PyObject *given, int64_t *out) {
    if (!PyArray_Check(given)) return refuse_kind(who, a, "is a %S; it must be an array", given, NULL);
    PyArrayObject *array = (PyArrayObject *)given;
    if (!is_type((PyObject *)PyArray_DESCR(array), a))
        return refuse(who, a, "holds %S; it must hold %S", PyArray_DESCR(array), a->type);
    if (!PyArray_IS_C_CONTIGUOUS(array)) return refuse(who, a, "is not contiguous", NULL, NULL);
    int64_t size = 1, step = PyArray_ITEMSIZE(array);
    if (PyArray_NDIM(array) != a->axes)
        PyErr_Format(PyExc_TypeError, "%s: %s has %d axes; it must have %d", who, a->name, PyArray_NDIM(array), a->axes);
    else if (PyArray_SIZE(array) && (uintptr_t)PyArray_DATA(array) % a->alignment)
        PyErr_Format(PyExc_TypeError, "%s: %s does not begin at a multiple of %zd bytes", who, a->name, a->alignment);
    else {
        for (int k = a->axes - 1; k >= 0; k--) {
            out[5 + k] = PyArray_DIM(array, k), out[5 + a->axes + k] = step * size;
            size *= out[5 + k];
        }
        out[0] = out[1] = 0, out[2] = size, out[3] = step, out[4] = (int64_t)(intptr_t)PyArray_DATA(array);
        return 0;
    }
    return -1;
}

static int open_reference(const char *who, argument *a, PyObject *given, word *out) {
    PyObject *type = PyObject_GetAttr(given, type_name), *address = NULL;
    if (!type) return refuse_kind(who, a, "is a %S; it must be a reference to %S", given, a->type);
    if (!is_type(type, a)) refuse(who, a, "is a reference to %S; it must be one to %S", type, a->type);
    else if ((address = PyObject_GetAttr(given, address_name))) out->at = PyLong_AsVoidPtr(address);
    Py_DECREF(type);
    Py_XDECREF(address);
    return PyErr_Occurred() ? -1 : 0;
}

static int read_number(const char *who, const argument *a, PyObject *given, word *out) {
    if (a->kind == 'd') out->real = PyFloat_AsDouble(given);
    else if (a->kind == '?') out->whole = PyObject_IsTrue(given);
    else out->whole = PyLong_AsLongLong(given);
    if ((a->kind == 'd' ? out->real != -1.0 : out->whole != -1) || !PyErr_Occurred()) return 0;
    const char *wanted = a->kind == 'd' ? "is a %S; it must be a number" : "is a %S; it must be an integer of 64 bits";
    return refuse_kind(who, a, wanted, given, NULL);
}

static PyObject *number(char letter, const word *at) {
    if (letter == 'd') return PyFloat_FromDouble(at->real);
    if (letter == 'D') return PyComplex_FromDoubles(at[0].real, at[1].real);
    if (letter == '?') return PyBool_FromLong(*(const char *)at);
    return PyLong_FromLongLong(at->whole);
}

static PyObject *returned(const char *letters, const word *at) {
    Py_ssize_t count = strlen(letters);
    if (count == 0) Py_RETURN_NONE;
    if (count == 1) return number(letters[0], at);
    PyObject *all = PyTuple_New(count);
    for (Py_ssize_t k = 0; all && k < count; at += letters[k++] == 'D' ? 2 : 1)
        PyTuple_SetItem(all, k, number(letters[k], at));
    return all;
}

static PyObject *call_overload(const callee *c, const overload *o, PyObject *const *given, Py_ssize_t count) {
    const char *who = c->method.ml_name;
    word words[MOST_ARGUMENTS], result[MOST_RETURNED];
    int64_t described[MOST_ARGUMENTS][ARRAY_WORDS];
    int status = 0;
    if (count != o->count)
        return PyErr_Format(PyExc_TypeError, "%s takes %zd arguments, not %zd", who, o->count, count);
    for (Py_ssize_t k = 0; k < count && !status; k++) {
        argument *a = o->arguments + k;
        if (a->kind == 'r') status = open_reference(who, a, given[k], words + k);
        else if (a->kind != 'a') status = read_number(who, a, given[k], words + k);
        else status = describe(who, a, given[k], described[k]), words[k].at = described[k];
    }
    if (!status) {
        PyThreadState *thread = c->brief ? NULL : PyEval_SaveThread();
        int32_t ended = o->function(result, words);
        if (thread) PyEval_RestoreThread(thread);
        if (ended != 0 && ended != -2) { /* -2: returns None */
            PyErr_Format(PyExc_RuntimeError, "%s raised an exception (%d): see what it does as Python, py_func", who, ended);
            status = -1;
        }
    }
    return status ? NULL : returned(o->returns, result);
}

/* The overload that fitted the last call first; where none fits, the first tells why. */
static PyObject *call(PyObject *capsule, PyObject *const *given, Py_ssize_t count) {
    callee *c = PyCapsule_GetPointer(capsule, NULL);
    PyObject *answer = call_overload(c, c->overloads + c->recent, given, count);
    for (Py_ssize_t k = 0; k < c->count && !answer && PyErr_ExceptionMatches(PyExc_TypeError); k++) {
        if (k == c->recent) continue;
        PyErr_Clear();
        answer = call_overload(c, c->overloads + k, given, count);
        if (answer) c->recent = k;
    }
    if (answer || c->count == 1 || !PyErr_ExceptionMatches(PyExc_TypeError)) return answer;
    PyErr_Clear();
    return call_overload(c, c->overloads, given, count);
}

static PyObject *describe_fields(const char *who, const overload *o, PyObject *arrays) {
    Py_ssize_t size = 0, count = PyTuple_Check(arrays) ? PyTuple_Size(arrays) : -1;
    if (count != o->count) return PyErr_Format(PyExc_TypeError, "%s is not a tuple of %zd arrays", who, o->count);
    for (Py_ssize_t k = 0; k < count; k++) size += (5 + 2 * o->arguments[k].axes) * sizeof(int64_t);
    PyObject *whole = PyBytes_FromStringAndSize(NULL, size);
    if (!whole) return NULL;
    int64_t *at = (int64_t *)PyBytes_AsString(whole);
    for (Py_ssize_t k = 0; k < count; at += 5 + 2 * o->arguments[k++].axes) {
        if (describe(who, o->arguments + k, PyTuple_GetItem(arrays, k), at) < 0) {
            Py_DECREF(whole);
            return NULL;
        }
    }
    return Py_BuildValue("(NN)", whole, PyLong_FromVoidPtr(PyBytes_AsString(whole)));
}

static PyObject *describe_all(PyObject *capsule, PyObject *arrays) {
    const callee *c = PyCapsule_GetPointer(capsule, NULL);
    return describe_fields(c->method.ml_name, c->overloads, arrays);
}

/* What follows is made once for a kernel or a structure, and stays as long as the process. */
static int read_argument(PyObject *pair, argument *a) {
    PyObject *type, *first, *alignment;
    if (!PyArg_ParseTuple(pair, "sO", &a->name, &type)) return -1;
    Py_INCREF(pair); /* keeps name and type */
    if (PyUnicode_Check(type)) {
        const char *letter = PyUnicode_AsUTF8AndSize(type, NULL);
        if (letter) a->kind = letter[0];
        return letter ? 0 : -1;
    }
    a->kind = 'r', a->type = type;
    if (!PyTuple_CheckExact(type)) return 0;
    if (!PyArg_ParseTuple(type, "Oi", &first, &a->axes) || a->axes > MOST_AXES) return -1;
    if (!(alignment = PyObject_GetAttrString(first, "alignment"))) return -1;
    a->kind = 'a', a->type = first, a->alignment = PyLong_AsSsize_t(alignment);
    Py_DECREF(alignment);
    return PyErr_Occurred() ? -1 : 0;
}

static int read_arguments(PyObject *all, overload *o) {
    o->count = PyTuple_Size(all);
    if (o->count < 0 || !(o->arguments = calloc(o->count + 1, sizeof *o->arguments))) return -1;
    for (Py_ssize_t k = 0; k < o->count; k++)
        if (read_argument(PyTuple_GetItem(all, k), o->arguments + k)) return -1;
    return 0;
}

static callee *new_callee(const char *name, Py_ssize_t overloads, PyMethodDef method) {
    callee *c = calloc(1, sizeof *c);
    if (!c || !(c->overloads = calloc(overloads, sizeof *c->overloads))) return NULL;
    c->method = method, c->method.ml_name = name, c->count = overloads;
    return c;
}

static PyObject *entry(PyObject *self, PyObject *args) {
    const char *name;
    PyObject *all, *address, *arguments;
    int brief;
    if (!PyArg_ParseTuple(args, "sO!p", &name, &PyTuple_Type, &all, &brief)) return NULL;
    callee *c = new_callee(name, PyTuple_Size(all), (PyMethodDef){NULL, (PyCFunction)(void *)call, METH_FASTCALL, NULL});
    if (!c) return PyErr_NoMemory();
    c->brief = brief;
    Py_INCREF(args); /* keeps the names */
    for (Py_ssize_t k = 0; k < c->count; k++) {
        overload *o = c->overloads + k;
        if (!PyArg_ParseTuple(PyTuple_GetItem(all, k), "OsO!", &address, &o->returns, &PyTuple_Type, &arguments)) return NULL;
        o->function = (kernel)PyLong_AsVoidPtr(address);
        if (read_arguments(arguments, o) || o->count > MOST_ARGUMENTS || strlen(o->returns) > MOST_RETURNED)
            return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "%s: too many arguments or axes", name);
    }
    return PyCFunction_NewEx(&c->method, PyCapsule_New(c, NULL, NULL), NULL);
}

static PyObject *describer(PyObject *self, PyObject *args) {
    const char *name;
    PyObject *fields;
    if (!PyArg_ParseTuple(args, "sO!", &name, &PyTuple_Type, &fields)) return NULL;
    callee *c = new_callee(name, 1, (PyMethodDef){NULL, describe_all, METH_O, NULL});
    if (!c) return PyErr_NoMemory();
    Py_INCREF(args);
    if (read_arguments(fields, c->overloads)) return NULL;
    return PyCFunction_NewEx(&c->method, PyCapsule_New(c, NULL, NULL), NULL);
}

static PyMethodDef methods[] = {{"entry", entry, METH_VARARGS, NULL}, {"describer", describer, METH_VARARGS, NULL}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_caller", NULL, -1, methods};

PyMODINIT_FUNC PyInit__caller(void) {
    type_name = PyUnicode_InternFromString("type");
    address_name = PyUnicode_InternFromString("address");
    import_array();
    return type_name && address_name ? PyModule_Create(&module) : NULL;
}
