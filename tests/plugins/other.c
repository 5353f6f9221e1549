/* A shared library that is not a plugin. */
int other(void);

int other(void) { return 42; }
