import type { CallTrace } from './call-trace.ts'

/** A call that was answered at once by the first upstream asked, by the cache, or with the answer of another call. */
export interface RecentCall {
  readonly id: string
  readonly network: string
  readonly method: string
  readonly project: string
  readonly keyId: string
  readonly begunAt: number
  readonly ms: number
  /** Undefined where no upstream was asked. */
  readonly upstream: string | undefined
  /** The outcome of the cache, where it may keep the answer. */
  readonly cache: string | undefined
  /** How the answer was checked. */
  readonly verification: string | undefined
  readonly error: ReportedError | undefined
}

/** An error that a node gave as the answer, its message without params. */
export interface ReportedError {
  readonly code: number
  readonly message: string
}

/** The last calls that went well. */
export interface RecentCalls {
  add(
    trace: CallTrace,
    ms: number,
    upstream: string | undefined,
    cache: string | undefined,
    verification: string | undefined,
    error: ReportedError | undefined,
  ): void
  find(isWanted: (id: string) => boolean): readonly RecentCall[]
}

/**
 * Creates it with room for `most` calls. Each call has its members in arrays: to keep an object of each call would have the collector copy
 * it twice.
 */
export function createRecentCalls(most: number): RecentCalls {
  const ids: string[] = []
  const networks: string[] = []
  const methods: string[] = []
  const projects: string[] = []
  const keyIds: string[] = []
  const upstreams: (string | undefined)[] = []
  const caches: (string | undefined)[] = []
  const verifications: (string | undefined)[] = []
  const errors: (ReportedError | undefined)[] = []
  const begun = new Float64Array(most)
  const times = new Float64Array(most)
  let next = 0
  return {
    add({ id, network, method, project, keyId, begunAt }, ms, upstream, cache, verification, error) {
      const i = next
      next = i + 1 === most ? 0 : i + 1
      ids[i] = id
      networks[i] = network
      methods[i] = method
      projects[i] = project
      keyIds[i] = keyId
      upstreams[i] = upstream
      caches[i] = cache
      verifications[i] = verification
      errors[i] = error
      begun[i] = begunAt
      times[i] = ms
    },
    find: (isWanted) =>
      ids.flatMap((id, i) =>
        isWanted(id)
          ? [
              {
                id,
                network: networks[i]!,
                method: methods[i]!,
                project: projects[i]!,
                keyId: keyIds[i]!,
                begunAt: begun[i]!,
                ms: times[i]!,
                upstream: upstreams[i],
                cache: caches[i],
                verification: verifications[i],
                error: errors[i],
              },
            ]
          : [],
      ),
  }
}
