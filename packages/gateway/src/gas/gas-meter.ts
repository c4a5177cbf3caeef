import { meterRequest, type MeteredRequest } from '../metering/meter-request.ts'
import type { MeteredPlace, Metering } from '../metering/metering.ts'
import type { Principal } from '../principal.ts'
import type { GasPlace } from './service.ts'

/** A request for the gas API with its meters. */
export interface MeteredGasRequest extends MeteredRequest {
  /**
   * Debits each event of a stream and passes it on, but for the first, which the request has paid for, and for comments.
   * They end once a quota is spent, as a WebSocket is closed then.
   */
  charge(events: AsyncIterable<string>): AsyncIterable<string>
}

/** Debits a request for the gas API, or tells why it is refused. */
export type GasMeter = (principal: Principal, place: GasPlace) => MeteredGasRequest | Promise<MeteredGasRequest>

/** Makes a {@link GasMeter}. A request counts for the first network of its chain that the project may use, or for `gas` where there is none. */
export function createGasMeter(metering: Metering): GasMeter {
  const eventPrice = metering.prices.eventPriceOf('suggestedGasFees')
  // The configuration names the networks, and the service folds strange endpoints.
  const places = new Map<string, MeteredPlace>()
  function placeOf(network: string): MeteredPlace {
    let place = places.get(network)
    if (place === undefined) places.set(network, (place = { network, kind: 'gas', methods: { has: () => true } }))
    return place
  }

  return (principal, { networks, endpoint }) => {
    const { networks: allowed } = principal.project
    const network = networks.find((name) => allowed?.includes(name) ?? true) ?? 'gas'
    const caller = metering.callerOf(principal, placeOf(network))
    const charged = (request: MeteredRequest): MeteredGasRequest => ({
      ...request,
      async *charge(events) {
        let isPaid = true
        for await (const event of events) {
          const isFree = isPaid || caller === undefined || event.startsWith(':')
          if (isFree) {
            yield event
            isPaid &&= event.startsWith(':')
            continue
          }
          const spent = await caller.limiter?.charge(endpoint, caller.visitor, eventPrice)
          if (spent?.isDebited !== false) {
            caller.recorder?.count(endpoint, 200, eventPrice)
            yield event
          }
          if (spent !== undefined) return
        }
      },
    })
    const metered = meterRequest(caller, endpoint, metering.prices)
    return metered instanceof Promise ? metered.then(charged) : charged(metered)
  }
}
