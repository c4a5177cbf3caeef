export type NetworkFamily = 'evm' | 'rollup' | 'starknet'

/** Tells the methods of networks. */
export interface MethodPort {
  /** The OpenRPC document of a kind of networks, loaded when it is asked for. */
  openRpc(kind: NetworkFamily): Promise<object>
}
