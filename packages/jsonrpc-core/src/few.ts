/** A set that has one member as a rule, which then costs no `Set`. Its order is not that of insertion. */
export class Few<T extends object> {
  #first: T | undefined
  #others: Set<T> | undefined

  get size(): number {
    return (this.#first === undefined ? 0 : 1) + (this.#others?.size ?? 0)
  }

  add(member: T): void {
    if (this.#first === undefined && this.#others?.has(member) !== true) this.#first = member
    else if (this.#first !== member) (this.#others ??= new Set()).add(member)
  }

  delete(member: T): boolean {
    if (this.#first !== member) return this.#others?.delete(member) ?? false
    this.#first = undefined
    return true
  }

  clear(): void {
    this.#first = this.#others = undefined
  }

  /** Returns the members of the moment. */
  values(): readonly T[] {
    const others = this.#others === undefined ? [] : [...this.#others]
    return this.#first === undefined ? others : [this.#first, ...others]
  }
}
