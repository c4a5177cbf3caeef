import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { systemClock } from '@wayleave/jsonrpc-core'
import { expect, test } from 'vitest'
import type { AnvilCalls } from '../src/anvil-calls.ts'
import { saveChain, saveWhileRunning } from '../src/save-chain.ts'
import { folder, within } from './helpers.ts'

/** An anvil whose head has the hashes of `heads` in turn, and then keeps the last. */
function anvilOf(
  heads: readonly string[],
  dump: () => Uint8Array = () => gzipSync('{}'),
): AnvilCalls & { mine(): void } {
  const left = [...heads]
  let onHead = (): void => {}
  return {
    silence: () => Promise.resolve(),
    setTime: () => Promise.resolve(),
    block: () => Promise.resolve(null),
    blockOf: () => Promise.resolve(null),
    latest: async () => ({ hash: left.length > 1 ? left.shift()! : left[0]!, parentHash: '0x', timestamp: '0x0' }),
    dump: async () => dump(),
    async follow(run) {
      onHead = run
    },
    mine: () => onHead(),
  }
}

test('a state is not saved if a block came while it was read', async () => {
  const stateFile = join(await folder(), 'a.json')
  const anvil = anvilOf(['1', '2'])
  expect(await saveChain(anvil, stateFile)).toBeUndefined()
  expect(existsSync(stateFile)).toBe(false)
  expect(await saveChain(anvil, stateFile)).toBe('2')
  expect(await readFile(stateFile, 'utf8')).toBe('{}')
})

test('a save that fails is made up for at the next block, and saving ends with the signal', async () => {
  const stateFile = join(await folder(), 'a.json')
  const ended = new AbortController()
  let dumps = 0
  const anvil = anvilOf(['1'], () => {
    if (++dumps === 1) throw new Error('not now')
    return gzipSync('{"whole":true}')
  })
  const saving = saveWhileRunning(anvil, stateFile, '0', systemClock, ended.signal)
  expect(await within(5_000, () => dumps === 1)).toBe(true)
  expect(existsSync(stateFile)).toBe(false)
  anvil.mine()
  expect(await within(5_000, () => existsSync(stateFile))).toBe(true)
  ended.abort()
  await saving
  expect(await readFile(stateFile, 'utf8')).toBe('{"whole":true}')
})
