import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const script = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))
const manifest = `{
  "name": "@wayleave/a",
  "version": "0.3.0",
  "scripts": { "build": "tsc -b", "prepack": "x", "postpack": "y", "prepublishOnly": "z" },
  "dependencies": { "@wayleave/b": "workspace:^", "ws": "8.23.0" },
  "devDependencies": { "@wayleave/b": "workspace:^" }
}
`

/** A package that needs another one of its workspace. */
async function makePackage(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-pack-manifest-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'dist'))
  await mkdir(join(folder, 'node_modules/@wayleave/b'), { recursive: true })
  await writeFile(join(folder, 'node_modules/@wayleave/b/package.json'), '{"version":"1.2.3"}')
  await writeFile(join(folder, 'package.json'), manifest)
  return folder
}

function run(
  folder: string,
  file: string,
  agent: string,
  ...args: string[]
): { status: number | null; stderr: string } {
  const env = { ...process.env, npm_config_user_agent: `${agent}/1.0.0 node/v24.0.0` }
  return spawnSync(process.execPath, [script(file), ...args], { cwd: folder, env, encoding: 'utf8' })
}

it('gives npm a manifest with versions that everybody knows, and puts it back byte by byte', async () => {
  const folder = await makePackage()
  expect(run(folder, 'pack-manifest.mjs', 'npm').status).toBe(0)
  expect(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))).toEqual({
    name: '@wayleave/a',
    version: '0.3.0',
    scripts: { build: 'tsc -b' },
    dependencies: { '@wayleave/b': '^1.2.3', ws: '8.23.0' },
    devDependencies: { '@wayleave/b': '^1.2.3' },
  })
  expect(run(folder, 'pack-manifest.mjs', 'npm', '--restore').status).toBe(0)
  expect(await readFile(join(folder, 'package.json'), 'utf8')).toBe(manifest)
})

it('puts the manifest back that an attempt before it left rewritten', async () => {
  const folder = await makePackage()
  run(folder, 'pack-manifest.mjs', 'npm')
  run(folder, 'pack-manifest.mjs', 'npm')
  run(folder, 'pack-manifest.mjs', 'npm', '--restore')
  expect(await readFile(join(folder, 'package.json'), 'utf8')).toBe(manifest)
})

it('leaves the manifest to pnpm', async () => {
  const folder = await makePackage()
  for (const args of [[], ['--restore']]) expect(run(folder, 'pack-manifest.mjs', 'pnpm', ...args).status).toBe(0)
  expect(await readFile(join(folder, 'package.json'), 'utf8')).toBe(manifest)
})

it('packs nothing that was not built', async () => {
  const folder = await makePackage()
  await rm(join(folder, 'dist'), { recursive: true })
  expect(run(folder, 'pack-manifest.mjs', 'pnpm')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('npm run build'),
  })
})

it('lets pnpm publish, and nobody else', async () => {
  const folder = await makePackage()
  expect(run(folder, 'pnpm-only.mjs', 'pnpm').status).toBe(0)
  expect(run(folder, 'pnpm-only.mjs', 'npm')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('release.yml'),
  })
})
