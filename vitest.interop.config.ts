import { mergeConfig } from 'vitest/config'
import base from './vitest.config.ts'

const merged = mergeConfig(base, { test: { testTimeout: 120_000, hookTimeout: 120_000 } })
// Merging would keep the suites that need no peer.
delete merged['test'].projects
merged['test'].include = ['tooling/{conformance,site}/interop/**/*.interop.ts']

export default merged
