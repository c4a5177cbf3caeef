import { SchemaError } from '@wayleave/jsonrpc-core/schema'
import { assert, property, stringMatching, uint8Array } from 'fast-check'
import { expect, test } from 'vitest'
import { dataSchema, parseData, printData } from '../src/index.ts'

test('bytes survive being printed and parsed', () => {
  assert(
    property(uint8Array({ maxLength: 200 }), (bytes) => {
      expect(parseData(printData(bytes))).toEqual(bytes)
    }),
  )
})

test('reads digits of either case, and nothing as no bytes', () => {
  expect(parseData('0xFfab')).toEqual(Uint8Array.of(255, 171))
  expect(parseData('0x')).toHaveLength(0)
  expect(printData(new Uint8Array(0))).toBe('0x')
})

test('parses exactly what the schema accepts', () => {
  assert(
    property(stringMatching(/^0?[xX]?[0-9a-fA-Fg]{0,9}$/), (text) => {
      if (dataSchema.check(text, '') === undefined) expect(parseData(text)).toHaveLength((text.length - 2) / 2)
      else expect(() => parseData(text)).toThrow(SchemaError)
    }),
  )
})

test('says what was expected and what came', () => {
  expect(() => parseData('0x123')).toThrow('data: expected bytes in hex (0x and an even count of digits), got "0x123"')
})
