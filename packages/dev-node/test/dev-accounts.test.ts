import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { findAnvil } from '../src/anvil-binary.ts'
import { devAccounts } from '../src/index.ts'

test('the accounts and keys are those that anvil prints', () => {
  const { stdout } = spawnSync(findAnvil(), ['--port', '0'], { timeout: 1_000, encoding: 'utf8' })
  const printed = (form: RegExp): (string | undefined)[] => [...stdout.matchAll(form)].map((match) => match[1])
  expect(devAccounts.map(({ address }) => address)).toEqual(printed(/^\(\d\) (0x[0-9a-fA-F]{40}) /gm))
  expect(devAccounts.map(({ privateKey }) => privateKey)).toEqual(printed(/^\(\d\) (0x[0-9a-f]{64})$/gm))
  expect(devAccounts).toHaveLength(10)
})
