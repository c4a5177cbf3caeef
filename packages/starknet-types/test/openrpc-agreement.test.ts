// Our checks of 0.5.1 take all that the documents of 0.5.1 allow, and both refuse what our checks refuse of the rest.
import type { AnySchema } from '@wayleave/jsonrpc-core/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { starknetErrorsOf, starknetMethods } from '../src/index.ts'
import { components, documented, type JsonSchema, parts, validator, valuesOf } from './openrpc-0-5-1.ts'
import { altered, pathsIn } from './recorded.ts'

type Named = Readonly<Record<string, unknown>>

interface Spec {
  readonly paramNames: readonly string[]
  readonly errors: readonly number[]
  readonly params: AnySchema
  readonly result: AnySchema
}

const table = starknetMethods['0.5.1'] as unknown as Readonly<Record<string, Spec>>
const numRuns = Number(process.env['RUNS'] ?? 200)

const beyond32Bytes = `0x1${'0'.repeat(64)}`

/**
 * Whether the two may differ at a path: while a block is being built, nothing has its hash or number; nodes leave out
 * resources that were not used; an ABI of Cairo 0 is passed on unread; a version is more than any number; places are
 * whole numbers from 0; and no number is longer than 32 bytes.
 */
function mayDiffer(path: readonly (string | number)[], to: unknown): boolean {
  const last = String(path.at(-1))
  if (to === undefined && /^(?:block_hash|block_number|old_root|\w+_applications)$/.test(last)) return true
  return path.includes('abi') || ['version', 'order', 'function_idx'].includes(last) || to === beyond32Bytes
}

/** Wrong wherever it stands: no felt, no number in hex, no tag, no object with the members that are asked for. */
const junk: readonly unknown[] = [null, true, -1, 1.5, 'newest', '0x', '0xg', beyond32Bytes, 7, {}, []]

function agree(check: AnySchema['check'], schema: JsonSchema): void {
  const allowed = validator(schema)
  let refused = 0
  fc.assert(
    fc.property(valuesOf(schema), fc.nat(), fc.constantFrom(undefined, ...junk), (value, place, to) => {
      expect(allowed(value), JSON.stringify(allowed.errors)).toBe(true)
      expect(check(value, '')).toBeUndefined()
      const paths = pathsIn(value)
      const path = paths[place % paths.length]!
      // A list without its second element is another list.
      if (mayDiffer(path, to) || (to === undefined && typeof path.at(-1) !== 'string')) return
      const changed = altered(value, path, to)
      const issue = check(changed, '')
      if (issue !== undefined) refused++
      if ((issue === undefined) === allowed(changed)) return
      throw new Error(
        `${path.join('.')} = ${JSON.stringify(to)}: ${JSON.stringify(issue)} in ${JSON.stringify(changed)}`,
      )
    }),
    { numRuns },
  )
  expect(refused).toBeGreaterThan(numRuns / 4)
}

describe.each(documented)('$name', ({ name, paramNames, errors, ...schemas }) => {
  const spec = table[name]!

  test('has the params of the document, in its order, and its errors', () => {
    expect(spec.paramNames).toEqual(paramNames)
    expect([...spec.errors].toSorted()).toEqual([...errors].toSorted())
  })

  test.each(['params', 'result'] as const)('%s: what the document allows passes, what it refuses does not', (part) => {
    agree(spec[part].check, schemas[part])
  })

  test('params in the order of the document pass as a list', () => {
    fc.assert(
      fc.property(valuesOf(schemas.params), (value) => {
        const list = paramNames.map((each) => (value as Named)[each])
        expect(spec.params.check(list, '')).toBeUndefined()
      }),
      { numRuns: 30 },
    )
  })
})

test.each(components)('$name, $part: what the document allows passes, what it refuses does not', (each) => {
  agree(table[each.name]![each.part].check, each.schema)
})

test('codes and messages of errors are those of the documents', () => {
  const ours = starknetErrorsOf('0.5.1') as Readonly<Record<number, unknown>>
  const theirs = Object.entries({ ...parts.trace.components.errors, ...parts.api.components.errors })
  expect(theirs.length).toBeGreaterThan(10)
  for (const [name, { code, message }] of theirs) expect(ours[code]).toEqual({ name, message })
})
