/* What g++ calls at each branch of Luau (`-fsanitize-coverage=trace-pc`): a counter by its place. libFuzzer looks at
   whatever lies in this section as it looks at its own counters. */
#include <stdint.h>

#define PLACES 65536
__attribute__((section("__libfuzzer_extra_counters"))) static uint8_t counters[PLACES];

void __sanitizer_cov_trace_pc(void) {
  uintptr_t place = (uintptr_t)__builtin_return_address(0) - (uintptr_t)&__sanitizer_cov_trace_pc;
  uint8_t *counter = &counters[(place ^ (place >> 16)) % PLACES];
  if (*counter < 255) *counter += 1;
}
