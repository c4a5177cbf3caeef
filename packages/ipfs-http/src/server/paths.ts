import type { CID } from 'multiformats/cid'
import type { Call } from './call.ts'
import { readIpfsPath } from './ipfs-path.ts'

/** The CID that a path leads to. A CID alone needs no block. */
export async function cidAt(call: Call, text: string): Promise<CID> {
  const path = readIpfsPath(text)
  if (path.segments.length === 0) return path.cid
  return (await call.wait(call.backend.resolve(path, call.backendCall))).cid
}
