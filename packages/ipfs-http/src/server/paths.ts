import type { CID } from 'multiformats/cid'
import type { IpfsPath } from '../backend.ts'
import type { Call } from './call.ts'
import { readIpfsPath } from './ipfs-path.ts'

/** The CID that a path leads to. A CID alone needs no block. */
export async function cidOf(call: Call, path: IpfsPath): Promise<CID> {
  if (path.segments.length === 0) return path.cid
  return (await call.wait(call.backend.resolve(path, call.backendCall))).cid
}

/** The same of the text of a path. */
export async function cidAt(call: Call, text: string): Promise<CID> {
  return cidOf(call, readIpfsPath(text))
}
