import { parseArgs } from 'node:util'
import { build, dev, isInstalled, stage } from './build.ts'

/*
 * Makes the documentation site: `build` (the default) into docs/site/dist, `dev` to look at it while it is written, `check` for its links
 * alone, without VitePress. `--base /path/`: where it will lie.
 */

const { values, positionals } = parseArgs({
  options: { base: { type: 'string', default: '/' } },
  allowPositionals: true,
})
const [mode = 'build'] = positionals
const base = `/${values.base.replaceAll(/^\/|\/$/g, '')}/`.replace('//', '/')

if (mode !== 'check' && !isInstalled()) {
  process.stderr.write('site: VitePress is not installed: npm ci --prefix docs/site\n')
  process.exitCode = 1
} else {
  const faults = mode === 'check' ? await stage() : mode === 'dev' ? await dev(base) : await build(base)
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  process.stdout.write(`site: ${faults.length === 0 ? 'every link leads somewhere' : `${faults.length} faults`}\n`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
