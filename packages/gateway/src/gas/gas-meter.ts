import { meterRequest, type MeteredRequest } from '../metering/meter-request.ts'
import type { MeteredPlace, Metering } from '../metering/metering.ts'
import type { Principal } from '../principal.ts'
import type { GasPlace } from './service.ts'

/** Debits a request for the gas API, or tells why it is refused. */
export type GasMeter = (principal: Principal, place: GasPlace) => MeteredRequest

/** Makes a {@link GasMeter}. A request counts for the first network of its chain that the project may use, or for `gas` where there is none. */
export function createGasMeter(metering: Metering): GasMeter {
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
    return meterRequest(metering.callerOf(principal, placeOf(network)), endpoint, metering.prices)
  }
}
