import { defineConfig } from 'vitest/config'

const conditions = ['@wayleave/source', 'node', 'module']

// Tests import each other package's sources, so that none needs a build; end-to-end tests run what was built.
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts', 'tooling/*/test/**/*.test.ts'],
    setupFiles: ['vitest.setup.ts'],
    // Left to itself, vitest keeps one core free: of two, that is half of the time.
    maxWorkers: '100%',
    // A limit is a last resort on a busy machine, and no assertion of speed.
    testTimeout: 45_000,
    hookTimeout: 60_000,
    // How long a poll goes on says nothing but that what it waits for will never come.
    expect: { poll: { timeout: 40_000 } },
  },
})
