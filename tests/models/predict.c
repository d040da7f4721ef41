#include "model.h"
bool predict_cond(const char *name, const struct op_record *op) { (void)name; (void)op; return false; }
bool predict_indirect(const char *name, const struct op_record *op) { (void)name; (void)op; return false; }
