import { readFileSync } from 'node:fs'
import type { Hash, Hex, Uncle } from '@wayleave/evm-types'
import { createContext, type RawJson, rawJsonFromValue, type RpcHandler } from '@wayleave/jsonrpc-core'
import { describe, expect, test } from 'vitest'
import { blockAccessListHash, headerHash, verification, verify, type VerifyError } from '../src/index.ts'

interface Block {
  readonly header: Uncle & { readonly hash: Hash }
  readonly rawList: Hex
  readonly list: readonly Readonly<Record<string, unknown>>[]
}

const { blocks } = JSON.parse(readFileSync(new URL('vectors/amsterdam-blocks.json', import.meta.url), 'utf8')) as {
  readonly blocks: readonly Block[]
}
const [, , last] = blocks

function codeOf(list: unknown): unknown {
  try {
    return blockAccessListHash(list)
  } catch (thrown) {
    return (thrown as VerifyError).code
  }
}

describe('a block access list of a real node', () => {
  test.each(blocks)(
    'hashes to what the header of block $header.number says, which hashes to its name',
    ({ header, list }) => {
      expect(blockAccessListHash(list)).toBe(header.blockAccessListHash)
      expect(headerHash(header)).toBe(header.hash)
    },
  )

  test('hashes alike with padded numbers, in other words of its changes, and without its empty lists', () => {
    const text = JSON.stringify(last!.list)
    const padded = text.replaceAll(
      /"slot":"0x([0-9a-f]+)"/g,
      (_, digits: string) => `"slot":"0x${digits.padStart(64, '0')}"`,
    )
    const renamed = text
      .replaceAll('"slot"', '"key"')
      .replaceAll('"slotChanges"', '"changes"')
      .replaceAll('"blockAccessIndex"', '"index"')
      .replaceAll(/"post(?:Value|Balance|Nonce)"/g, '"value"')
    const brief = text.replaceAll(/,"\w+":\[\]/g, '')
    for (const other of [padded, renamed, brief]) {
      expect(other).not.toBe(text)
      expect(blockAccessListHash(JSON.parse(other))).toBe(last!.header.blockAccessListHash)
    }
  })

  test('hashes otherwise with any change', () => {
    const text = JSON.stringify(last!.list)
    const digits = [...text.matchAll(/"0x[0-9a-f]*([0-9a-f])"/g)]
    expect(digits.length).toBeGreaterThan(30)
    for (const { index, 0: whole } of digits) {
      const at = index + whole.length - 2
      const changed = `${text.slice(0, at)}${text[at] === '7' ? '8' : '7'}${text.slice(at + 1)}`
      expect(blockAccessListHash(JSON.parse(changed))).not.toBe(last!.header.blockAccessListHash)
    }
    expect(blockAccessListHash(last!.list.toReversed())).not.toBe(last!.header.blockAccessListHash)
    expect(blockAccessListHash(last!.list.slice(1))).not.toBe(last!.header.blockAccessListHash)
  })

  test.each([
    [null, 'malformed'],
    [[null], 'malformed'],
    [[{}], 'malformed'],
    [[{ address: '0x1' }], 'malformed'],
    [[{ ...last!.list[0], storageChanges: ['0x1', null] }], 'malformed'],
    [[{ ...last!.list[0], storageReads: ['0x'] }], 'malformed'],
    [[{ ...last!.list[0], more: [] }], 'unsupported'],
    [[{ ...last!.list[0], nonceChanges: [{ at: '0x1', to: '0x2' }] }], 'unsupported'],
    [[{ ...last!.list[0], nonceChanges: [{ index: '0x1', value: '0x2', more: '0x3' }] }], 'unsupported'],
  ])('is none with %j', (list, code) => {
    expect(codeOf(list)).toBe(code)
  })
})

describe('the answer of eth_getBlockAccessList', () => {
  const { header, list } = last!
  const ask = async (answer: unknown, method = 'eth_getBlockAccessList') => {
    const node: RpcHandler = async (request) => {
      const block = { ...header, transactions: [], uncles: [], size: '0x1' }
      return { result: rawJsonFromValue(request.method === method ? answer : block) }
    }
    const handler = verify({ require: 'proven' })(node)
    const params = rawJsonFromValue([header.hash])
    const response = await handler({ method, params, notification: false }, createContext())
    return { response, level: verification.of(response.meta)?.level }
  }

  test('is proven by the header of its block', async () => {
    const { response, level } = await ask(list)
    expect((response.result as RawJson).value()).toEqual(list)
    expect(level).toBe('proven')
  })

  test('is proven in its encoding, too', async () => {
    const method = 'debug_getRawBlockAccessList'
    expect(await ask(last!.rawList, method)).toMatchObject({ level: 'proven' })
    await expect(ask(`${last!.rawList.slice(0, -1)}f`, method)).rejects.toMatchObject({ cause: { code: 'mismatch' } })
  })

  test('is refused where it does not hash to what the header says', async () => {
    const [first, ...others] = list
    const changed = [{ ...first, storageReads: [] }, ...others]
    await expect(ask(changed)).rejects.toMatchObject({ cause: { code: 'mismatch' } })
    await expect(ask(list.slice(1))).rejects.toMatchObject({ cause: { code: 'mismatch' } })
  })
})
