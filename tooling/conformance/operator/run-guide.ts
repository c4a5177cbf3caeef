import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startStandIn } from '../reload/node.ts'
import { compileCache } from '../test/support/compile-cache.ts'
import { type Going, linesOf, startCommand, untilEnd, untilSilent } from '../first-hour/going.ts'
import { type Act, actsOf } from '../first-hour/transcript.ts'
import { freePorts } from '../two-nodes/nodes/free-ports.ts'
// @boundaries-ignore Servers for tests are in no package.
import { missingPostgres, startPostgres } from '../../../packages/stores/test/postgres-server.ts'
// @boundaries-ignore Servers for tests are in no package.
import { missingRedis, startRedis } from '../../../packages/stores/test/redis-server.ts'

const bin = fileURLToPath(new URL('../../../node_modules/.bin', import.meta.url))
/** An act that goes on has said what it has to say when it was silent for this long, in ms. */
const silenceMs = 1_500

/** A file of the guide: a block of YAML that begins with its name. */
interface GuideFile {
  readonly name: string
  readonly text: string
}

/** The reason why the guide cannot be run here; undefined where it can. */
export function missingForGuide(): string | undefined {
  return missingPostgres() ?? missingRedis()
}

/** Reads the files of a guide, in their order. */
function filesOf(markdown: string): readonly GuideFile[] {
  return [...markdown.matchAll(/^```yaml\n# (\S+\.yaml)\n([^]*?)^```$/gm)].map(([, name, text]) => ({
    name: name!,
    text: text!,
  }))
}

/**
 * Runs the acts of the operator's guide one after the other by bash, in an empty folder, beside nodes, a PostgreSQL and a Redis of their own.
 * Gives the lines of each as they come; addresses and folders are printed as the guide has them.
 */
export async function* runGuide(markdown: string, signal: AbortSignal): AsyncGenerator<readonly string[]> {
  const root = await mkdtemp(join(tmpdir(), 'operator-'))
  await using opened = new AsyncDisposableStack()
  opened.defer(() => rm(root, { recursive: true, force: true }))
  const nodes = [opened.use(await startStandIn()), opened.use(await startStandIn()), opened.use(await startStandIn())]
  const postgres = opened.use(await startPostgres())
  const redis = opened.use(await startRedis())
  const ports = await freePorts(6)
  const database = await postgres.createDatabase('wayleave')
  const copy = await postgres.createDatabase('copy')
  const usual = ['8545', '8546', '8645', '8646', '8845', '8846']
  const places: readonly (readonly [string, string])[] = [
    ['http://10.0.0.11:8545', nodes[0]!.url],
    ['ws://10.0.0.11:8546', nodes[0]!.ws],
    ['http://10.0.0.12:8545', nodes[1]!.url],
    ['ws://10.0.0.12:8546', nodes[1]!.ws],
    ['https://provider.example', nodes[2]!.url],
    ['postgres://wayleave:PASSWORD@10.0.0.21/wayleave', database],
    ['postgres://wayleave:PASSWORD@10.0.0.21/copy', copy],
    ['redis://10.0.0.22:6379', redis.url],
  ]
  const real = (text: string): string => {
    const placed = places.reduce((typed, [shown, there]) => typed.replaceAll(shown, there), text)
    return usual.reduce(
      (typed, shown, i) => typed.replaceAll(new RegExp(`\\b${shown}\\b`, 'g'), String(ports[i])),
      placed,
    )
  }
  const alike = (text: string): string => {
    const placed = places.reduce((seen, [shown, there]) => seen.replaceAll(there, shown), text.replaceAll(root, '~'))
    return usual.reduce((seen, shown, i) => seen.replaceAll(new RegExp(`\\b${ports[i]}\\b`, 'g'), shown), placed)
  }

  const home = join(root, 'wayleave')
  await mkdir(home)
  for (const { name, text } of filesOf(markdown)) await writeFile(join(home, name), real(text))
  const { PATH = '', LANG = 'C.UTF-8' } = process.env
  const env = {
    ...compileCache,
    LANG,
    NO_COLOR: '1',
    HOME: root,
    npm_config_cache: process.env['npm_config_cache'] ?? join(homedir(), '.npm'),
    // The default, at another port.
    WAYLEAVE_ADMIN_URL: `http://127.0.0.1:${ports[1]}`,
    PATH: [bin, dirname(process.execPath), PATH].join(delimiter),
  }
  const start = (command: string): Going => startCommand(real(command), home, env)
  /** By the number of their jobs, less one; those that ended leave a gap. */
  const jobs: Going[] = []
  opened.defer(async () => {
    await Promise.all(jobs.map((one) => untilEnd(one, 'SIGKILL')))
  })
  for (const act of actsOf(markdown)) {
    signal.throwIfAborted()
    yield await run(act, { start, jobs, alike })
  }
}

interface Stage {
  readonly start: (command: string) => Going
  readonly jobs: Going[]
  readonly alike: (text: string) => string
}

async function run({ command }: Act, { start, jobs, alike }: Stage): Promise<readonly string[]> {
  const job = /^kill %(\d+)$/.exec(command)?.[1]
  if (command.endsWith(' &')) {
    // In the place of its shell, which a signal would end first.
    const one = start(`exec env ${command.slice(0, -2)}`)
    jobs.push(one)
    await untilSilent(one, () => (one.written() === '' ? Infinity : silenceMs))
    return linesOf(alike(one.written()))
  }
  if (job !== undefined) {
    const one = jobs[Number(job) - 1]!
    const before = one.written().length
    const code = await untilEnd(one, 'SIGTERM')
    return linesOf(alike(one.written().slice(before)), code)
  }
  const one = start(command)
  const code = await untilEnd(one)
  return linesOf(alike(one.written()), code)
}
