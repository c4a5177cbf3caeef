/** The kinds of networks whose methods are described. */
export const networkFamilies = ['evm', 'rollup', 'starknet'] as const
export type NetworkFamily = (typeof networkFamilies)[number]

/** Tells the methods of networks. */
export interface MethodPort {
  /** The OpenRPC document of a kind of networks, loaded when it is asked for. */
  openRpc(kind: NetworkFamily): Promise<object>
}
