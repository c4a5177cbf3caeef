/** An upstream, as each gateway is told of it in its own words. */
interface Upstream {
  readonly name: string
  readonly url: string
  readonly tier?: 'primary' | 'fallback'
  /** Makes it count as slower; eRPC has no such setting. */
  readonly price?: number
}

export interface GatewayOptions {
  readonly chainId: number
  readonly upstreams: readonly Upstream[]
  /** `off`, `consistent` or `proven`; eRPC has no such setting. */
  readonly verify?: string
  /** Keeps answers by the configuration that eRPC documents for its memory; ours does unless told otherwise. */
  readonly cache?: boolean
}

/** A gateway in a process of its own. */
export interface Gateway extends AsyncDisposable {
  readonly pid: number
  /** The address of JSON-RPC. */
  readonly url: string
  /** The address that a balancer asks for its health. */
  readonly healthUrl: string
  /** The header that names the upstream of an answer. */
  readonly upstreamHeader: string
  /** Counts callers' calls that were sent to an upstream so far, hedges included. */
  sent(upstream: string): Promise<number>
  /** Circuit breakers that are not closed; undefined where it does not tell. */
  openBreakers(): Promise<number | undefined>
  /** Upstreams that it says are out; undefined where it does not tell. */
  out(): Promise<readonly string[] | undefined>
}

/** A gateway that can be measured. */
export interface Product {
  readonly name: string
  /** Whether it has the setting `verify`. */
  readonly verifies: boolean
  start(options: GatewayOptions): Promise<Gateway>
}
