/** The settings that a proxy begins with, for a gateway in a process of a rig: it cannot begin so by itself below a parent that listens. */
export const steady = {
  flags: ['--max-semi-space-size=16'],
  env: { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' },
} as const
