import {
  type Candidate,
  type CandidateOptions,
  createCandidate,
  createUpstreamHealth,
  type SelectionCall,
} from '@wayleave/upstream'
import { answering, call } from '../support.ts'

/** Makes the candidate of an upstream that was not asked yet. */
export function candidate(name: string, options: Partial<CandidateOptions> & { pushes?: boolean } = {}): Candidate {
  const { pushes = false, ...rest } = options
  const endpoint = { name, handler: answering(name), carriesSubscriptions: pushes }
  return createCandidate({
    endpoint,
    health: createUpstreamHealth({ name, onProbeDue: () => {} }),
    slots: 160,
    ...rest,
  })
}

/** Lets calls of the class `read` be answered, one after another. */
export function answerAll({ health }: Candidate, count: number, ms: number, from = 0): void {
  for (let i = 0; i < count; i++) {
    const since = from + i * ms
    health.succeeded(health.begin('read', since), since + ms)
  }
}

/** Lets calls of the class `read` fail. */
export function failAll({ health }: Candidate, count: number, now: number): void {
  for (let i = 0; i < count; i++) health.failed(health.begin('read', now), 'unreachable', now)
}

export const read = (now: number, method = 'eth_call', more: Partial<SelectionCall> = {}): SelectionCall => ({
  request: call(method),
  class: 'read',
  now,
  ...more,
})

export const namesOf = (candidates: readonly Candidate[]): string =>
  candidates.map(({ endpoint }) => endpoint.name).join('')
