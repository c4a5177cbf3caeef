// The same requests to a real Kubo and to a gateway with the local backend: what a client can see of the answers is the same, but
// for a list of differences that each say why.
import { mkdtemp, mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningGateway, startGateway } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asksOf, seeded } from './support/kubo-differential/asks.ts'
import { runKubo } from './support/kubo-differential/command-line.ts'
import { comparable } from './support/kubo-differential/comparable.ts'
import { differences } from './support/kubo-differential/differences.ts'
import { type Ask, createExchange, type Exchange, type Reported } from './support/kubo-differential/exchange.ts'
import { holdTheSame, reconcilePins } from './support/kubo-differential/held.ts'
import { type KuboNode, startKubo } from './support/kubo-node.ts'

const program = process.env['KUBO']
const seeds = (process.env['SEEDS'] ?? '1,2').split(',').map(Number)
const count = Number(process.env['COUNT'] ?? 600)

describe.skipIf(program === undefined)('Kubo and the local backend', () => {
  let folder: string
  let kubo: KuboNode
  let gateway: RunningGateway
  let exchanges: readonly [Exchange, Exchange]

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wayleave-interop-'))
    kubo = await startKubo(program!)
    gateway = await startGateway({
      dataDir: join(folder, 'data'),
      listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
      networks: { none: { kind: 'evm', chainId: 1, upstreams: ['http://127.0.0.1:1'] } },
      ipfs: { backend: 'local' },
      projects: [{ name: 'one', keys: [{ key: 'key', secret: 'secret' }] }],
    })
    const authorization = `Basic ${btoa('key:secret')}`
    exchanges = [createExchange(kubo.url), createExchange(gateway.ipfs!, { authorization })]
  })
  afterAll(async () => {
    for (const { close } of exchanges ?? []) close()
    await gateway?.close()
    await kubo?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  it.each(seeds)(`answer ${count} requests of seed %i alike`, async (seed) => {
    const held = await holdTheSame(exchanges)
    await reconcilePins(exchanges)
    const unexplained: string[] = []
    for (const ask of asksOf(held, seeded(seed), count)) {
      const answers = (await Promise.all(exchanges.map((one) => one.ask(ask)))) as [Reported, Reported]
      const [its, ours] = answers.map((answer) => JSON.stringify(comparable(ask, answer)))
      const isSame = its === ours
      if (!isSame && !differences.some(({ explains }) => explains(ask, ...answers)))
        unexplained.push(summary(ask, answers))
      // Of what fails half way, Kubo keeps the pins that it has made so far.
      if (!isSame || answers[0].status !== 200) await reconcilePins(exchanges)
    }
    expect(unexplained.join('\n')).toBe('')
  })

  it("serve Kubo's own command line alike", async () => {
    const tree = join(folder, 'tree')
    await mkdir(join(tree, 'sub', 'empty'), { recursive: true })
    await writeFile(join(tree, 'a.txt'), 'a\n', { mode: 0o640 })
    await writeFile(join(tree, 'sub', 'large'), Buffer.alloc(700_000, 'large'))
    await symlink('a.txt', join(tree, 'link'))
    await utimes(join(tree, 'a.txt'), 5, 1_600_000_000.25)
    const hosts = [
      [kubo.url, []],
      [gateway.ipfs!, ['--api-auth=basic:key:secret']],
    ] as const
    const cli = (args: readonly string[], input?: string): Promise<readonly string[]> =>
      Promise.all(
        hosts.map(([url, auth]) => {
          const api = `/ip4/127.0.0.1/tcp/${new URL(url).port}`
          return runKubo(program!, [`--api=${api}`, ...auth, ...args], input)
        }),
      )
    const same = async (args: readonly string[], input?: string): Promise<string> => {
      const [its, ours] = await cli(args, input)
      expect([args, ours]).toEqual([args, its])
      return ours!.trim()
    }
    const root = await same(['add', '-Q', '-r', tree])
    await same(['add', '-r', '--progress=false', '--preserve-mode', '--preserve-mtime', tree])
    await same(['add', '-r', '--progress=false', '--mode=0700', '--mtime=5', tree])
    await same(['add', '--quiet', '-w', join(tree, 'a.txt')])
    const piped = await same(['add', '-Q'], 'from a pipe')
    await same(['cat', piped])
    await same(['cat', root])
    await same(['cat', 'QmQy2Dw4Wk7rdJKjThjYXzfFJNaRKRHhHP5gHHXroJMYxk'])
    await same(['cat', '-o=1', '-l=3', `${root}/a.txt`, piped])
    await same(['cat'], `${root}/a.txt\n${piped}\n`)
    await same(['pin', 'rm'], `${root}\n${piped}\n`)
    await same(['pin', 'add'], `${root}\n`)
    await same(['pin', 'update', root, piped])
    await same(['block', 'stat', root])
    await same(['dag', 'get', root])
    await same(['dag', 'resolve', `${root}/sub/large`])
    const object = await same(['dag', 'put'], '{"a":[1,true]}')
    await same(['dag', 'get', `${object}/a/0`])
    await same(['get', '-a', '-C', '--progress=false', `-o=${join(folder, 'archive')}`, root])
  })
})

function summary({ method = 'POST', path, headers, body }: Ask, answers: readonly Reported[]): string {
  const lines = answers.map(({ status, headers: its, streamError = '', body: bytes }) => {
    return `${status} ${JSON.stringify(its)} ${streamError} ${JSON.stringify(bytes.toString().slice(0, 400))}`
  })
  const sent = body === undefined ? '' : `${JSON.stringify(headers)} ${JSON.stringify(body.toString().slice(0, 400))}`
  return [`${method} ${path} ${sent}`, ...lines].join('\n')
}
