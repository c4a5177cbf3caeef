// Every TypeScript block of every README is compiled and run, as a reader would paste it.
import { execFile } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))
const readmes = ['README.md', ...globSync('{packages,apps,tooling}/*/README.md', { cwd: root })].toSorted()

interface Example {
  readonly title: string
  readonly file: string
}

/** Where a README's examples lie: below its package, so that they resolve what it does. The root's use what the command uses. */
const folderOf = (readme: string): string =>
  readme === 'README.md' ? join(root, 'apps/cli/.readme/root') : join(root, dirname(readme), '.readme')

for (const readme of readmes) rmSync(folderOf(readme), { recursive: true, force: true })
const examples: Example[] = readmes.flatMap((readme) => {
  const folder = folderOf(readme)
  const blocks = [...readFileSync(join(root, readme), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)]
  return blocks.map(([, code], i) => {
    mkdirSync(folder, { recursive: true })
    const file = join(folder, `example-${i + 1}.ts`)
    writeFileSync(file, code!)
    return { title: `${readme} #${i + 1}`, file }
  })
})

afterAll(() => {
  for (const readme of readmes) rmSync(folderOf(readme), { recursive: true, force: true })
})

describe('README examples', () => {
  it('exist for each published package', () => {
    const without = globSync('{packages,apps}/*/package.json', { cwd: root })
      .map((manifest) => dirname(manifest))
      .filter((folder) => !examples.some(({ title }) => title.startsWith(`${folder}/`)))
    // The command's README holds shell lines only.
    expect(without).toEqual(['apps/cli'])
  })

  it('compile under the strict settings of this repository', { timeout: 120_000 }, async () => {
    const config = join(root, 'apps/cli/.readme/tsconfig.json')
    mkdirSync(dirname(config), { recursive: true })
    const compilerOptions = {
      noEmit: true,
      composite: false,
      isolatedDeclarations: false,
      declaration: false,
      declarationMap: false,
      rewriteRelativeImportExtensions: false,
      customConditions: ['@wayleave/source'],
      allowImportingTsExtensions: true,
      noUnusedLocals: false,
    }
    writeFileSync(
      config,
      JSON.stringify({
        extends: '../../../tsconfig.base.json',
        compilerOptions,
        files: examples.map(({ file }) => file),
      }),
    )
    const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', config], { cwd: root }).catch(
      (failed: { stdout: string }) => failed,
    )
    expect(stdout).toBe('')
  })

  it.each(examples)('$title runs', { timeout: 60_000 }, async ({ file }) => {
    const outcome = await run(process.execPath, ['--conditions=@wayleave/source', file], {
      cwd: dirname(file),
      timeout: 50_000,
    }).catch((failed: { stderr: string }) => failed)
    expect(outcome).not.toHaveProperty('code')
  })
})
