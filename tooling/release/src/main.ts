// `pnpm --filter @wayleave/release install-test`: packs every published package, installs each alone into an empty folder, and imports,
// type-checks and runs it in each runtime that its manifest and README name.
//   --only NAME[,NAME]  these packages alone
//   --offline           packages of other authors from what is installed here, instead of the registry
//   --packed DIR        takes the tarballs in this folder, where it has them, instead of packing
//   --sbom DIR          writes what each package installs as CycloneDX into this folder
//   --update            writes down what each package installs
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { installedProblems, writeInstalled } from './installed.ts'
import { neededOf, pack } from './pack.ts'
import { publishedPackages } from './published.ts'
import { startRegistry } from './registry.ts'
import { findRuntimes } from './runtimes.ts'
import { writeSbom } from './sbom.ts'
import { type Trial, tryPackage } from './try-package.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    offline: { type: 'boolean', default: false },
    packed: { type: 'string' },
    sbom: { type: 'string' },
    update: { type: 'boolean', default: false },
  },
})
const packages = publishedPackages()
const names =
  values.only === undefined ? [...packages.keys()] : values.only.split(',').map((name) => `@wayleave/${name}`)
const unknown = names.filter((name) => !packages.has(name))
if (unknown.length > 0) throw new Error(`expected published packages, got ${unknown.join(', ')}`)

const begun = performance.now()
const target = await mkdtemp(join(tmpdir(), 'wayleave-packed-'))
const needed = new Set(names.flatMap((name) => [...neededOf(name, packages)]))
const tarballs = await pack(
  [...needed].map((name) => packages.get(name)!),
  target,
  values.packed,
)
await using registry = await startRegistry(tarballs.values(), values.offline)
const from = { url: registry.url, isWhole: values.offline }
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)
const browser =
  executablePath === undefined
    ? undefined
    : await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
const runtimes = findRuntimes()
console.log(
  `packed ${tarballs.size} packages; to try them: ${runtimes.map(({ name }) => name).join(', ')}${browser ? ', Chromium' : ''}`,
)

const trials: Trial[] = []
try {
  for (const name of names) {
    const started = performance.now()
    const trial = await tryPackage(packages.get(name)!, { from, runtimes, browser })
    const reported = [...trial.problems, ...(values.update ? [] : installedProblems(trial))]
    trials.push({ ...trial, problems: reported })
    const seconds = ((performance.now() - started) / 1_000).toFixed(1)
    console.log(
      `${reported.length === 0 ? 'ok  ' : 'FAIL'} ${name.padEnd(26)} ${seconds.padStart(5)} s  ${String(trial.installed.length).padStart(3)} installed; ${trial.places.join(', ')}`,
    )
    for (const problem of reported) console.log(problem.replaceAll(/^/gm, '     '))
    if (values.sbom !== undefined) {
      await mkdir(values.sbom, { recursive: true })
      await writeSbom(tarballs.get(name)!, from, resolve(values.sbom))
    }
  }
  if (values.update) await writeInstalled(trials)
} finally {
  await browser?.close()
  await rm(target, { recursive: true, force: true })
}
const failed = trials.filter(({ problems }) => problems.length > 0).length
console.log(
  `install test: ${trials.length - failed} passed, ${failed} failed, ${((performance.now() - begun) / 1_000).toFixed(1)} s`,
)
process.exitCode = failed === 0 ? 0 : 1
