import { AdminError, notFound } from '../error.ts'
import { defaultLimit } from '../model/page.ts'
import { pinPage, pinQuery, pinVerification, viewPin } from '../model/pin.ts'
import type { PinVerificationPort } from '../pin-port.ts'
import type { RouteContext } from './context.ts'
import { type Route, route } from './route.ts'

const noIpfs = 'no IPFS is served here: `ipfs` of the configuration'

export function pinRoutes({ accounts, configured, pins, verification }: RouteContext): readonly Route[] {
  const verifies = (): PinVerificationPort => {
    if (verification === undefined) throw new AdminError('unavailable', noIpfs)
    return verification
  }
  return [
    route({
      method: 'GET',
      path: '/ipfs/{project}/pins',
      summary: 'List the pins of a project on IPFS, by CID',
      scopes: ['read', 'ipfs'],
      query: pinQuery,
      result: pinPage,
      async run({ params, query: { after, limit = defaultLimit } }) {
        const project = params['project']!
        if (pins === undefined) throw new AdminError('unavailable', noIpfs)
        if (!configured.projects.has(project) && (await accounts.project(project)) === undefined) {
          throw notFound(`project "${project}"`)
        }
        const found = await pins.list(project, { after, limit })
        const items = found.map(viewPin)
        return found.length < limit ? { items } : { items, next: found.at(-1)!.cid }
      },
    }),
    route({
      method: 'POST',
      path: '/ipfs/verify',
      summary:
        'Begin to read all blocks that projects pin, and look for missing and broken ones; one that runs goes on',
      scopes: ['ipfs'],
      result: pinVerification,
      run: () => verifies().start(),
    }),
    route({
      method: 'GET',
      path: '/ipfs/verify',
      summary: 'Get the verification that runs, or the last one since the start',
      scopes: ['read', 'ipfs'],
      result: pinVerification,
      run() {
        const state = verifies().state()
        if (state === undefined) throw notFound('verification since the start: POST begins one')
        return state
      },
    }),
  ]
}
