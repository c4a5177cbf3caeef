// `pnpm --filter @wayleave/conformance kubo-command-line`: Kubo's own command line against a Kubo and a gateway.
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kubo } from '../src/peers/kubo.ts'
import { providePeer } from '../src/peers/peer.ts'
import { type CliCommand, commands } from './command-line/commands.ts'
import { reasonOf } from './command-line/known.ts'
import { credentials, type Host, type HostKind, startHost } from './hosts.ts'

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A CARv1 with the raw block `hello world` as its root. */
const car =
  '3aa265726f6f747381d82a58250001551220b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde96776657273696f6e01' +
  '2f01551220b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde968656c6c6f20776f726c64'

const found = await providePeer(kubo, (line) => console.log(line))
if (found.missing !== undefined) console.log(`kubo is skipped: ${found.missing}`)
else {
  const [local, over] = [await compare('local', found.path), await compare('over-kubo', found.path)]
  process.exitCode = local && over ? 0 : 1
}

/** Runs all commands against a Kubo and a gateway. Tells whether they end and print alike, but for known ones. */
async function compare(kind: HostKind, program: string): Promise<boolean> {
  await using its = await startHost('kubo', program)
  await using ours = await startHost(kind, program)
  // A Kubo pins the empty directory when it is made.
  await fetch(`${its.url}/api/v0/pin/rm?arg=QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn`, { method: 'POST' })
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-command-line-'))
  const names = new Map<string, string>()
  let [same, isExplained] = [0, true]
  try {
    await makeFiles(folder)
    for (const command of commands) {
      const ended: Ended[] = []
      for (const [name, host] of [
        ['its', its],
        ['ours', ours],
      ] as const) {
        // prettier-ignore
        const place = (text: string): string =>
          text
            .replaceAll(/\$([a-z]\w*)/g, (whole, key: string) => names.get(key) ?? whole)
            .replaceAll(/%(\w+)/g, (_, key: string) => join(folder, key.startsWith('out') ? `${name}-${key}` : key))
        ended.push(await runCli(program, host, command, place))
      }
      const [theirs, own] = ended as [Ended, Ended]
      if (command.as !== undefined) names.set(command.as, theirs.stdout.trim())
      if (theirs.code === own.code && printed(command, theirs, folder) === printed(command, own, folder)) {
        same++
        continue
      }
      const text = command.args.join(' ')
      const reason = reasonOf(command)
      isExplained &&= reason !== undefined
      console.log(`  ipfs ${text}: ${reason ?? `UNKNOWN ${JSON.stringify([theirs, own])}`}`)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  console.log(`${kind}: ${same} of ${commands.length} commands end and print as with Kubo`)
  return isExplained
}

/** The output of a command; lines of lists that have no order are sorted. */
function printed({ args }: CliCommand, { stdout }: Ended, folder: string): string {
  const text = stdout.replaceAll(`${folder}/its-`, '').replaceAll(`${folder}/ours-`, '')
  const isUnordered = args[0] === 'pin' && ['ls', 'verify'].includes(args[1]!)
  return isUnordered ? text.split('\n').toSorted().join('\n') : text
}

async function runCli(
  program: string,
  host: Host,
  { args, input }: CliCommand,
  place: (text: string) => string,
): Promise<Ended> {
  const api = [`--api=/ip4/127.0.0.1/tcp/${new URL(host.url).port}`]
  if (host.authorization !== undefined) api.push(`--api-auth=basic:${credentials}`)
  const child = spawn(program, [...api, ...args.map(place)], {
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout!.setEncoding('latin1').on('data', (text: string) => (stdout += text))
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  child.stdin?.on('error', () => {})
  child.stdin?.end(input === undefined ? undefined : place(input))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, stdout, stderr: stderr.slice(-400) }
}

/** The files that the commands name: `%a`, `%b`, `%large`, `%empty`, `%tree`, `%car`. */
async function makeFiles(folder: string): Promise<void> {
  const file = (name: string, content: string | Uint8Array, mode = 0o644): Promise<void> =>
    writeFile(join(folder, name), content, { mode })
  await file('a', 'hello\n')
  await file('b', 'other\n')
  await file('empty', '')
  await file(
    'large',
    Uint8Array.from({ length: 700_000 }, (_, at) => (at * at) % 251),
  )
  await mkdir(join(folder, 'tree', 'sub', 'empty'), { recursive: true })
  await file('tree/a.txt', 'hello\n', 0o640)
  await file('tree/.hidden', 'hidden\n')
  await file('tree/sub/b.txt', 'b\n')
  await symlink('a.txt', join(folder, 'tree', 'link'))
  await file('car', Buffer.from(car, 'hex'))
  const time = 1_600_000_000.25
  for (const name of ['a', 'tree/a.txt', 'tree/sub/b.txt', 'tree/sub/empty', 'tree/sub', 'tree']) {
    await utimes(join(folder, name), time, time)
  }
}
