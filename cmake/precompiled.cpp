// Owns the precompiled header of the standard library and fmt (rooms.cmake).
