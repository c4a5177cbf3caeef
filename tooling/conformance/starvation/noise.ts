import type { Noise } from './run-family.ts'

/** The bounds of a run that measures the gateway, not the machine. */
const bounds: { readonly [K in keyof Noise]: readonly [most: number, sentence: (value: string) => string] } = {
  goodDelay: [25, (ms) => `the good caller itself was ${ms} ms late`],
  nodesDelay: [25, (ms) => `the nodes themselves were ${ms} ms late`],
  gatewayWaited: [50, (percent) => `the gateway waited for a core ${percent} % of the time`],
  foreign: [30, (percent) => `other programs used ${percent} % of a core`],
}

/** Names what disturbed a run; empty if its figures are the gateway's alone. */
export function disturbances(noise: Noise): readonly string[] {
  return (Object.keys(bounds) as (keyof Noise)[]).flatMap((member) => {
    const [most, sentence] = bounds[member]
    return noise[member] > most ? [sentence(noise[member].toFixed(0))] : []
  })
}
