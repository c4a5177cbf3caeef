import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { root } from './published.ts'
import { run } from './run.ts'
import type { Trial } from './try-package.ts'

const file = new URL('../installed.json', import.meta.url)

/** The packages of other authors that each package is known to install, by name. */
type Known = Readonly<Record<string, readonly string[]>>

/** Packages that no library of ours may bring: those of the console's pages. */
const ofPages = /^(?:preact|@preact\/.*|uplot)$/
/** The console is for those who run a gateway as a process. */
const hosts = ['@wayleave/proxy', '@wayleave/cli', '@wayleave/console']

/** Tells how far a package installs other things than it is known to. */
export function installedProblems({ name, installed }: Pick<Trial, 'name' | 'installed'>): readonly string[] {
  if (installed.length === 0) return []
  const known = (JSON.parse(readFileSync(file, 'utf8')) as Known)[name] ?? []
  const foreign = foreignOf(installed)
  const added = foreign.filter((each) => !known.includes(each))
  const gone = known.filter((each) => !foreign.includes(each))
  const forbidden = installed.filter(
    (each) => !hosts.includes(name) && (ofPages.test(each) || each === '@wayleave/console'),
  )
  return [
    ...(added.length === 0 ? [] : [`installs ${added.join(', ')}: if that is meant, --update writes it down`]),
    ...(gone.length === 0 ? [] : [`installs no ${gone.join(', ')} any more: --update writes it down`]),
    ...(forbidden.length === 0 ? [] : [`installs ${forbidden.join(', ')}, which only a gateway's process may`]),
  ]
}

/** Writes down what packages install. */
export async function writeInstalled(trials: readonly Pick<Trial, 'name' | 'installed'>[]): Promise<void> {
  const known = JSON.parse(readFileSync(file, 'utf8')) as Known
  const now = Object.fromEntries(trials.map(({ name, installed }) => [name, foreignOf(installed)]))
  const all = Object.entries({ ...known, ...now }).toSorted(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(all), undefined, 2)}\n`)
  await run('oxfmt', [fileURLToPath(file)], { cwd: root })
}

function foreignOf(installed: readonly string[]): readonly string[] {
  return installed.filter((name) => !name.startsWith('@wayleave/'))
}
