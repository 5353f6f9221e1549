/* A shared library like any other: not a plugin. */
int other(void);

int other(void) { return 42; }
