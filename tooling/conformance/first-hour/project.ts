import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Dev } from './dev.ts'

/** The programs of `programs/`, and those of them that a page can run, too. */
export const programs = ['watch-blocks', 'verified-transaction', 'ipfs-directory'] as const
export const pagePrograms = ['watch-blocks', 'verified-transaction'] as const

const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')

/** The source of a program. */
export function sourceOf(name: string): Promise<string> {
  return readFile(join(import.meta.dirname, 'programs', `${name}.ts`), 'utf8')
}

/** Writes the programs into a project, with the free ports of a `wayleave dev` in the place of its own ones. */
export async function writePrograms(folder: string, { rpc, ipfs }: Dev): Promise<void> {
  for (const name of programs) {
    const source = await sourceOf(name)
    const here = source
      .replace(/url: 'http:\/\/127\.0\.0\.1:8545'/, `url: '${rpc}'`)
      .replace('ipfs()', `ipfs({ url: '${ipfs}' })`)
    if (!here.includes(rpc)) throw new Error(`${name}: expected the URL of wayleave dev`)
    await writeFile(join(folder, `${name}.ts`), here)
  }
}

/** Settings as projects have them: of Node, and of a page that a bundler makes. */
export const settings = {
  nodenext: { files: programs, module: 'nodenext', types: ['node'], outDir: 'dist' },
  bundler: { files: programs, module: 'preserve', moduleResolution: 'bundler', types: ['node'], noEmit: true },
  'bundler, without types of Node': {
    files: pagePrograms,
    module: 'esnext',
    moduleResolution: 'bundler',
    types: [],
    lib: ['es2022', 'dom', 'dom.iterable'],
    skipLibCheck: true,
    noEmit: true,
  },
} as const

/** Type-checks programs of a project, strictly. Resolves with what the compiler says, which is nothing if all is well. */
export async function typeCheck(folder: string, name: keyof typeof settings): Promise<string> {
  const { files, ...own } = settings[name]
  const compilerOptions = { strict: true, noUncheckedIndexedAccess: true, target: 'es2022', ...own }
  const config = join(folder, `tsconfig.${Object.keys(settings).indexOf(name)}.json`)
  await writeFile(config, JSON.stringify({ compilerOptions, files: files.map((file) => `${file}.ts`) }))
  return new Promise((resolve) => {
    execFile(process.execPath, [tsc, '-p', config], { cwd: folder }, (_failed, stdout, stderr) =>
      resolve(stdout + stderr),
    )
  })
}
