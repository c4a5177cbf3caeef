import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../src/peers/peer.ts'

/** An IPFS Cluster of one peer over a Kubo, on free ports, that talks to nobody else. */
export interface IpfsCluster extends AsyncDisposable {
  /** Of its proxy, which speaks Kubo's RPC. */
  readonly url: string
  /** What the Cluster itself says that it pins: the mode by CID. */
  pins(): Promise<Readonly<Record<string, string>>>
}

export async function startIpfsCluster(program: string, kuboUrl: string): Promise<IpfsCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-ipfs-cluster-'))
  const node = `/ip4/127.0.0.1/tcp/${new URL(kuboUrl).port}`
  const free = '/ip4/127.0.0.1/tcp/0'
  const env = {
    IPFS_CLUSTER_PATH: folder,
    CLUSTER_IPFSHTTP_NODEMULTIADDRESS: node,
    CLUSTER_IPFSPROXY_NODEMULTIADDRESS: node,
    CLUSTER_IPFSPROXY_LISTENMULTIADDRESS: free,
    CLUSTER_LISTENMULTIADDRESS: free,
    CLUSTER_MDNSINTERVAL: '0',
    CLUSTER_PINSVCAPI_HTTPLISTENMULTIADDRESS: free,
    CLUSTER_RESTAPI_HTTPLISTENMULTIADDRESS: free,
  }
  await run(program, ['init', '--consensus', 'crdt'], { env })
  const daemon = spawn(program, ['daemon'], { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(daemon, 'close')
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let said = ''
  daemon.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (said.includes('Cluster is READY')) return
    said += text
    if (said.includes('Cluster is READY')) resolve(said)
  })
  void ended.then(() => reject(new Error(`IPFS Cluster ended: ${said}`)))
  await promise
  const urlOf = (what: string): string =>
    `http://127.0.0.1:${new RegExp(`${what}: /ip4/127\\.0\\.0\\.1/tcp/(\\d+)`).exec(said)![1]}`
  const api = urlOf('RESTAPI \\(HTTP\\)')
  return {
    url: urlOf('IPFS Proxy'),
    async pins() {
      const lines = (await (await fetch(`${api}/allocations`)).text()).split('\n').filter((line) => line !== '')
      const found = lines.map((line) => JSON.parse(line) as { readonly cid: string; readonly mode: string })
      return Object.fromEntries(found.map(({ cid, mode }) => [cid, mode]))
    },
    async [Symbol.asyncDispose]() {
      daemon.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
