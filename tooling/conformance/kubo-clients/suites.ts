// `pnpm --filter @wayleave/conformance kubo-suites`: kubo-rpc-client's own interface suites against a Kubo and two gateways.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { kubo } from '../src/peers/kubo.ts'
import { providePeer } from '../src/peers/peer.ts'
import { type HostKind, hostKinds } from './hosts.ts'
import { provideSuites } from './suites/checkout.ts'
import { known } from './suites/known.ts'
import type { Results } from './suites/run-suites.ts'

const program = await providePeer(kubo, (line) => console.log(line))
const suites = await provideSuites()
if (program.missing !== undefined) console.log(`kubo is skipped: ${program.missing}`)
else if ('missing' in suites) console.log(`the suites of kubo-rpc-client are skipped: ${suites.missing}`)
else process.exitCode = (await compare(suites.folder, program.path)) ? 0 : 1

/** Runs the suites against each host. Tells whether each passes what Kubo passes, but for known tests. */
async function compare(folder: string, path: string): Promise<boolean> {
  const results = new Map<HostKind, Results>()
  for (const kind of hostKinds) results.set(kind, await runSuites(kind, folder, path))
  const passed = (kind: HostKind): string[] => titlesOf(results.get(kind)!)
  const wanted = passed('kubo')
  console.log(`kubo passes ${wanted.length}`)
  let isSame = true
  for (const kind of hostKinds.slice(1)) {
    const own = new Set(passed(kind))
    const lost = wanted.filter((title) => !own.has(title))
    console.log(`${kind} passes ${wanted.length - lost.length} of them`)
    for (const title of lost) {
      const reason = known.find((each) => each.title === title && each.hosts.includes(kind))?.reason
      isSame &&= reason !== undefined
      console.log(`  ${title}: ${reason ?? `UNKNOWN: ${results.get(kind)![title] ?? 'did not run'}`}`)
    }
  }
  return isSame
}

function titlesOf(results: Results): string[] {
  return Object.keys(results).filter((title) => results[title] === 'passed')
}

async function runSuites(kind: HostKind, folder: string, path: string): Promise<Results> {
  const script = fileURLToPath(new URL('suites/run-suites.ts', import.meta.url))
  const args = ['--no-warnings', '--experimental-transform-types', '--conditions=@wayleave/source', script, kind, path]
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  await new Promise((resolve) => child.on('close', resolve))
  return JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '{}') as Results
}
