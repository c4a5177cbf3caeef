/**
 * The purpose of a call to an upstream: a caller's, one beside another of the same call, one that opens a subscription, the gateway's own for
 * fees, for heads, and for whether the right node is there; and each further one whose answer is compared with the first.
 */
export type CallPurpose = 'caller' | 'hedge' | 'consensus' | 'stream' | 'fee' | 'head' | 'probe'
