import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Peer, run } from './peer.ts'

const version = 'v0.41.0'

/** Kubo, the reference node of IPFS. Some module proxies list no versions, so its source is fetched by one and built there. */
export const kubo: Peer = {
  name: 'kubo',
  program: 'ipfs',
  variable: 'KUBO',
  toolchain: 'go',
  async build(folder) {
    await mkdir(join(folder, 'bin'), { recursive: true })
    const fetched = await run('go', ['mod', 'download', '-json', `github.com/ipfs/kubo@${version}`], { cwd: folder })
    const source = join(folder, 'source')
    await rm(source, { recursive: true, force: true })
    await cp((JSON.parse(fetched) as { readonly Dir: string }).Dir, source, { recursive: true })
    await run('chmod', ['-R', 'u+w', source])
    await run('go', ['build', '-trimpath', '-buildvcs=false', '-o', join(folder, 'bin/ipfs'), './cmd/ipfs'], {
      cwd: source,
    })
    await rm(source, { recursive: true, force: true })
  },
}
