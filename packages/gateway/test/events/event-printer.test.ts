import { type RawJson, rawJsonFromText, rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { describe, expect, it, vi } from 'vitest'
import { createHeadPrinter, createLogPrinter, printEvent } from '../../src/events/event-printer.ts'

const block = (digit: string): string => `0x${digit.repeat(64)}`
const a = block('a')
const b = block('b')
const log = (blockHash: string, index: number, height: number, removed = false): RawJson =>
  rawJsonFromValue({ blockHash, logIndex: `0x${index.toString(16)}`, blockNumber: `0x${height.toString(16)}`, removed })
/** `+` or `-`, the block's digit and the index of each log, and its id. */
const signs = (text: string): string[] =>
  [...text.matchAll(/^event: logs\nid: (.*)\ndata: (.*)\n$/gm)].map(([, id, data]) => {
    const { blockHash, logIndex, removed } = JSON.parse(data!) as Record<string, string>
    return `${removed ? '-' : '+'}${blockHash!.at(-1)}${Number(logIndex)} ${id}`
  })

describe('the printer of heads', () => {
  it('names each head by its hash', () => {
    const printer = createHeadPrinter(undefined)
    expect(printer.id).toBeUndefined()
    printer.reached(a, 1)
    expect(printer.id).toBe(a)
    expect(printer.print(rawJsonFromText(`{"hash":"${b}"}`))).toBe(
      `event: newHeads\nid: ${b}\ndata: {"hash":"${b}"}\n\n`,
    )
    expect(printer.id).toBe(b)
  })
})

describe('the printer of logs', () => {
  it('names what was told: part of a block, then all of it', () => {
    const printer = createLogPrinter({ place: undefined, fromBlock: undefined, rest: [] })
    expect(printer.id).toBeUndefined()
    printer.reached(a, 7)
    expect(printer.id).toBe(`${a}@8`)
    expect(signs(printer.print(log(b, 3, 8)))).toEqual([`+b3 ${b}:4@8`])
    expect(signs(printer.print(log(b, 5, 8)))).toEqual([`+b5 ${b}:6@8`])
    printer.reached(b, 8)
    expect(printer.id).toBe(`${b}@8`)
    expect(signs(printer.print(log(b, 5, 8, true)))).toEqual([`-b5 ${b}:5@8`])
  })

  it('takes nothing back that is older than all that was told, until a branch below it was told', () => {
    const printer = createLogPrinter({ place: { hash: a, from: 8 }, fromBlock: undefined, rest: [] })
    expect(printer.print(log(a, 0, 7, true))).toBe('')
    expect(signs(printer.print(log(b, 0, 6)))).toEqual([`+b0 ${b}:1@6`])
    expect(signs(printer.print(log(b, 0, 6, true)))).toEqual([`-b0 ${b}:0@6`])
  })

  it('prints the rest of a block that still stands before anything else', () => {
    const start = { place: { hash: a, below: 2, from: 0 }, fromBlock: undefined, rest: [log(a, 2, 7), log(a, 4, 7)] }
    const quiet = createLogPrinter(start)
    expect(quiet.id).toBe(`${a}:2`)
    expect(signs(quiet.reached(a, 7))).toEqual([`+a2 ${a}:3`, `+a4 ${a}:5`])
    expect(quiet.id).toBe(a)
    const busy = createLogPrinter(start)
    expect(signs(busy.print(log(b, 0, 8)))).toEqual([`+a2 ${a}:3`, `+a4 ${a}:5`, `+b0 ${b}:1`])
    expect(signs(busy.print(log(a, 4, 7, true)))).toEqual([`-a4 ${a}:4`])
  })

  it('takes back of a block that was replaced only the part that was told', () => {
    const rest = [log(a, 2, 7), log(a, 4, 7)]
    const printer = createLogPrinter({ place: { hash: a, below: 2, from: 0 }, fromBlock: undefined, rest })
    expect(printer.print(log(a, 4, 7, true))).toBe('')
    expect(printer.print(log(a, 2, 7, true))).toBe('')
    expect(printer.id).toBe(`${a}:2`)
    expect(signs(printer.print(log(a, 1, 7, true)))).toEqual([`-a1 ${a}:1`])
    expect(printer.reached(b, 6)).toBe('')
    expect(signs(printer.print(log(a, 4, 7)))).toEqual([`+a4 ${a}:5`])
    expect(signs(printer.print(log(a, 4, 7, true)))).toEqual([`-a4 ${a}:4`])
  })
})

it('an event is read and printed once, for any number of readers', () => {
  const event = log(a, 0, 7)
  const text = vi.spyOn(event, 'text')
  const printers = [5, 6].map((from) => createLogPrinter({ place: { hash: b, from }, fromBlock: undefined, rest: [] }))
  expect(printers.flatMap((printer) => signs(printer.print(event)))).toEqual([`+a0 ${a}:1@5`, `+a0 ${a}:1@6`])
  expect(text).toHaveBeenCalledTimes(1)
})

it('data of several lines has a field for each', () => {
  expect(printEvent('end', undefined, '{\r\n"a":\n1\r}')).toBe('event: end\ndata: {\ndata: "a":\ndata: 1\ndata: }\n\n')
})
