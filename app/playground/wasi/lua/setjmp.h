// Lua includes this header, and needs nothing of it: errors.h.
