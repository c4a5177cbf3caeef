import { expect, it, vi } from 'vitest'
import { runWayleave } from '../helpers.ts'

vi.mock('@wayleave/gateway', () => {
  throw new Error('the gateway was loaded')
})

it.each([
  [['config', '--help'], 0],
  [['config', 'init', '--help'], 0],
  [['config', 'schema', '--no-such-flag'], 2],
  [['config', 'init', '--format', 'toml'], 2],
  [['config', 'init', '--upstream', 'localhost:8545'], 2],
  [['config', 'check', '--no-such-flag'], 2],
  [['config', 'diff'], 2],
  [['config', 'import'], 2],
])('%j loads no gateway, which takes a while', async (args, code) => {
  expect(await runWayleave(args)).toMatchObject({ code })
})
