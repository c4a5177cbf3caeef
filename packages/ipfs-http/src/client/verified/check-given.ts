import { IpfsError } from '../../error.ts'
import { gather } from '../../unixfs/gather.ts'
import { readIpfsPath } from '../../server/ipfs-path.ts'
import type { IpfsReadOptions, Verification, VerifyMode } from '../client.ts'
import type { Host } from '../host.ts'
import { checkBlock, isCheckable, mostBlockBytes } from './check-block.ts'
import { parseCid } from './parse-cid.ts'

/** `IpfsClient.block.get`. */
export async function getBlock(
  host: Host,
  text: string,
  verify: VerifyMode,
  options: IpfsReadOptions,
): Promise<Uint8Array> {
  const { cid, segments } = readIpfsPath(text)
  if (segments.length > 0)
    throw new IpfsError('bad_argument', 'expected a CID alone: resolve the path with dag.resolve')
  const isChecked = verify !== 'off' && isCheckable(cid)
  if (verify === 'proven' && !isChecked) throw unverified()
  const { chunks } = await host.call('block/get', { arg: text }, options)
  const bytes = await gather(chunks, mostBlockBytes)
  if (isChecked) await checkBlock(cid, bytes)
  return bytes
}

/** Checks the CID that a host gave a block against its bytes. @throws IpfsError `mismatch`, `unverified` */
export async function checkPut(text: string, bytes: Uint8Array, verify: VerifyMode): Promise<Verification> {
  const cid = parseCid(text)
  if (isCheckable(cid)) {
    await checkBlock(cid, bytes)
    return 'proven'
  }
  if (verify === 'proven') throw unverified()
  return 'unverified'
}

function unverified(): IpfsError {
  return new IpfsError('unverified', 'expected a CID of sha2-256 or sha2-512 to check')
}
