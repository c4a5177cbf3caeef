import type { CID } from 'multiformats/cid'
import type { Clock } from '../../clock.ts'
import { IpfsError } from '../../error.ts'
import { gather } from '../../unixfs/gather.ts'
import { verifyBlock } from '../../unixfs/multihash.ts'
import { mostBlockBytes } from '../../unixfs/put-block.ts'
import { askGateway, type Gateway } from './gateway.ts'

/**
 * Fetches one block from one gateway, and checks it against its CID. Source: Trustless Gateway Specification, `application/vnd.ipld.raw`.
 *
 * @throws IpfsError `not_found` (it does not have the block), `mismatch` (wrong bytes), `too_large`, `http_status`, `connect`, `timeout`,
 *   `unsupported` (an unknown hash), `aborted`
 */
export async function fetchBlock(
  gateway: Gateway,
  cid: CID,
  options: { readonly fetch: typeof fetch; readonly clock: Clock; readonly timeoutMs: number },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { clock, timeoutMs } = options
  const { host } = gateway
  const deadline = new AbortController()
  const stop = clock.after(timeoutMs, () => deadline.abort())
  try {
    const either = AbortSignal.any([signal, deadline.signal])
    const asked = { path: `/ipfs/${cid}?format=raw`, accept: 'application/vnd.ipld.raw', what: `block ${cid}` }
    const { body } = await askGateway(gateway, asked, { fetch: options.fetch, signal: either })
    return await checked(gateway, cid, await gather(body, mostBlockBytes, ` of block ${cid} from ${host}`))
  } catch (cause) {
    if (cause instanceof IpfsError || signal.aborted) throw cause
    if (deadline.signal.aborted) {
      throw new IpfsError('timeout', `${host} did not send block ${cid} within ${timeoutMs} ms`, { cause })
    }
    throw new IpfsError('connect', `${host} could not be asked for block ${cid}`, { cause })
  } finally {
    stop()
  }
}

/** Checks the bytes that a gateway sent for a block. @throws IpfsError `mismatch`, `unsupported` */
export async function checked({ host }: Gateway, cid: CID, bytes: Uint8Array): Promise<Uint8Array> {
  try {
    await verifyBlock(cid, bytes)
    return bytes
  } catch (cause) {
    if (cause instanceof IpfsError && cause.code !== 'bad_content') throw cause
    throw new IpfsError('mismatch', `${host} sent bytes that are not those of block ${cid}`, { cause })
  }
}
