/** The questions that all calls may have in flight beside their first one. `lane`: the one of the call's context. */
export interface QuestionShare {
  take(lane: string | undefined, count: number): boolean
  give(lane: string | undefined, count: number): void
}
