import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { reportOf } from '../api.mjs'

/** Writes a built package of these files, and prints its report. */
async function report(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'api-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const exports = { '.': { types: './dist/index.d.ts' }, './internal/*': { '@wayleave/source': './src/*.ts' } }
  const manifest = JSON.stringify({ name: '@wayleave/sample', exports })
  for (const [name, text] of Object.entries({ 'package.json': manifest, ...files })) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return reportOf(folder)
}

it('the report of an API has each export without its comments, and the types of the package that they show', async () => {
  const text = await report({
    'dist/index.d.ts':
      "export { type RpcError } from '@wayleave/other';\nexport { open, type Options as OpenOptions } from './open.ts';\n",
    'dist/open.d.ts': `import type { Port } from './port.ts';
export interface Options {
    /** The port. */
    readonly port: Port;
}
/** Opens it. */
export declare function open(options: Options): void;
export declare function open(): void;
interface Unseen {}
`,
    'dist/port.d.ts': 'export type Port = 1 | 2;\n',
  })
  expect(text).toBe(`# @wayleave/sample

interface Options {
    readonly port: Port;
}
OpenOptions: exported for Options
RpcError: of @wayleave/other
function open(options: Options): void;
function open(): void;

# not exported, shown by the above

type Port = 1 | 2;
`)
})

it('the report of an API refuses an export that names nothing', async () => {
  await expect(report({ 'dist/index.d.ts': "export * from './open.ts';\n" })).rejects.toThrow('export * has no report')
})
