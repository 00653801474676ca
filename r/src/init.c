
// clang-format sorts includes unless SortIncludes: Never. However, the ordering
// does matter here. So, we need to disable clang-format for safety.

// clang-format off
#include <stdint.h>
#include <Rinternals.h>
#include <R_ext/Parse.h>
// clang-format on

#include "api.h"

static uintptr_t TAGGED_POINTER_MASK = (uintptr_t)1;

SEXP handle_result(SEXP res_) {
    uintptr_t res = (uintptr_t)res_;

    // An error is indicated by tag.
    if ((res & TAGGED_POINTER_MASK) == 1) {
        // Remove tag
        SEXP res_aligned = (SEXP)(res & ~TAGGED_POINTER_MASK);

        // Currently, there are two types of error cases:
        //
        //   1. Error from Rust code
        //   2. Error from R's C API, which is caught by R_UnwindProtect()
        //
        if (TYPEOF(res_aligned) == CHARSXP) {
            // In case 1, the result is an error message that can be passed to
            // Rf_errorcall() directly.
            Rf_errorcall(R_NilValue, "%s", CHAR(res_aligned));
        } else {
            // In case 2, the result is the token to restart the
            // cleanup process on R's side.
            R_ContinueUnwind(res_aligned);
        }
    }

    return (SEXP)res;
}

SEXP savvy_attr_eval__impl(SEXP c_arg__columns, SEXP c_arg__levels, SEXP c_arg__types, SEXP c_arg__settings, SEXP c_arg__seen) {
    SEXP res = savvy_attr_eval__ffi(c_arg__columns, c_arg__levels, c_arg__types, c_arg__settings, c_arg__seen);
    return handle_result(res);
}

SEXP savvy_learn__impl(SEXP c_arg__columns, SEXP c_arg__levels, SEXP c_arg__types, SEXP c_arg__settings, SEXP c_arg__seen) {
    SEXP res = savvy_learn__ffi(c_arg__columns, c_arg__levels, c_arg__types, c_arg__settings, c_arg__seen);
    return handle_result(res);
}

SEXP savvy_methods__impl(void) {
    SEXP res = savvy_methods__ffi();
    return handle_result(res);
}

SEXP savvy_people__impl(SEXP c_arg__settings, SEXP c_arg__seen) {
    SEXP res = savvy_people__ffi(c_arg__settings, c_arg__seen);
    return handle_result(res);
}

SEXP savvy_rank__impl(SEXP c_arg__columns, SEXP c_arg__levels, SEXP c_arg__types, SEXP c_arg__settings, SEXP c_arg__seen) {
    SEXP res = savvy_rank__ffi(c_arg__columns, c_arg__levels, c_arg__types, c_arg__settings, c_arg__seen);
    return handle_result(res);
}

SEXP savvy_summary__impl(SEXP c_arg__model) {
    SEXP res = savvy_summary__ffi(c_arg__model);
    return handle_result(res);
}

SEXP savvy_transform__impl(SEXP c_arg__model, SEXP c_arg__columns, SEXP c_arg__levels, SEXP c_arg__types, SEXP c_arg__settings, SEXP c_arg__seen) {
    SEXP res = savvy_transform__ffi(c_arg__model, c_arg__columns, c_arg__levels, c_arg__types, c_arg__settings, c_arg__seen);
    return handle_result(res);
}


static const R_CallMethodDef CallEntries[] = {
    {"savvy_attr_eval__impl", (DL_FUNC) &savvy_attr_eval__impl, 5},
    {"savvy_learn__impl", (DL_FUNC) &savvy_learn__impl, 5},
    {"savvy_methods__impl", (DL_FUNC) &savvy_methods__impl, 0},
    {"savvy_people__impl", (DL_FUNC) &savvy_people__impl, 2},
    {"savvy_rank__impl", (DL_FUNC) &savvy_rank__impl, 5},
    {"savvy_summary__impl", (DL_FUNC) &savvy_summary__impl, 1},
    {"savvy_transform__impl", (DL_FUNC) &savvy_transform__impl, 6},
    {NULL, NULL, 0}
};

void R_init_basrelief(DllInfo *dll) {
    R_registerRoutines(dll, NULL, CallEntries, NULL, NULL);
    R_useDynamicSymbols(dll, FALSE);

    // Functions for initialization, if any.

}
