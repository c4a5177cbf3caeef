import { Writable } from 'node:stream'
import { WriteStream } from 'node:tty'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { printResult } from '../../src/output/print-result.ts'

/** A stream as a terminal of 256 colours has it. */
function stream(isTTY: boolean): NodeJS.WriteStream {
  const { getColorDepth } = WriteStream.prototype
  return Object.assign(new Writable(), { isTTY, getColorDepth }) as unknown as NodeJS.WriteStream
}

const pipe = (method: string, json: string): string => printResult(method, json, { json: false, stream: stream(false) })
const terminal = (method: string, json: string): string =>
  printResult(method, json, { json: false, stream: stream(true) })
const seen = (method: string, json: string): string => stripVTControlCharacters(terminal(method, json))

beforeEach(() => {
  vi.stubEnv('TERM', 'xterm-256color')
  for (const name of ['CI', 'FORCE_COLOR', 'NO_COLOR', 'NODE_DISABLE_COLORS']) vi.stubEnv(name, undefined)
})

afterEach(() => vi.unstubAllEnvs())

describe('for a pipe', () => {
  it.each([
    ['"0x7a69"', '0x7a69\n'],
    ['null', 'null\n'],
    ['12345678901234567890', '12345678901234567890\n'],
    ['["0xa","0xb"]', '[0]\t0xa\n[1]\t0xb\n'],
    ['{"a":{"b":[1,{"c":null}]},"e":[],"o":{}}', 'a.b[0]\t1\na.b[1].c\tnull\ne\t[]\no\t{}\n'],
    ['{"a\\nb":1}', '"a\\nb"\t1\n'],
    ['{"a":"two\\nlines","b":true}', 'a\t"two\\nlines"\nb\ttrue\n'],
  ])('%s is plain lines', (json, text) => {
    expect(pipe('some_method', json)).toBe(text)
  })
})

describe('for a terminal', () => {
  it.each([
    ['"\\u001b[2J"', '\\u001b[2J\n'],
    ['{"\\u001b[1m":"\\u009b2J"}', '\\u001b[1m  \\u009b2J\n'],
    ['[{"a":"\\u0007"}]', 'a\n\\u0007\n1 in all; --json shows every member\n'],
    ['[{"a\\u0007":"1","b":"2"}]', 'a\\u0007  b\n1        2\n1 in all; --json shows every member\n'],
    ['{"a":"\\u202egnp.exe\\u2028"}', 'a  \\u202egnp.exe\\u2028\n'],
    ['{"a":"1\\nb  2"}', 'a  1\\nb  2\n'],
  ])('%s cannot steer it', (json, text) => {
    expect(seen('some_method', json)).toBe(text)
  })

  it.each([
    ['eth_chainId', '"0x7a69"', '0x7a69  31337\n'],
    ['eth_getBalance', '"0x14d1120d7b160000"', '0x14d1120d7b160000  1.5 ether, 1500000000000000000 wei\n'],
    ['eth_gasPrice', '"0x3b9aca01"', '0x3b9aca01  1.000000001 gwei\n'],
    ['eth_getCode', '"0x6000"', '0x6000\n'],
    ['eth_call', '"0x12"', '0x12\n'],
    ['eth_getTransactionByHash', 'null', 'null  the node knows no such transaction\n'],
    ['eth_getBlockByNumber', 'null', 'null  the node has no such block\n'],
    ['eth_getBlockByNumber', '"null"', 'null\n'],
    ['my_method', 'null', 'null\n'],
  ])('%s tells what %s stands for', (method, json, text) => {
    expect(seen(method, json)).toBe(text)
  })

  it('an object is a table of its members, with notes, and long bytes cut short', () => {
    const block = {
      number: '0x10',
      timestamp: '0x6b0190d0',
      baseFeePerGas: '0x3b9aca00',
      miner: '0x12',
      logsBloom: `0x${'00'.repeat(256)}`,
    }
    expect(seen('eth_getBlockByNumber', JSON.stringify(block))).toBe(
      [
        'number         0x10  16',
        'timestamp      0x6b0190d0  2026-11-21T12:38:40Z',
        'baseFeePerGas  0x3b9aca00  1 gwei',
        'miner          0x12',
        `logsBloom      0x${'0'.repeat(64)}… (256 bytes)`,
        '',
      ].join('\n'),
    )
    expect(terminal('eth_getBlockByNumber', JSON.stringify(block))).toContain('\x1b[1mnumber')
  })

  it('receipts are a row each, of what tells most', () => {
    const receipt = (i: number): object => ({
      transactionIndex: `0x${i}`,
      transactionHash: `0x${'a'.repeat(63)}${i}`,
      status: '0x1',
      gasUsed: '0x5208',
      from: '0x1f',
      to: null,
      cumulativeGasUsed: '0x5208',
      logs: [{}, {}],
      logsBloom: '0x',
    })
    expect(seen('eth_getBlockReceipts', JSON.stringify([receipt(0), receipt(1)]))).toBe(
      [
        `transactionIndex  transactionHash${' '.repeat(53)}status  gasUsed  from  to  logs`,
        `0                 0x${'a'.repeat(63)}0  1       21000    0x1f  -   2`,
        `1                 0x${'a'.repeat(63)}1  1       21000    0x1f  -   2`,
        '2 in all; --json shows every member',
        '',
      ].join('\n'),
    )
  })

  it('has no colour where NO_COLOR is set', () => {
    vi.stubEnv('NO_COLOR', '1')
    expect(terminal('eth_chainId', '{"a":"0x1"}')).not.toContain('\x1b')
  })
})

describe('as JSON', () => {
  it('is one line, whoever reads it', () => {
    for (const isTTY of [true, false])
      expect(printResult('eth_chainId', '{ "a": 1.0 }', { json: true, stream: stream(isTTY) })).toBe('{"a":1.0}\n')
  })
})
