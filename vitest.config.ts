import { defineConfig } from 'vitest/config'

const conditions = ['@wayleave/source', 'node', 'module']

// Tests import each other package's sources, so that none needs a build; end-to-end tests run what was built.
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts', 'tooling/*/test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})
