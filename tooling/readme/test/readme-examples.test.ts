// Every TypeScript block of every README is compiled and run, as a reader would paste it.
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { afterAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))
const readmes = [
  'README.md',
  ...globSync(['{packages,apps,tooling}/*/README.md', 'docs/packages/*.md'], { cwd: root }),
].toSorted()

/** An example that lives longer holds something open, such as the 30 s of a context that nobody released. */
const longestMs = 25_000

interface Example {
  readonly title: string
  readonly file: string
  readonly code: string
}

/**
 * Where a README's examples lie: below its package, so that they resolve what it does; those of its page in `docs` beside them. The root's
 * use what the command uses.
 */
function folderOf(readme: string): string {
  if (readme === 'README.md') return join(root, 'apps/cli/.readme/root')
  if (readme.startsWith('docs/')) {
    const name = basename(readme, '.md')
    return join(root, name === 'client' ? 'apps' : 'packages', name, '.readme/in-detail')
  }
  return join(root, dirname(readme), '.readme')
}

for (const readme of readmes) rmSync(folderOf(readme), { recursive: true, force: true })
const examples: Example[] = readmes.flatMap((readme) => {
  const folder = folderOf(readme)
  const blocks = [...readFileSync(join(root, readme), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)]
  return blocks.map(([, code], i) => {
    mkdirSync(folder, { recursive: true })
    const file = join(folder, `example-${i + 1}.ts`)
    writeFileSync(file, code!)
    return { title: `${readme} #${i + 1}`, file, code: code! }
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
      timeout: longestMs,
    }).catch((failed: { stderr: string }) => failed)
    expect(outcome).not.toHaveProperty('code')
  })
})

/** The packages for Node 20 and later. */
const forNode20 = globSync('{packages,apps}/*/package.json', { cwd: root })
  .map(
    (manifest) => JSON.parse(readFileSync(join(root, manifest), 'utf8')) as { name: string; engines: { node: string } },
  )
  .flatMap(({ name, engines }) => (engines.node.startsWith('>=20') ? [name] : []))

/** Tells whether an example imports such packages only. The databases of Node come with later versions. */
function isForNode20({ code }: Example): boolean {
  const ours = [...code.matchAll(/from '(@wayleave\/[\w-]+)/g)].map(([, name]) => name!)
  return ours.every((name) => forNode20.includes(name)) && !code.includes('sqlite')
}

const node20 = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .find((node) => existsSync(node) && execFileSync(node, ['--version'], { encoding: 'utf8' }).startsWith('v20.'))

// Against the built packages, as Node 20 reads no TypeScript.
describe.skipIf(node20 === undefined)('on Node 20', () => {
  it.each(examples.filter(isForNode20))('$title runs', { timeout: 60_000 }, async ({ file, code }) => {
    const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } }
    const { code: script } = await transform(code, { loader: 'ts', target: 'esnext', tsconfigRaw })
    const compiled = file.replace('.ts', '.mjs')
    writeFileSync(compiled, script)
    const outcome = await run(node20!, [compiled], { cwd: dirname(file), timeout: longestMs }).catch(
      (failed: { stderr: string }) => failed,
    )
    expect(outcome, outcome.stderr).not.toHaveProperty('code')
  })
})
