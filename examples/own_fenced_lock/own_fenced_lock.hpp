#pragma once

// Makes the lock known under the name "own-fenced-lock".  Call it once, at the start of main.
void add_own_fenced_lock();
