import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = fileURLToPath(new URL('../.type-cost', import.meta.url))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Compiles a program of this text: the types that the compiler instantiates, and its messages. */
async function check(
  name: string,
  text: string,
): Promise<{ readonly instantiations: number; readonly errors: string[] }> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.ts`), text)
  const compilerOptions = {
    noEmit: true,
    composite: false,
    isolatedDeclarations: false,
    declaration: false,
    declarationMap: false,
    rewriteRelativeImportExtensions: false,
    allowImportingTsExtensions: true,
    customConditions: ['@wayleave/source'],
  }
  const config = join(folder, `${name}.json`)
  writeFileSync(
    config,
    JSON.stringify({ extends: '../../../tsconfig.base.json', compilerOptions, files: [`${name}.ts`] }),
  )
  const tsc = join(root, 'node_modules/.bin/tsc')
  const { stdout } = await run(tsc, [
    '-p',
    config,
    '--extendedDiagnostics',
    '--singleThreaded',
    '--pretty',
    'false',
  ]).catch((failed: { stdout: string }) => failed)
  const errors = stdout.split('\n').filter((line) => line.includes(`${name}.ts`) && line.includes('error TS'))
  return { instantiations: Number(/Instantiations:\s+(\d+)/.exec(stdout)?.[1]), errors }
}

const baseline = `import { createRpcClient, type RpcHandler } from '@wayleave/jsonrpc-core'
declare const handler: RpcHandler
export { createRpcClient, handler }
`
/** Params and arguments of the usual shapes: half of the methods take nothing, the rest an account and a block, or a hash. */
const shapes = [
  ['readonly []', '[]'],
  ['readonly []', '[]'],
  ['readonly [address: string, block?: string]', `['0x1', 'latest']`],
  ['readonly [hash: `0x${string}`]', `['0x1']`],
] as const
/** As in a chain's schema, where most results are one of a few scalars and the rest a dozen of objects. */
const results = [
  'string',
  '`0x${string}`',
  'boolean',
  ...Array.from({ length: 12 }, (_, i) => `{ readonly field${i}: string } | null`),
]
const methods = Array.from({ length: 60 }, (_, i) => {
  const [params, args] = shapes[i % shapes.length]!
  return { name: `eth_method${i}`, params, args, result: results[i % results.length]! }
})
const schema = `interface Chain {
${methods.map(({ name, params, result }) => `  readonly ${name}: { readonly params: ${params}; readonly result: ${result} }`).join('\n')}
}
const client = createRpcClient<Chain>(handler)
`

describe('a client of 60 methods', () => {
  it('costs the compiler at most 1,000 instantiations for a call of each', { timeout: 60_000 }, async () => {
    // Not awaited: what `await` costs is the same for every promise.
    const calls = methods.map(({ name, args }, i) => `export const value${i} = client.request('${name}', ${args})`)
    const before = await check('baseline', baseline)
    const after = await check('consumer', `${baseline}${schema}${calls.join('\n')}\n`)
    expect([before.errors, after.errors]).toEqual([[], []])
    expect(before.instantiations).toBeGreaterThan(0)
    expect(after.instantiations - before.instantiations).toBeLessThanOrEqual(1_000)
  })

  it('is still checked, each call', { timeout: 60_000 }, async () => {
    const wrong = [
      `await client.request('eth_method', [])`,
      `await client.request('eth_method0', ['0x1'])`,
      `await client.request('eth_method2', [])`,
      `await client.request('eth_method2', [1])`,
      `await client.request('eth_method3', ['latest'])`,
      `const value: number = await client.request('eth_method0', []); void value`,
      `void (await client.request('eth_method0', [])).field1`,
    ]
    const { errors } = await check('wrong', `${baseline}${schema}${wrong.join('\n')}\n`)
    const first = `${baseline}${schema}`.split('\n').length
    const lines = errors.map((error) => Number(/wrong\.ts\((\d+),/.exec(error)?.[1]) - first)
    expect(new Set(lines)).toEqual(new Set(wrong.keys()))
  })
})
