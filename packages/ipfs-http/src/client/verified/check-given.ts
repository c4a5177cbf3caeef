import { CID } from 'multiformats/cid'
import { IpfsError } from '../../error.ts'
import { readIpfsPath } from '../../server/ipfs-path.ts'
import type { IpfsReadOptions, Verification, VerifyMode } from '../client.ts'
import type { Host } from '../host.ts'
import { mostBlockBytes } from './car-sections.ts'
import { checkBlock, isCheckable } from './check-block.ts'
import { collect } from './collect.ts'

/** `IpfsClient.block.get`. */
export async function getBlock(
  host: Host,
  text: string,
  verify: VerifyMode,
  options: IpfsReadOptions,
): Promise<Uint8Array> {
  const { cid } = readIpfsPath(text)
  const isChecked = verify !== 'off' && isCheckable(cid)
  if (verify === 'proven' && !isChecked) throw unverified()
  const { chunks } = await host.call('block/get', { arg: text }, options)
  const bytes = await collect(chunks, mostBlockBytes)
  if (isChecked) await checkBlock(cid, bytes)
  return bytes
}

/** Whether the CID that a host gave a block is that of its bytes. @throws IpfsError `mismatch`, `unverified` */
export async function checkPut(text: string, bytes: Uint8Array, verify: VerifyMode): Promise<Verification> {
  const cid = CID.parse(text)
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
