#pragma once

// Makes the lock known under the name "own-queue-lock".  Call it once, at the start of main.
void add_own_queue_lock();
