// `pnpm check`: everything besides the tests that must hold before a change lands. Each step prints a line, and its
// output if it failed; all of them run, whatever the others say. Names of steps run these alone, `--fix` has what tools can mend mended
// first, and `--report FILE` writes the counts as JSON. With CI in
// the environment, the fault lab runs its 300 seeds, and the documentation site is built, too.
import { writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { api } from './check/api.mjs'
import { conventions, hygiene } from './check/files.mjs'
import { manifests, tarballs } from './check/packages.mjs'
import { rooms } from './check/rooms.mjs'
import { execute, runTool } from './check/run-tool.mjs'
import { hasVitePress, site } from './check/site.mjs'
import { sizes } from './check/sizes.mjs'
import { versions } from './check/versions.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
process.chdir(root)
process.env.PATH = join(root, 'node_modules/.bin') + delimiter + process.env.PATH
process.env.TURBO_TELEMETRY_DISABLED = '1'

const tool =
  (command, ...args) =>
  () =>
    runTool(command, args)

/** Lines that follow a step that passed. */
const notes = []

/** Its time is told, not judged: the bar of three minutes is for two quiet cores, which no step can be sure of. */
async function faultLab() {
  const lab = ['run', '--silent', 'fault-lab', '--', '--seeds', '300', '--check-hash', '150']
  const { code, output } = await execute('npm', lab)
  if (code !== 0) return [output.trim() || `the fault lab ended with ${code}`]
  notes.push(`${output.trim().split('\n').at(-1)} (at most 180 s on two quiet cores)`)
  return []
}

/** Tries the files of deploy/ with the programs that are there, and names the missing programs. */
async function deployment() {
  const { code, output } = await execute('node', [
    'tooling/deploy/check.mjs',
    ...(process.env.CI ? [] : ['--no-build']),
  ])
  if (code !== 0) return [output.trim() || `tooling/deploy ended with ${code}`]
  notes.push(
    ...output
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('ok ')),
  )
  return []
}

const steps = [
  ['build', tool('turbo', 'run', 'build', '--output-logs=errors-only')],
  ['types of tests', tool('tsc', '-p', 'tsconfig.tests.json')],
  ['lint', tool('oxlint', '--deny-warnings', '--report-unused-disable-directives')],
  ['format', tool('oxfmt', '--check')],
  ['boundaries', tool('turbo', 'boundaries', '--no-color')],
  ['rooms', rooms],
  ['knip', tool('knip', '--no-progress', '--treat-config-hints-as-errors')],
  ['conventions', conventions],
  ['hygiene', hygiene],
  ['manifests', manifests],
  ['versions', versions],
  ['tarballs', tarballs],
  ['api', api],
  ['sizes', sizes],
  ['deployment', deployment],
  // It takes a minute to install and build.
  ...(process.env.CI || hasVitePress() ? [['site', site]] : []),
  // The tests run 20 of them.
  ...(process.env.CI ? [['fault lab', faultLab]] : []),
]

const { values, positionals: wanted } = parseArgs({
  options: { fix: { type: 'boolean', default: false }, report: { type: 'string' } },
  allowPositionals: true,
})
const unknown = wanted.filter((name) => !steps.some(([known]) => known === name))
if (unknown.length > 0) {
  console.error(`check: there is no step ${unknown.join(', ')}; there are ${steps.map(([name]) => name).join(', ')}`)
  process.exit(2)
}
const chosen = wanted.length === 0 ? steps : steps.filter(([name]) => wanted.includes(name))
if (values.fix) {
  for (const [command, ...args] of [['oxlint', '--fix'], ['oxfmt'], ['node', 'tooling/check/api.mjs']])
    await execute(command, args)
}

let failed = 0
const start = performance.now()
for (const [name, check] of chosen) {
  const started = performance.now()
  const problems = await check().catch((error) => [String(error.stack ?? error)])
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${problems.length === 0 ? 'ok  ' : 'FAIL'} ${name.padEnd(16)} ${seconds.padStart(5)} s`)
  const said = [...problems, ...notes.splice(0)]
  if (said.length > 0) console.log(said.join('\n').replaceAll(/^/gm, '     '))
  failed += problems.length > 0 ? 1 : 0
}
const passed = chosen.length - failed
console.log(`check: ${passed} passed, ${failed} failed, ${((performance.now() - start) / 1000).toFixed(1)} s`)

if (values.report !== undefined) writeFileSync(values.report, JSON.stringify({ passed, failed }))
process.exitCode = failed === 0 ? 0 : 1
