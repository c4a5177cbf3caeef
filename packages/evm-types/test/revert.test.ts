import { readFileSync } from 'node:fs'
import { anything, assert, property, string, uint8Array } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeRevert, errorSelectors, type Hex, type NodeError, panicMeanings, revertOf } from '../src/index.ts'
import { errorSelector } from '../src/error-signature.ts'
import { recorded } from './recorded.ts'

const { reverts } = JSON.parse(readFileSync(new URL('./vectors/solidity-layout.json', import.meta.url), 'utf8')) as {
  reverts: readonly { readonly call: string; readonly error: NodeError }[]
}
const signatures = ['error Unauthorized()', 'InsufficientBalance(address account, uint needed)']
const uint = (value: number | bigint): string => value.toString(16).padStart(64, '0')

describe('reverts that Solidity compiled and a node answered', () => {
  test.each<[string, object]>([
    ['fail(0)', { kind: 'empty' }],
    ['fail(1)', { kind: 'error', message: 'not allowed' }],
    ['fail(2)', { kind: 'panic', code: 0x01n }],
    ['fail(3)', { kind: 'panic', code: 0x11n }],
    ['fail(4)', { kind: 'panic', code: 0x12n }],
    ['fail(5)', { kind: 'panic', code: 0x21n }],
    ['fail(6)', { kind: 'panic', code: 0x32n }],
    ['fail(7)', { kind: 'custom', selector: '0x82b42900', args: '0x', signature: signatures[0] }],
    ['fail(8)', { kind: 'custom', selector: '0xf6deaa04', signature: signatures[1] }],
    ['fail(9)', { kind: 'panic', code: 0x41n }],
    ['fail(10)', { kind: 'panic', code: 0x51n }],
    ['fail(11)', { kind: 'error', message: 'zu wenig Guthaben: 5 € fehlen, und dieser Text ist länger als ein Wort' }],
    ['fail(12)', { kind: 'error', message: '' }],
    ['popEmpty()', { kind: 'panic', code: 0x31n }],
  ])('%s', (call, reason) => {
    const found = reverts.find((each) => each.call === call)
    expect(revertOf(found!.error, errorSelectors(signatures))).toMatchObject(reason)
  })

  test('each panic that Solidity can raise is said in words', () => {
    const codes = reverts.flatMap(({ error }) => {
      const reason = revertOf(error)
      return reason?.kind === 'panic' ? [reason] : []
    })
    expect(codes).toHaveLength(8)
    for (const { code, meaning } of codes) expect(meaning).toBe(panicMeanings[Number(code)])
    expect(codes.map(({ meaning }) => meaning)).not.toContain(undefined)
  })

  test('the arguments of a custom error are left as they came', () => {
    const reason = revertOf(reverts.find(({ call }) => call === 'fail(8)')!.error)
    expect(reason).toEqual({
      kind: 'custom',
      selector: '0xf6deaa04',
      args: `0x${'7dcd17433742f4c0ca53122ab541d0ba67fc27df'.padStart(64, '0')}${uint(10n ** 18n)}`,
    })
  })
})

describe('payloads of other forms', () => {
  test('a string that a real node did not pad is read', () => {
    const call = recorded('execution-apis-exchanges.json').find(({ id }) => id === 'eth_call/call-revert-abi-error')
    const error = call?.answer.error as NodeError
    expect((String(error.data).length - 2) % 64).not.toBe(8)
    expect(revertOf(error)).toEqual({ kind: 'error', message: 'user error' })
  })

  test.each<[string, string, object]>([
    ['a panic code that is not documented', `0x4e487b71${uint(0x99)}`, { kind: 'panic', code: 0x99n }],
    ['a panic code beyond a number', `0x4e487b71${'f'.repeat(64)}`, { kind: 'panic', code: 2n ** 256n - 1n }],
    ['digits in upper case', `0x4E487B71${uint(1)}`, { kind: 'panic', code: 1n, meaning: panicMeanings[1] }],
    ['a selector alone', '0x12345678', { kind: 'custom', selector: '0x12345678', args: '0x' }],
    ['bytes of no form', '0x77726f6e67', { kind: 'unknown', data: '0x77726f6e67' }],
    ['fewer bytes than a selector', '0x12', { kind: 'unknown', data: '0x12' }],
    ['a panic without code', '0x4e487b71', { kind: 'unknown', data: '0x4e487b71' }],
    ['no hex', 'reverted', { kind: 'invalid' }],
    ['an odd count of digits', '0x123', { kind: 'invalid' }],
  ])('%s', (_, data, reason) => {
    expect(decodeRevert(data)).toEqual(reason)
  })

  test.each([
    ['an offset beyond the payload', `${uint(2n ** 255n)}${uint(1)}`],
    ['a length beyond the payload', `${uint(32)}${uint(2n ** 64n)}`],
    ['a length by one too long', `${uint(32)}${uint(11)}${Buffer.from('user error').toString('hex')}`],
    ['no length', uint(32)],
    ['no offset', ''],
  ])('an Error(string) with %s is unknown', (_, args) => {
    expect(decodeRevert(`0x08c379a0${args}`).kind).toBe('unknown')
  })

  test('a string at another offset than 32 is read', () => {
    const args = `${uint(64)}${uint(0)}${uint(2)}${'6869'.padEnd(64, '0')}`
    expect(decodeRevert(`0x08c379a0${args}`)).toEqual({ kind: 'error', message: 'hi' })
  })

  test('never throws, whatever the bytes', () => {
    assert(
      property(uint8Array({ maxLength: 200 }), (bytes) => {
        const hex = Buffer.from(bytes).toString('hex')
        for (const data of [`0x${hex}`, `0x08c379a0${hex}`, `0x4e487b71${hex}`, `0x08c379a0${uint(32)}${hex}`]) {
          expect(decodeRevert(data, errorSelectors(signatures)).kind).not.toBe('invalid')
        }
      }),
      { numRuns: 500 },
    )
    assert(
      property(anything(), string(), (data, message) => {
        decodeRevert(data, errorSelectors([message]))
        revertOf({ code: 3, message, data })
      }),
    )
  })
})

describe('errors of other nodes', () => {
  const payload = `0x08c379a0${uint(32)}${uint(2)}${'6869'.padEnd(64, '0')}`
  test.each<[string, NodeError]>([
    ['openethereum and nethermind', { code: -32015, message: 'VM execution error.', data: `Reverted ${payload}` }],
    ['a payload within an object', { code: -32603, message: 'execution reverted', data: { data: payload } }],
    [
      'hardhat',
      {
        code: -32603,
        message: "VM Exception while processing transaction: reverted with reason string 'hi'",
        data: { message: '…', data: payload },
      },
    ],
    ['words without a payload', { code: -32000, message: 'execution reverted: hi' }],
    ['a code without words', { code: 3, message: 'call failed', data: payload }],
    ['besu', { code: -32000, message: 'Execution reverted', data: payload }],
  ])('%s', (_, error) => {
    expect(revertOf(error)).toEqual({ kind: 'error', message: 'hi' })
  })

  test('data nested without end does no harm', () => {
    let data: unknown = payload
    for (let i = 0; i < 100_000; i++) data = { data }
    expect(revertOf({ code: 3, message: 'execution reverted', data })).toEqual({ kind: 'empty' })
  })

  test('a revert without words and payload is empty', () => {
    expect(revertOf({ code: -32000, message: 'execution reverted' })).toEqual({ kind: 'empty' })
    expect(revertOf({ code: 3, message: 'execution reverted', data: '0x' })).toEqual({ kind: 'empty' })
  })

  test('a payload that is no hex is told as such, unless the words have the reason', () => {
    for (const data of ['0x123', '0xzz', { data: '0x123' }]) {
      expect(revertOf({ code: 3, message: 'execution reverted', data })).toEqual({ kind: 'invalid' })
      expect(revertOf({ code: 3, message: 'execution reverted: hi', data })).toEqual({ kind: 'error', message: 'hi' })
    }
  })

  test('what is no revert has no reason', () => {
    expect(revertOf({ code: -32000, message: 'header not found' })).toBeUndefined()
    expect(revertOf({ code: -32000, message: 'out of gas', data: payload })).toBeUndefined()
  })
})

describe('signatures of custom errors', () => {
  // The first two are the selectors every Solidity contract uses.
  test.each<[string, Hex]>([
    ['Error(string)', '0x08c379a0'],
    ['error Panic(uint code)', '0x4e487b71'],
    ['  error  InsufficientBalance( address account ,uint needed ) ;', '0xf6deaa04'],
  ])('%s', (signature, selector) => {
    expect(errorSelector(signature)).toBe(selector)
  })

  test('names and short forms within tuples and arrays do not matter', () => {
    expect(errorSelector('error Wrong((address maker, uint[2] amounts)[] orders, int[] deltas, bytes32 root)')).toBe(
      errorSelector('Wrong((address,uint256[2])[],int256[],bytes32)'),
    )
    expect(errorSelector('Wrong(uint8)')).not.toBe(errorSelector('Wrong(uint)'))
  })
})
