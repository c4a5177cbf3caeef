import { type Clock, rawJsonFromValue, type RpcContext, type RpcErrorObject } from '@wayleave/jsonrpc-core'
import type { Candidate } from './candidate.ts'
import { isInGroups, type SelectionCall } from './order.ts'

/**
 * Bounds the calls of methods that are in no table: most are made up, or of another provider. An upstream that is not known to have such a
 * method is asked for it once a minute, a fallback moreover ten times a minute for all such methods of a project.
 */
export interface MethodTrials {
  /** Whether an upstream of a call's groups is known to lack its method, which is in no table. */
  isLacked(call: SelectionCall): boolean
  /** Records the words of an upstream that lacks the method of a call. */
  refused(call: SelectionCall, error: RpcErrorObject): void
  /** Returns the last words of an upstream that lacks the method; those of geth where none are remembered. */
  refusalOf(call: SelectionCall): RpcErrorObject
  /** Whether an upstream was asked for such a method within the last minute, and is not known to have it. */
  wasTried(candidate: Candidate, call: SelectionCall): boolean
  /** Whether an upstream must not be asked for such a method: a fallback that was, or whose project has asked for too many. */
  isBarred(candidate: Candidate, call: SelectionCall): boolean
  /** Records that an upstream is asked. */
  began(candidate: Candidate, call: SelectionCall): void
  /** Runs a call of such a method. While no upstream is known to have it, one call after another, so that the first one teaches the others. */
  inTurn<T>(call: SelectionCall, context: RpcContext, clock: Clock, run: () => Promise<T>): Promise<T>
}

/** Time from one trial of a method at an upstream to the next, and in which the trials of a project are counted, in ms. */
const trialEveryMs = 60_000
/** Most trials at fallbacks within that time, for a project. */
const mostTrials = 10
/** Names that are remembered, in all and of one project, and the longest; callers choose them. */
const mostNames = 4_096
const mostOfProject = 1_024
const longestName = 128
/** Longest message of a refusal that is remembered. */
const longestRefusal = 512
const mostProjects = 1_000
/** Longest wait for a call of the same method, in ms. */
const patienceMs = 1_000

/** Goes on with a call that waits: in its turn, or without one. */
type Wake = (hasTurn: boolean) => void

interface Project {
  readonly names: Set<string>
  /** The times of the last trials at fallbacks. */
  readonly triedAt: number[]
}

interface Trials {
  readonly of: Project
  readonly askedAt: Map<Candidate, number>
  refusal: RpcErrorObject | undefined
}

export function createMethodTrials(candidates: readonly Candidate[]): MethodTrials {
  const names = new Map<string, Trials>()
  const projects = new Map<string, Project>()
  /** The calls that wait for the one that asks for their method. */
  const turns = new Map<string, Set<Wake>>()

  const isServed = ({ request: { method } }: SelectionCall): boolean => candidates.some((it) => it.serves(method))

  /** Ends a turn: wakes the next call, or all of them once an upstream is known to have their method. Each call is woken once. */
  function passTurn(call: SelectionCall): void {
    const { method } = call.request
    const waiting = turns.get(method)!
    const [next] = waiting
    if (next !== undefined && !isServed(call)) return next(true)
    turns.delete(method)
    for (const wake of waiting) wake(false)
  }

  /** Returns the record of a project. The project that has asked for no such method for longest is forgotten first. */
  function projectOf(name: string): Project {
    const project = projects.get(name) ?? { names: new Set(), triedAt: [] }
    projects.delete(name)
    if (projects.size >= mostProjects) projects.delete(projects.keys().next().value!)
    projects.set(name, project)
    return project
  }

  function forget(name: string): void {
    names.get(name)!.of.names.delete(name)
    names.delete(name)
  }

  function remember(name: string, project: Project): Trials {
    const known = names.get(name)
    if (known !== undefined) return known
    if (project.names.size >= mostOfProject) forget(project.names.keys().next().value!)
    if (names.size >= mostNames) forget(names.keys().next().value!)
    const trials: Trials = { of: project, askedAt: new Map(), refusal: undefined }
    project.names.add(name)
    names.set(name, trials)
    return trials
  }

  function wasTried(candidate: Candidate, { request: { method }, now }: SelectionCall): boolean {
    const at = names.get(method)?.askedAt.get(candidate)
    return at !== undefined && now - at < trialEveryMs && !candidate.serves(method)
  }

  return {
    isLacked: (call) =>
      call.isUnknown === true &&
      candidates.some((it) => it.health.lacks(call.request.method, call.now) && isInGroups(it, call)),
    refused({ request: { method } }, { code, message }) {
      const trials = names.get(method)
      if (trials === undefined || message.length > longestRefusal) return
      // The data is for the caller who was refused: it may name their request. The raw text says that an upstream wrote it.
      trials.refusal = { code, message, raw: rawJsonFromValue({ code, message }) }
    },
    refusalOf({ request: { method } }) {
      const own = { code: -32601, message: `the method ${method} does not exist/is not available` }
      return names.get(method)?.refusal ?? own
    },
    wasTried,
    isBarred(candidate, call) {
      const { method } = call.request
      if (candidate.tier === 'primary' || candidate.serves(method)) return false
      const { triedAt } = projectOf(call.project ?? '')
      const isSpent = triedAt.length >= mostTrials && call.now - triedAt[0]! < trialEveryMs
      return isSpent || method.length > longestName || wasTried(candidate, call)
    },
    began(candidate, { request: { method }, now, project: name = '' }) {
      if (method.length > longestName || candidate.serves(method)) return
      const project = projectOf(name)
      remember(method, project).askedAt.set(candidate, now)
      if (candidate.tier === 'primary') return
      project.triedAt.push(now)
      if (project.triedAt.length > mostTrials) project.triedAt.shift()
    },
    async inTurn(call, context, clock, run) {
      const { method } = call.request
      if (isServed(call)) return run()
      const waiting = turns.get(method)
      if (waiting === undefined) turns.set(method, new Set())
      const hasTurn = waiting === undefined || (await turnOrTime(waiting, context, clock))
      try {
        if (context.cancelled !== undefined) throw context.cancelled
        return await run()
      } finally {
        if (hasTurn) passTurn(call)
      }
    },
  }
}

/** Waits for a turn, until patience ends, or the call is cancelled; whether it came. */
function turnOrTime(waiting: Set<Wake>, context: RpcContext, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    let forget = (): void => {}
    const wake: Wake = (hasTurn) => {
      waiting.delete(wake)
      stop()
      forget()
      resolve(hasTurn)
    }
    waiting.add(wake)
    const stop = clock.after(patienceMs, () => wake(false))
    forget = context.onCancel(() => wake(false))
  })
}
