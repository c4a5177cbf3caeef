// Runs in a process of its own, in the folder of the suites: `node run-suites.ts KIND KUBO`. Prints the results as JSON.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Host, type HostKind, startHost } from '../hosts.ts'
import { startEcho } from './echo.ts'

/** The result of one test: `passed`, `skipped`, or the message of its failure. */
export type Results = Readonly<Record<string, string>>

interface Test {
  fullTitle(): string
}

interface Mocha {
  readonly suite: { emit(event: string, ...args: unknown[]): void }
  run(done: () => void): { on(event: string, listener: (test: Test, error?: Error) => void): void }
}

type Suite = (factory: unknown, options?: object) => void

async function registerSuites(folder: string, factory: unknown): Promise<void> {
  const load = (path: string): Promise<Record<string, unknown>> => import(pathToFileURL(join(folder, path)).href)
  const suites = await load('test/interface-tests/src/index.ts')
  const members = (family: string): Record<string, Suite> => suites[family] as Record<string, Suite>
  for (const [family, names] of Object.entries(offered)) {
    for (const name of names) members(family)[name]!(factory, {})
  }
}

/** The suites of the commands that a gateway offers, by their families. */
const offered: Readonly<Record<string, readonly string[]>> = {
  root: ['add', 'addAll', 'cat', 'get', 'ls', 'refs'],
  block: ['get', 'put', 'rm', 'stat'],
  dag: ['export', 'get', 'put', 'import', 'resolve', 'dagSharnessT0053'],
  miscellaneous: ['id', 'version', 'resolve'],
  pin: ['add', 'addAll', 'ls', 'rm', 'rmAll', 'update'],
  repo: ['stat'],
}

async function main(kind: HostKind, program: string): Promise<Results> {
  const folder = process.cwd()
  const { create } = (await import(pathToFileURL(join(folder, 'src/index.ts')).href)) as {
    create(options: object): unknown
  }
  const echo = await startEcho()
  process.env['ECHO_SERVER'] = echo.url
  const hosts: Host[] = []
  const factory = {
    async spawn() {
      const host = await startHost(kind, program)
      hosts.push(host)
      const { url, authorization } = host
      return { api: create({ url: `${url}/api/v0`, ...(authorization && { headers: { authorization } }) }) }
    },
    async clean() {
      for (const host of hosts.splice(0)) await host[Symbol.asyncDispose]()
    },
  }
  const MochaClass = createRequire(join(folder, 'package.json'))('mocha') as new (options: object) => Mocha
  const mocha = new MochaClass({ ui: 'bdd', timeout: 60_000, reporter: 'min' })
  mocha.suite.emit('pre-require', globalThis, '', mocha)
  await registerSuites(folder, factory)
  const results: Record<string, string> = {}
  await new Promise<void>((resolve) => {
    const runner = mocha.run(resolve)
    runner.on('pass', (test) => (results[test.fullTitle()] = 'passed'))
    runner.on('pending', (test) => (results[test.fullTitle()] = 'skipped'))
    runner.on('fail', (test, error) => (results[test.fullTitle()] = `failed: ${error?.message.split('\n')[0] ?? ''}`))
  })
  await factory.clean()
  echo.close()
  return results
}

const [kind, program] = process.argv.slice(2)
process.stdout.write(`\n${JSON.stringify(await main(kind as HostKind, program!))}\n`, () => process.exit(0))
