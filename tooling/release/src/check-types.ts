import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Consumer } from './consumer.ts'
import { root } from './published.ts'
import { run } from './run.ts'

const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')

/** Settings of the compiler as projects have them. */
const resolutions = {
  nodenext: { module: 'nodenext' },
  bundler: { module: 'preserve', moduleResolution: 'bundler' },
} as const

/** Type-checks imports of entry points, with those of declarations, under `bundler` and `nodenext`. Resolves with what the compiler says. */
export async function checkTypes(
  { folder }: Consumer,
  entries: readonly string[],
  needsNode: boolean,
): Promise<readonly string[]> {
  const imports = entries.map((entry, i) => `import * as m${i} from ${JSON.stringify(entry)}`)
  await writeFile(
    join(folder, 'imports.ts'),
    `${imports.join('\n')}\nexport const all = [${entries.map((_entry, i) => `m${i}`).join(', ')}]\n`,
  )
  if (needsNode) {
    // A project on Node has its types.
    await mkdir(join(folder, 'node_modules/@types'), { recursive: true })
    for (const name of ['@types/node'])
      await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'dir').catch(() => {})
  }
  const said: string[] = []
  for (const [name, resolution] of Object.entries(resolutions)) {
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      target: 'es2022',
      lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable', 'dom.asynciterable'],
      types: needsNode ? ['node'] : [],
      skipLibCheck: false,
      noEmit: true,
      ...resolution,
    }
    const config = join(folder, `tsconfig.${name}.json`)
    await writeFile(config, JSON.stringify({ compilerOptions, files: ['imports.ts'] }))
    await run(process.execPath, [tsc, '-p', config], { cwd: folder }).catch((failed: Error) =>
      said.push(`${name}: ${failed.message}`),
    )
  }
  return said
}
