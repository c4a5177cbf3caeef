interface Named {
  readonly id: string
  /** Default: the id. */
  readonly name?: string
}

/** An order in which projects get their names. */
export interface RenameOrder<T> {
  readonly ordered: readonly T[]
  /** The ids of those whose names cannot come free, since projects wait for each other; with the ids of the projects that have them. */
  readonly taken: ReadonlyMap<string, string>
}

/** Sorts projects so that each gets its name after the one that had it got another. */
export function renameOrder<T extends Named>(wanted: readonly T[], kept: readonly Named[]): RenameOrder<T> {
  const staying = new Set(wanted.map(({ id }) => id))
  const names = new Map(kept.filter(({ id }) => staying.has(id)).map((project) => [project.id, nameOf(project)]))
  const holders = new Map(Array.from(names, ([id, name]) => [name, id]))
  const waiting = new Map<string, T>()
  const ordered: T[] = []
  for (const first of wanted) {
    for (let next: T | undefined = first; next !== undefined;) {
      const { id } = next
      const name = nameOf(next)
      const holder = holders.get(name)
      if (holder !== undefined && holder !== id) {
        waiting.set(name, next)
        break
      }
      const old = names.get(id)
      ordered.push(next)
      holders.set(name, id)
      if (old === undefined || old === name) break
      holders.delete(old)
      next = waiting.get(old)
      waiting.delete(old)
    }
  }
  const taken = new Map(Array.from(waiting, ([name, { id }]) => [id, holders.get(name)!]))
  return { ordered: [...ordered, ...waiting.values()], taken }
}

function nameOf({ id, name = id }: Named): string {
  return name
}
