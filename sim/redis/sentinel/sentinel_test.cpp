#include "sim/redis/sentinel/sentinel.hpp"
#include <gtest/gtest.h>
