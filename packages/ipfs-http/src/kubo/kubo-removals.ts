import type { CID } from 'multiformats/cid'
import type { BackendCall, IpfsBackend } from '../backend.ts'
import { IpfsError } from '../error.ts'
import { isIdentity } from '../unixfs/identity.ts'
import { putBlock } from '../unixfs/put-block.ts'
import type { KuboRpc } from './kubo-rpc.ts'

/** Removes blocks from a node that others use as well: only those that this process has put, and that were not there before. */
export interface KuboRemovals {
  /** Puts a block, and remembers it if it was not there. */
  put(bytes: Uint8Array, kind: Kind, call: BackendCall, put: () => Promise<CID>): Promise<CID>
  remove: IpfsBackend['removeBlock']
  isHere: IpfsBackend['hasBlock']
}

type Kind = Parameters<IpfsBackend['putBlock']>[1]

/** Most blocks that are remembered; others stay until the node collects them. */
const most = 10_000

/** Creates the removals of a backend. The node itself keeps what is pinned, but not the files that its owner has in MFS. */
export function createKuboRemovals({ answer, lines }: Pick<KuboRpc, 'answer' | 'lines'>): KuboRemovals {
  /** The project of each block. */
  const ours = new Map<string, string>()

  async function isHere(cid: CID, call: BackendCall): Promise<boolean> {
    const query = [
      ['arg', `${cid}`],
      ['offline', 'true'],
    ] as const
    try {
      await answer({ command: 'block/stat', query, ...call }, 'Size')
      return true
    } catch (thrown) {
      if (!(thrown instanceof IpfsError) || thrown.code !== 'not_found') throw thrown
      return false
    }
  }

  return {
    isHere,
    async put(bytes, kind, call, put) {
      const own = await cidOf(bytes, kind)
      const isNew = own !== undefined && call.lane !== undefined && !(await isHere(own, call))
      const cid = await put()
      if (isNew && ours.size < most) ours.set(`${cid}`, call.lane)
      return cid
    },
    async remove(cid, call) {
      if (isIdentity(cid)) return 'removed'
      if (call.lane === undefined || ours.get(`${cid}`) !== call.lane)
        return (await isHere(cid, call)) ? 'held' : 'missing'
      let failure: unknown
      for await (const line of lines({ command: 'block/rm', query: [['arg', `${cid}`]], ...call }))
        failure = line['Error']
      if (/could not find|not found/.test(String(failure))) return 'missing'
      if (failure !== undefined) return 'held'
      ours.delete(`${cid}`)
      return 'removed'
    },
  }
}

/** The CID that a block will have; undefined where the node knows more hashes or codecs than we do. */
function cidOf(bytes: Uint8Array, kind: Kind): Promise<CID | undefined> {
  return putBlock(bytes, kind, { put: async () => {} }).catch(() => undefined)
}
