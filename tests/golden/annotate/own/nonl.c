one
two