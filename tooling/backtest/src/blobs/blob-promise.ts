import { suggestBlobFee } from '@wayleave/gas-fees'

/** Blocks that an offer promises to cover. */
const promised = 3

/** How a promise did over a run of blocks. */
export interface BlobPromise {
  readonly offers: number
  /** The share of offers that covered the blob base fee of each of the next three blocks. */
  readonly share: number
  /** The same of offers of just the next fee, without room. */
  readonly shareWithoutRoom: number
}

/** Makes an offer after each block from what `eth_feeHistory` would tell then. */
export function judgeBlobOffers(fees: readonly bigint[]): BlobPromise {
  let [offers, kept, keptWithoutRoom] = [0, 0, 0]
  for (let at = 0; at + promised < fees.length; at += 1) {
    const known = [fees[at]!, fees[at + 1]!].map((fee) => `0x${fee.toString(16)}`)
    const offer = suggestBlobFee({ gasUsedRatio: [0.5], baseFeePerBlobGas: known })
    const next = fees.slice(at + 1, at + 1 + promised)
    offers += 1
    kept += Number(next.every((fee) => fee <= offer.maxFeePerBlobGas))
    keptWithoutRoom += Number(next.every((fee) => fee <= offer.baseFeePerBlobGas))
  }
  return { offers, share: kept / offers, shareWithoutRoom: keptWithoutRoom / offers }
}
