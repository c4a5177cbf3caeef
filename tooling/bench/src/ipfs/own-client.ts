import { createIpfsClient, type VerifyMode } from '@wayleave/ipfs-http'
import { fileSource } from '@wayleave/ipfs-http/node'
import type { Jobs } from './worker.ts'

/** `@wayleave/ipfs-http` as a client, with its defaults, but for one request whatever the size. */
export function ownClientRole(
  verify: VerifyMode,
): Pick<{ [K in keyof Jobs]: (args: Jobs[K]) => Promise<string> }, 'add' | 'cat'> {
  return {
    async add({ file, to }) {
      return (await createIpfsClient({ url: to, verify, maxRequestBytes: Infinity }).add(await fileSource(file))).cid
    },
    async cat({ cid, from }) {
      let bytes = 0
      for await (const part of createIpfsClient({ url: from, verify }).cat(cid)) bytes += part.length
      return String(bytes)
    },
  }
}
