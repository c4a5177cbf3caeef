import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DevNodeError, startAnvil } from '../src/index.ts'
import { call, fastClock, folder, from, sendWei, to } from './helpers.ts'

async function startKept(stateFile: string): ReturnType<typeof startAnvil> {
  return startAnvil({ name: 'kept', chainId: 31337, stateFile })
}

describe('a chain with a state file', () => {
  test('finds its blocks, receipts and balances after a restart, and continues', async () => {
    const stateFile = join(await folder(), 'deep', 'kept.json')
    const first = await startKept(stateFile)
    const hash = await sendWei(first.httpUrl)
    const receipt = await call(first.httpUrl, 'eth_getTransactionReceipt', hash)
    const block = await call(first.httpUrl, 'eth_getBlockByNumber', '0x1', false)
    await first.close()
    expect(await readdir(join(stateFile, '..'))).toEqual(['kept.json'])

    await using second = await startKept(stateFile)
    expect(receipt).toMatchObject({ status: '0x1', blockNumber: '0x1' })
    expect(await call(second.httpUrl, 'eth_getTransactionReceipt', hash)).toEqual(receipt)
    expect(await call(second.httpUrl, 'eth_getBlockByNumber', '0x1', false)).toEqual(block)
    expect(await call(second.httpUrl, 'eth_getBalance', to, 'latest')).toBe('0x1')
    expect(await call(second.httpUrl, 'eth_getTransactionCount', from, 'latest')).toBe('0x1')
    await sendWei(second.httpUrl)
    expect(await call(second.httpUrl, 'eth_blockNumber')).toBe('0x2')
  })

  test('that is corrupt does not start, is named and is left alone', async () => {
    const stateFile = join(await folder(), 'kept.json')
    for (const text of ['', '{"block":', '{"other":1}']) {
      await writeFile(stateFile, text)
      const error = await startKept(stateFile).then(String, (thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(DevNodeError)
      expect(error).toMatchObject({ code: 'state_unreadable' })
      expect((error as DevNodeError).message).toContain(`${stateFile}: restore it from a copy, or delete it`)
      expect(await readFile(stateFile, 'utf8')).toBe(text)
    }
  })

  test('begins from the last complete dump where anvil died before it could be adopted', async () => {
    const stateFile = join(await folder(), 'kept.json')
    const first = await startKept(stateFile)
    await sendWei(first.httpUrl)
    await first.close()
    const whole = await readFile(stateFile, 'utf8')
    await writeFile(`${stateFile}.next`, whole)
    await writeFile(stateFile, '{"older":true}')
    const second = await startKept(stateFile)
    expect(await call(second.httpUrl, 'eth_blockNumber')).toBe('0x1')
    await second.close()

    await writeFile(`${stateFile}.next`, whole.slice(0, -1))
    await using third = await startKept(stateFile)
    expect(await call(third.httpUrl, 'eth_blockNumber')).toBe('0x1')
    expect(existsSync(`${stateFile}.next`)).toBe(false)
  })

  test('that another anvil uses is refused after a wait, until that one has ended', async () => {
    const stateFile = join(await folder(), 'kept.json')
    const first = await startKept(stateFile)
    const second = startAnvil({ name: 'kept', chainId: 31337, stateFile, clock: fastClock(50) })
    await expect(second).rejects.toMatchObject({ code: 'state_in_use', message: expect.stringContaining(stateFile) })
    const waiting = startKept(stateFile)
    await sendWei(first.httpUrl)
    await first.close()
    await using third = await waiting
    expect(await call(third.httpUrl, 'eth_blockNumber')).toBe('0x1')
  })

  test('can be waited for no longer than the signal lasts', async () => {
    const stateFile = join(await folder(), 'kept.json')
    await using first = await startKept(stateFile)
    const signal = AbortSignal.timeout(100)
    await expect(startAnvil({ name: 'kept', chainId: first.chainId, stateFile, signal })).rejects.toMatchObject({
      code: 'aborted',
    })
  })
})
