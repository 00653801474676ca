SEXP savvy_attr_eval__ffi(SEXP c_arg__columns, SEXP c_arg__levels, SEXP c_arg__types, SEXP c_arg__settings, SEXP c_arg__seen);
SEXP savvy_learn__ffi(SEXP c_arg__columns, SEXP c_arg__levels, SEXP c_arg__types, SEXP c_arg__settings, SEXP c_arg__seen);
SEXP savvy_methods__ffi(void);
SEXP savvy_people__ffi(SEXP c_arg__settings, SEXP c_arg__seen);
SEXP savvy_rank__ffi(SEXP c_arg__columns, SEXP c_arg__levels, SEXP c_arg__types, SEXP c_arg__settings, SEXP c_arg__seen);
SEXP savvy_summary__ffi(SEXP c_arg__model);
SEXP savvy_transform__ffi(SEXP c_arg__model, SEXP c_arg__columns, SEXP c_arg__levels, SEXP c_arg__types, SEXP c_arg__settings, SEXP c_arg__seen);
