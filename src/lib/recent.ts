/** Remembers what was found out until it is over, and no more of it than so much: the oldest is forgotten first. */
export class Recent<T> {
  readonly #most: number
  readonly #known = new Map<string, { value: T; until: Date }>()

  constructor(most: number) {
    this.#most = most
  }

  get(key: string, now: Date): T | undefined {
    const known = this.#known.get(key)
    return known && known.until > now ? known.value : undefined
  }

  set(key: string, value: T, until: Date): void {
    this.#known.delete(key)
    const [oldest] = this.#known.keys()
    if (oldest !== undefined && this.#known.size >= this.#most) this.#known.delete(oldest)
    this.#known.set(key, { value, until })
  }

  delete(key: string): void {
    this.#known.delete(key)
  }
}
