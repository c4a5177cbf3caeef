import { blobBaseFee, type BlobParent, type BlobSchedule, nextExcessBlobGas } from '@wayleave/gas-fees'
import { createRandom } from '../simulator/random.ts'

/** A run of blocks that carry blobs, simulated by the EIPs: nobody recorded it. */
export interface BlobMarket {
  readonly name: string
  readonly seed: number
  readonly blocks: number
  readonly schedule: BlobSchedule
  /** Wei per gas: the middle of the base fee's walk, which the floor of EIP-7918 follows. */
  readonly baseFeePerGas: number
  /** Blobs that wish to be in each block, as a share of the target. */
  readonly demand: number
}

/** A block's fee in wei per blob gas, and how many blobs it has. */
interface BlobBlock {
  readonly baseFeePerBlobGas: bigint
  readonly blobs: number
}

const gasPerBlob = 131_072n

/** Simulates a market. Rollups wait while blobs are dear, come back in crowds, and sometimes fill every block for minutes. */
export function simulateBlobs({ seed, blocks, schedule, baseFeePerGas, demand }: BlobMarket): readonly BlobBlock[] {
  const random = createRandom(seed)
  const target = Number(schedule.target)
  const max = Number(schedule.max)
  const kept: BlobBlock[] = []
  let parent: BlobParent = { excessBlobGas: 0n, blobGasUsed: 0n, baseFeePerGas: BigInt(baseFeePerGas) }
  let walk = 0
  let crowd = 0
  let waiting = 0
  for (let i = 0; i < blocks; i += 1) {
    const excessBlobGas = nextExcessBlobGas(parent, schedule)
    const fee = blobBaseFee(excessBlobGas, schedule)
    crowd = crowd > 0 ? crowd - 1 : random.chance(0.002) ? random.between(5, 200) : 0
    waiting += random.poisson(target * demand) + (crowd > 0 ? max : 0)
    // Above a price that differs from sender to sender, they wait; a tenth of them gives up.
    const affordable = random.logNormal(30e9, 2) > Number(fee) ? waiting : Math.floor(waiting * random.next() * 0.2)
    const blobs = Math.min(max, affordable)
    waiting = Math.floor((waiting - blobs) * 0.9)
    walk = walk * 0.999 + random.normal() * 0.05
    const gas = BigInt(Math.max(1, Math.round(baseFeePerGas * Math.exp(walk))))
    kept.push({ baseFeePerBlobGas: fee, blobs })
    parent = { excessBlobGas, blobGasUsed: BigInt(blobs) * gasPerBlob, baseFeePerGas: gas }
  }
  return kept
}
